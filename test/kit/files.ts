import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { Import } from "../../src/contract/import-state.ts";
import type { Client } from "./client.ts";

// Files of an export, and their import.

/** What takes longer than a request is waited for. */
const WAITING = { Prefer: "wait=30" };
const NDJSON = { "Content-Type": "application/x-ndjson" };

/** The file of somebody's export. */
export const exported = async (client: Client) => {
  const response = await client.fetch("/api/export");
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("application/x-ndjson");
  return response.text();
};

/** Sends a file; returns the status and, if successful, the import. */
export async function send(
  client: Client,
  body: string | Uint8Array,
  path = "?",
  headers: Record<string, string> = {},
) {
  const sent = { method: "POST", body, headers: { ...NDJSON, ...WAITING, ...headers } };
  let response = await client.fetch(`/api/import${path}`, sent);
  let answer = await response.json<{ status?: string; id?: string }>();
  while (answer.status === "applying") {
    response = await client.fetch(`/api/import/${answer.id}`, { method: "POST", headers: WAITING });
    answer = await response.json();
  }
  const result = response.ok ? Import.parse(answer) : undefined;
  return {
    status: response.status,
    detail: (answer as { detail?: string }).detail,
    result: result as Import,
  };
}

/** The counts and checksums of an export. */
export const sectionsOf = (file: string) => {
  const lines = file.trimEnd().split("\n");
  return JSON.parse(lines.at(-2) ?? "{}").sections;
};

/** Simulates another deployment: removes the account completely. */
export const forgetEverything = () =>
  env.DB.batch(
    [
      "memory_events",
      "memories",
      "document_versions",
      "document_tags",
      "search_entries",
      "documents",
      "folders",
    ]
      .map((table) =>
        env.DB.prepare(
          table === "folders" ? "DELETE FROM folders WHERE parent_id IS NOT NULL" : `DELETE FROM ${table}`,
        ),
      )
      .concat(env.DB.prepare("DELETE FROM folders")),
  );
