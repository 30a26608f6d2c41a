import { type SQL, sql } from "drizzle-orm";
import type { BaseCtx } from "../core/ctx.ts";
import { yieldToOthers } from "../queue/yield.ts";
import { notFenced } from "./fence.ts";

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

type Retention = { key: string; column: string; days?: number; hasOwner?: boolean };

/**
 * Deletes a table's rows `days` after the time in `column`, which must be indexed, up to a thousand in a run of the cron
 * handler. `key` are the columns that identify a row. Skips accounts that are being migrated, if rows have an owner.
 */
export function retention(table: string, { key, column, days = 0, hasOwner = true }: Retention) {
  const cutoff = ({ now }: BaseCtx) => new Date(now.getTime() - days * 86_400_000).toISOString();
  const [name, id, time] = [table, key, column].map((text) => sql.raw(text));
  const mayDelete = hasOwner ? notFenced(`${table}.owner`) : sql`true`;
  return {
    /** Whether there are such rows, in SQL. */
    isDue: (base: BaseCtx): SQL => hasRowBefore(table, column, cutoff(base)),
    run: async (base: BaseCtx): Promise<void> => {
      await base.db.run(sql`DELETE FROM ${name} WHERE (${id}) IN (
        SELECT ${id} FROM ${name} WHERE ${time} < ${cutoff(base)} AND ${mayDelete} LIMIT ${ROWS_PER_STEP})`);
    },
  };
}
