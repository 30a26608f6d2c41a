import { type SQL, sql } from "drizzle-orm";
import { yieldToOthers } from "../turns/yield.ts";

export const ROWS_AT_ONCE = 1000;

/** Repeats a deletion of at most `ROWS_AT_ONCE` rows, for a number of steps at most. Returns how many it took. */
export async function inSteps(
  step: () => PromiseLike<{ meta: { changes: number } }>,
  most = 50,
): Promise<number> {
  for (let taken = 1; taken <= most; taken++) {
    const { meta } = await step();
    if (meta.changes < ROWS_AT_ONCE) return taken;
    await yieldToOthers();
  }
  return most;
}

/** The first ids of `some` (rows of `id` and `bytes`, in SQL) within `bytes`, or a single one that has more. */
export const firstOf = (some: SQL, bytes: number): SQL => sql`
  SELECT id FROM (
    SELECT id, bytes, total(bytes) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM (${some}))
  WHERE before = 0 OR before + bytes <= ${bytes}`;

/** True in SQL when a table has a row whose `column`, which has an index, is before a time. */
export const hasBefore = (table: string, column: string, time: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE ${sql.raw(column)} < ${time})`;
