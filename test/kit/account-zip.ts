import { expect } from "vitest";
import { findAccountExport, importAccount } from "../../src/shared/import/account.ts";
import { readZipEntries } from "../../src/shared/import/entries.ts";
import type { Client } from "./client.ts";
import { importer } from "./markdown-zip.ts";

// The zip of a whole account, and its import.

export async function accountZip(client: Client): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await client.fetch("/api/export?format=zip");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("Content-Type")).toBe("application/zip");
  return new Uint8Array(await answer.arrayBuffer());
}

/** Imports the zip of an account as the app and the command line do. */
export async function importZip(client: Client, zip: Uint8Array<ArrayBuffer>) {
  const account = findAccountExport(await readZipEntries(new Blob([zip])));
  if (!account) throw new Error("The zip has no account");
  return importAccount(importer(client), account);
}

type Line = Record<string, unknown> & { type: string };

/** The lines of an account's export without the first and the last ones, with files by their SHA-256 in place of their ids. */
export async function linesOf(client: Client): Promise<Line[]> {
  const text = await (await client.fetch("/api/export")).text();
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  const sums = new Map(lines.filter(({ type }) => type === "file").map(({ id, sha256 }) => [id, sha256]));
  const named = text.replace(
    /file:([0-9a-f-]{36})/g,
    (whole, id) => `file:${sums.get(id)?.toString().slice(0, 36) ?? whole}`,
  );
  return named
    .trimEnd()
    .split("\n")
    .slice(1, -2)
    .map((line) => JSON.parse(line) as Line);
}
