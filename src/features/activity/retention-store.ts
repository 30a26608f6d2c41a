import { sql } from "drizzle-orm";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { unfenced } from "../../platform/db/fence.ts";
import { inSteps, ROWS_AT_ONCE } from "../../platform/db/in-steps.ts";
import { yieldToOthers } from "../../platform/turns/yield.ts";

// How long the ledger keeps its entries. The last one of an owner always stays: the next number follows it.

const RETENTION_DAYS = 400;
const KEPT_ENTRIES = 100_000;

/** How many user numbers one run of the cron handler looks at, and how many steps of deleting it takes for all of them. */
const USERS_AT_ONCE = 500;
const STEPS = 200;

const HOUR_MS = 3_600_000;

/** Deletes entries that are too old or too many; each run takes the next users, so that no index of times is needed. */
export async function purgeActivity({ db, now }: BaseCtx): Promise<void> {
  const cutoff = new Date(now.getTime() - RETENTION_DAYS * 86_400_000).toISOString();
  const [{ last = 0 } = {}] = await db.all<{ last: number }>(
    sql`SELECT coalesce(max(number), 0) AS last FROM users`,
  );
  const turns = Math.max(1, Math.ceil((last + 1) / USERS_AT_ONCE));
  const from = (Math.floor(now.getTime() / HOUR_MS) % turns) * USERS_AT_ONCE;
  const owners = await db.all<{ owner: number; last: number }>(sql`
    SELECT owner, last FROM (
      SELECT u.number AS owner, (SELECT max(number) FROM activity WHERE owner = u.number) AS last,
        (SELECT min(number) FROM activity WHERE owner = u.number) AS first
      FROM users AS u WHERE u.number >= ${from} AND u.number < ${from + USERS_AT_ONCE}
        AND ${unfenced("u.number")}) AS ends
    WHERE first < last AND (last - first >= ${KEPT_ENTRIES}
      OR (SELECT at FROM activity WHERE owner = ends.owner AND number = ends.first) < ${cutoff})`);
  let left = STEPS;
  for (const { owner, last: newest } of owners) {
    const old = sql`SELECT number FROM activity WHERE owner = ${owner} AND number < ${newest}
        AND (at < ${cutoff} OR number <= ${newest - KEPT_ENTRIES})
      ORDER BY number LIMIT ${ROWS_AT_ONCE}`;
    left -= await inSteps(
      () =>
        db.run(sql`DELETE FROM activity WHERE owner = ${owner} AND number IN (${old})
          AND ${unfenced("activity.owner")}`),
      left,
    );
    if (left <= 0) return;
    await yieldToOthers();
  }
}
