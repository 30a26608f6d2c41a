import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../../platform/core/ctx.ts";
import { ROWS_AT_ONCE } from "../../platform/db/in-steps.ts";

// How long the ledger keeps its entries. The last one of an owner always stays: the next number follows it.

const RETENTION_DAYS = 400;
const KEPT_ENTRIES = 100_000;

/** Deletes some of an account's entries that are too old or too many; returns whether there may be more. */
export async function purgeEntries({ db, now, owner }: Ctx): Promise<boolean> {
  const cutoff = new Date(now.getTime() - RETENTION_DAYS * 86_400_000).toISOString();
  const newest = sql`(SELECT max(number) FROM activity WHERE owner = ${owner})`;
  // Sittings leave gaps between the numbers.
  const oldestKept = sql`(SELECT number FROM activity WHERE owner = ${owner}
    ORDER BY number DESC LIMIT 1 OFFSET ${KEPT_ENTRIES - 1})`;
  const isTooMany = sql`number <= ${newest} - ${KEPT_ENTRIES} AND number < ${oldestKept}`;
  // Their times follow their numbers.
  const deleted = await db.run(sql`DELETE FROM activity WHERE owner = ${owner} AND number IN (
    SELECT number FROM (SELECT number, at FROM activity WHERE owner = ${owner} ORDER BY number LIMIT ${ROWS_AT_ONCE})
    WHERE number < ${newest} AND (at < ${cutoff} OR (${isTooMany})))`);
  return deleted.meta.changes === ROWS_AT_ONCE;
}

/** When an account's oldest entry becomes too old, in SQL (`at`); one that has to stay is looked at again in a month. */
export const entriesExpire = ({ owner, now }: Ctx): SQL => sql`
  SELECT iif(count(*) > 1, strftime('%Y-%m-%dT%H:%M:%fZ', min(at), ${`+${RETENTION_DAYS} days`}),
    strftime('%Y-%m-%dT%H:%M:%fZ', ${now.toISOString()}, '+30 days')) AS at
  FROM (SELECT at FROM activity WHERE owner = ${owner} ORDER BY number LIMIT 2) HAVING count(*) > 0`;
