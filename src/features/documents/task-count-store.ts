import { sql } from "drizzle-orm";
import type { TaskFilter } from "../../contract/document.ts";
import type { Ctx } from "../../platform/core/ctx.ts";

// Each row stores how many tasks its document has, for filters. The cron handler counts documents from earlier releases;
// until then task filters do not find them, and responses say so.

/** SQL conditions per task filter, on document `x`. */
export const TASK_CONDITIONS: Record<TaskFilter, string> = {
  open: "x.open_tasks > 0",
  done: "x.open_tasks = 0 AND x.done_tasks > 0",
  any: "x.open_tasks + x.done_tasks > 0",
};

const WITH_TASKS = "documents.open_tasks + documents.done_tasks > 0";

/** The same for lists, in the terms of the index of documents with tasks (migration 0059). */
export const taskListConditions: Record<TaskFilter, string> = {
  open: `${WITH_TASKS} AND (documents.open_tasks > 0) = 1`,
  done: `${WITH_TASKS} AND (documents.open_tasks > 0) = 0`,
  // The IN makes SQLite prefer this index to one of all documents.
  any: `${WITH_TASKS} AND (documents.open_tasks > 0) IN (0, 1)`,
};

export const UNCOUNTED_DOCUMENTS = sql`documents INDEXED BY documents_uncounted_idx WHERE open_tasks IS NULL`;

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
