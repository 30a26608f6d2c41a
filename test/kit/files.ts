import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { Import } from "../../src/contract/import-state.ts";
import type { Client } from "./client.ts";

// Files of an export, and their import.

/** What takes longer than a request is waited for. */
const WAITING = { Prefer: "wait=30" };
const NDJSON = { "Content-Type": "application/x-ndjson" };

/** The file of an account's export. */
export const exported = async (client: Client) => {
  const response = await client.fetch("/api/export");
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("application/x-ndjson");
  return response.text();
};

/** Sends a file; returns the status, the answer's text, and the import or what is said instead. */
export async function send(
  client: Client,
  body: string | Uint8Array,
  path = "",
  headers: Record<string, string> = {},
) {
  let response = await client.fetch(`/api/import${path}`, {
    ...{ method: "POST", body, headers: { ...NDJSON, ...WAITING, ...headers } },
  });
  let text = await response.text();
  while (JSON.parse(text).status === "applying") {
    const sent = { method: "POST", headers: WAITING };
    response = await client.fetch(`/api/import/${JSON.parse(text).id}`, sent);
    text = await response.text();
  }
  const answer: { detail?: string } = JSON.parse(text);
  const result = (response.ok ? Import.parse(answer) : undefined) as Import;
  return { status: response.status, text, detail: answer.detail, result };
}

/** The counts and checksums of an export. */
export const sectionsOf = (file: string) => {
  const lines = file.trimEnd().split("\n");
  return JSON.parse(lines.at(-2) ?? "{}").sections;
};

/** Simulates another deployment: removes the account completely. */
export function forgetEverything() {
  const tables = [
    "memory_events",
    "memories",
    "document_versions",
    "document_tags",
    "search_entries",
    "documents",
  ];
  const nested = "folders WHERE parent_id IS NOT NULL";
  return env.DB.batch([...tables, nested, "folders"].map((from) => env.DB.prepare(`DELETE FROM ${from}`)));
}
