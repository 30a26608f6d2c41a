import { type SQL, sql } from "drizzle-orm";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { firstIdsWithin } from "../../platform/db/delete-in-steps.ts";
import { notFenced } from "../../platform/db/fence.ts";
import { yieldToOthers } from "../../platform/queue/yield.ts";
import { NO_TITLE_KEY, titleKey } from "./title-key.ts";

const DOCUMENTS_PER_STEP = 500;
/** Writing a key rewrites its row, including the content. */
const BYTES_PER_STEP = 1024 * 1024;
const MAX_STEPS = 200;
/** A document with more content, from an earlier release, may have no room for a key. */
const MAX_CONTENT_WITH_KEY = 1_990_000;

const KEYLESS = sql`documents INDEXED BY documents_keyless_idx
  WHERE title_key IS NULL AND (title GLOB '*[^ -~]*' OR title <> trim(title))`;

export const hasMissingTitleKeys = (): SQL => sql`EXISTS (SELECT 1 FROM ${KEYLESS})`;

async function completeNextKeys({ db }: BaseCtx): Promise<number> {
  const some = sql`SELECT id, coalesce(octet_length(content), 0) AS bytes FROM ${KEYLESS}
    AND ${notFenced("documents.owner")} LIMIT ${DOCUMENTS_PER_STEP}`;
  const rows = await db.all<{ id: string; title: string; is_large: number }>(sql`
    SELECT id, title, coalesce(octet_length(content), 0) > ${MAX_CONTENT_WITH_KEY} AS is_large
    FROM documents WHERE id IN (${firstIdsWithin(some, BYTES_PER_STEP)})`);
  if (rows.length === 0) return 0;
  const keys = rows.map(({ id, title, is_large }) => [id, title, is_large ? NO_TITLE_KEY : titleKey(title)]);
  // A document renamed in the meantime has its key already.
  await db.run(sql`UPDATE documents SET title_key = w.value ->> 2 FROM json_each(${JSON.stringify(keys)}) AS w
    WHERE documents.id = w.value ->> 0 AND documents.title = w.value ->> 1 AND ${notFenced("documents.owner")}`);
  return rows.length;
}

/** Writes missing title keys: at most 200 MB or 100,000 documents per run. */
export async function completeTitleKeys(base: BaseCtx): Promise<void> {
  for (let step = 0; step < MAX_STEPS && (await completeNextKeys(base)) > 0; step++) await yieldToOthers();
}
