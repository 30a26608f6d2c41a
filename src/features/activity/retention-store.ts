import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../../platform/core/ctx.ts";
import { ROWS_PER_STEP } from "../../platform/db/delete-in-steps.ts";

// How long activity entries are kept. The last one of an owner always stays, because the next number follows it.

const RETENTION_DAYS = 400;
const MAX_ENTRIES = 100_000;

/** Deletes a batch of an account's entries that are too old or too many; returns whether there may be more. */
export async function purgeOldEntries({ db, now, owner }: Ctx): Promise<boolean> {
  const cutoff = new Date(now.getTime() - RETENTION_DAYS * 86_400_000).toISOString();
  const newest = sql`(SELECT max(number) FROM activity WHERE owner = ${owner})`;
  // Edit sessions leave gaps between the numbers.
  const oldestKept = sql`(SELECT number FROM activity WHERE owner = ${owner}
    ORDER BY number DESC LIMIT 1 OFFSET ${MAX_ENTRIES - 1})`;
  const isTooMany = sql`number <= ${newest} - ${MAX_ENTRIES} AND number < ${oldestKept}`;
  // Times are in the order of numbers.
  const deleted = await db.run(sql`DELETE FROM activity WHERE owner = ${owner} AND number IN (
    SELECT number FROM (SELECT number, at FROM activity WHERE owner = ${owner} ORDER BY number LIMIT ${ROWS_PER_STEP})
    WHERE number < ${newest} AND (at < ${cutoff} OR (${isTooMany})))`);
  return deleted.meta.changes === ROWS_PER_STEP;
}

/** When an account's oldest entry expires, in SQL (`at`). If it is the only one, it is checked again in 30 days. */
export const entriesExpiryStatement = ({ owner, now }: Ctx): SQL => sql`
  SELECT iif(count(*) > 1, strftime('%Y-%m-%dT%H:%M:%fZ', min(at), ${`+${RETENTION_DAYS} days`}),
    strftime('%Y-%m-%dT%H:%M:%fZ', ${now.toISOString()}, '+30 days')) AS at
  FROM (SELECT at FROM activity WHERE owner = ${owner} ORDER BY number LIMIT 2) HAVING count(*) > 0`;
