import { type SQL, sql } from "drizzle-orm";
import { yieldToOthers } from "../queue/yield.ts";

export const ROWS_PER_STEP = 1000;

const MAX_STEPS = 50;

/** Repeats a deletion of at most `ROWS_PER_STEP` rows while there are more, in at most 50 steps. */
export async function deleteInSteps(step: () => PromiseLike<{ meta: { changes: number } }>): Promise<void> {
  for (let count = 0; count < MAX_STEPS; count++) {
    const { meta } = await step();
    if (meta.changes < ROWS_PER_STEP) return;
    await yieldToOthers();
  }
}

/** The first ids of `rows` (`id` and `bytes`, in SQL) that fit in `bytes` together, or the first one if it is larger. */
export const firstIdsWithin = (rows: SQL, bytes: number): SQL => sql`
  SELECT id FROM (
    SELECT id, bytes, total(bytes) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM (${rows}))
  WHERE before = 0 OR before + bytes <= ${bytes}`;

/** True in SQL if a table has a row whose `column`, which must be indexed, is before a time. */
export const hasRowBefore = (table: string, column: string, time: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE ${sql.raw(column)} < ${time})`;
