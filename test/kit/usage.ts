import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { Client } from "./client.ts";
import { numberOf } from "./ctx.ts";

// What an account has, as the triggers count it and as a fresh count says. The sizes are those of migrations 0027, 0070 and 0081.

export type Counted = { documents: number; records: number; bytes: number };

const DOCUMENT = "500 + octet_length(title) + coalesce(octet_length(content), 0) + octet_length(tags)";
const RECORD = `500 + octet_length(topic) + octet_length(content) + octet_length(tags)
  + coalesce(octet_length(project), 0) + coalesce(octet_length(resolution_note), 0) + coalesce(octet_length(note), 0)`;
const FRESH = `SELECT coalesce(sum(d), 0) AS documents, coalesce(sum(r), 0) AS records, coalesce(sum(b), 0) AS bytes FROM (
  SELECT trashed_at IS NULL AS d, 0 AS r, ${DOCUMENT} AS b FROM documents WHERE owner = ?1
  UNION ALL SELECT 0, 0, ${DOCUMENT} FROM document_versions WHERE owner = ?1
  UNION ALL SELECT 0, trashed_at IS NULL, ${RECORD} FROM memories WHERE owner = ?1
  UNION ALL SELECT 0, 0, 100 + coalesce(octet_length(state), 0) + coalesce(octet_length(note), 0)
    FROM (SELECT state, note FROM memory_events WHERE owner = ?1
      UNION ALL SELECT key, detail FROM tidy_kept WHERE owner = ?1)
  UNION ALL SELECT 0, 0, bytes FROM (SELECT 500 + octet_length(name) AS bytes FROM folders WHERE owner = ?1
    UNION ALL SELECT 200 FROM document_links WHERE owner = ?1
    UNION ALL SELECT 200 FROM document_aliases WHERE owner = ?1
    UNION ALL SELECT 500 + bytes + (SELECT coalesce(sum(value), 0) FROM json_each(thumbnails)) FROM files
      WHERE owner = ?1))`;

export const NOTHING: Counted = { documents: 0, records: 0, bytes: 0 };

/** What the triggers have counted. */
export const countedOf = async (owner: number): Promise<Counted> =>
  (await env.DB.prepare("SELECT documents, records, bytes FROM usage WHERE owner = ?")
    .bind(owner)
    .first<Counted>()) ?? NOTHING;

/** What there is. */
export const freshOf = async (owner: number): Promise<Counted> =>
  (await env.DB.prepare(FRESH).bind(owner).first<Counted>()) ?? NOTHING;

/** The bytes that a person's account has, counted in both ways. */
export async function bytesUsed(client: Client): Promise<number> {
  const owner = await numberOf(client);
  const counted = await countedOf(owner);
  expect(counted).toEqual(await freshOf(owner));
  return counted.bytes;
}
