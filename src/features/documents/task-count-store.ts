import { type SQL, sql } from "drizzle-orm";
import type { TaskFilter } from "../../contract/document.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { firstIdsWithin } from "../../platform/db/delete-in-steps.ts";
import { notFenced } from "../../platform/db/fence.ts";
import { documents } from "../../platform/db/tables.ts";
import { yieldToOthers } from "../../platform/queue/yield.ts";
import { taskCounts } from "./task-counts.ts";

// Each row stores how many tasks its document has, for filters. The cron handler counts documents from earlier releases;
// until then task filters do not find them, and responses say so.

/** SQL conditions per task filter, for a table alias of documents. */
export const taskConditions = (alias: string): Record<TaskFilter, string> => ({
  open: `${alias}.open_tasks > 0`,
  done: `${alias}.open_tasks = 0 AND ${alias}.done_tasks > 0`,
  any: `${alias}.open_tasks + ${alias}.done_tasks > 0`,
});

const WITH_TASKS = "documents.open_tasks + documents.done_tasks > 0";

/** The same for lists, in the terms of the index of documents with tasks (migration 0059). */
export const taskListConditions: Record<TaskFilter, string> = {
  open: `${WITH_TASKS} AND (documents.open_tasks > 0) = 1`,
  done: `${WITH_TASKS} AND (documents.open_tasks > 0) = 0`,
  // The IN makes SQLite prefer this index to one of all documents.
  any: `${WITH_TASKS} AND (documents.open_tasks > 0) IN (0, 1)`,
};

const UNCOUNTED_DOCUMENTS = sql`documents INDEXED BY documents_uncounted_idx WHERE open_tasks IS NULL`;

export const hasUncountedDocuments = (): SQL => sql`EXISTS (SELECT 1 FROM ${UNCOUNTED_DOCUMENTS})`;

/** Counts the caller's documents whose tasks are not counted yet, up to a thousand. */
export const uncountedStatement = (ctx: Ctx) =>
  ctx.db.all<{ uncounted: number }>(sql`
    SELECT count(*) AS uncounted FROM (SELECT 1 FROM ${UNCOUNTED_DOCUMENTS} AND owner = ${ctx.owner} LIMIT 1000)`);

export function noteOnUncounted(rows: readonly { uncounted: number }[] = []): string[] {
  const uncounted = rows[0]?.uncounted ?? 0;
  if (uncounted === 0) return [];
  const which =
    uncounted === 1
      ? "1 older document has"
      : `${uncounted === 1000 ? "1000 or more" : uncounted} older documents have`;
  return [`${which} not been checked for tasks yet and may be missing here: try again later`];
}

const DOCUMENTS_PER_STEP = 500;
const BYTES_PER_STEP = 1024 * 1024;
const MAX_STEPS = 200;

/** GLOB for contents (JSON) that may contain a task. Other contents are not loaded. */
const MAY_HAVE_TASKS = sql.raw("*[[][ xX\\]*");

type UncountedDocument = { id: string; version: number; content: string | null };

async function countNextTasks({ db }: BaseCtx): Promise<number> {
  const some = sql`SELECT id, coalesce(octet_length(content), 0) AS bytes FROM ${UNCOUNTED_DOCUMENTS}
    AND ${notFenced("documents.owner")} LIMIT ${DOCUMENTS_PER_STEP}`;
  const rows = await db.all<UncountedDocument>(sql`
    SELECT id, version, iif(content GLOB '${MAY_HAVE_TASKS}', content, NULL) AS content FROM documents
    WHERE id IN (${firstIdsWithin(some, BYTES_PER_STEP)})`);
  if (rows.length === 0) return 0;
  const counts = rows.map(({ id, version, content }) => {
    const { open_tasks, done_tasks } = taskCounts(content === null ? null : JSON.parse(content));
    return [id, version, open_tasks, done_tasks];
  });
  // A document written in the meantime has its counts already.
  await db.run(sql`UPDATE ${documents} SET open_tasks = w.value ->> 2, done_tasks = w.value ->> 3
    FROM json_each(${JSON.stringify(counts)}) AS w
    WHERE documents.id = w.value ->> 0 AND documents.version = w.value ->> 1 AND documents.open_tasks IS NULL
      AND ${notFenced("documents.owner")}`);
  return rows.length;
}

/** Counts the tasks of documents from earlier releases: at most 200 MB or 100,000 documents per run. */
export async function countMissingTasks(base: BaseCtx): Promise<void> {
  for (let step = 0; step < MAX_STEPS && (await countNextTasks(base)) > 0; step++) await yieldToOthers();
}
