import { type SQL, sql } from "drizzle-orm";
import { breathe } from "../turns/yield.ts";

/** How many rows a step deletes. */
export const ROWS_AT_ONCE = 1000;

/**
 * Repeats a deletion of at most `ROWS_AT_ONCE` rows until there are no more, or for a number of steps: the rest is left
 * to the next run of the cron handler. Returns how many steps it took.
 */
export async function inSteps(
  step: () => PromiseLike<{ meta: { changes: number } }>,
  most = 50,
): Promise<number> {
  for (let taken = 1; taken <= most; taken++) {
    const { meta } = await step();
    if (meta.changes < ROWS_AT_ONCE) return taken;
    await breathe();
  }
  return most;
}

/**
 * The ids of the first of some rows that have no more bytes together, or of a single one that has more, in SQL.
 *
 * @param some rows of `id` and `bytes`, in SQL
 */
export const firstOf = (some: SQL, bytes: number): SQL => sql`
  SELECT id FROM (
    SELECT id, bytes, total(bytes) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM (${some}))
  WHERE before = 0 OR before + bytes <= ${bytes}`;
