import { sql } from "drizzle-orm";
import {
  listPresentAccounts,
  type PresentAccount,
  redirectToCounterpart,
} from "../../src/features/shard-migration/counterpart-store.ts";
import { endAbandonedMigrations } from "../../src/features/shard-migration/purge-store.ts";
import type { BaseCtx } from "../../src/platform/core/ctx.ts";

// After a restore: ends the account migrations that were in progress at the time of the backup, and keeps one copy of an
// account that is in two shards because one of them was restored alone.

/** Later than the deadline of every migration. */
const FAR_FUTURE = "9999-12-31T00:00:00.000Z";

/** Keeps the numbers of accounts that were moved away from being used again. */
const reserveAccountNumbers = async ({ db }: BaseCtx): Promise<void> => {
  await db.batch([
    db.run(sql`INSERT INTO sqlite_sequence (name, seq) SELECT 'users', 0
      WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'users')`),
    db.run(sql`UPDATE sqlite_sequence SET seq = max(seq, coalesce((SELECT max(owner) FROM moves), 0))
      WHERE name = 'users'`),
  ]);
};

type AccountInShard = PresentAccount & { shard: BaseCtx };

async function findDuplicates(shards: BaseCtx[]): Promise<AccountInShard[][]> {
  const copies = new Map<string, AccountInShard[]>();
  for (const shard of shards)
    for (const one of await listPresentAccounts(shard))
      copies.set(one.id, [...(copies.get(one.id) ?? []), { ...one, shard }]);
  return [...copies.values()].filter((one) => one.length > 1);
}

/**
 * Makes sure that each account is in one shard: the one with more changes, or with equally many, one that was not
 * restored. The other shards redirect to it.
 *
 * @param isRestored whether a shard was restored
 */
export async function resolveDuplicateAccounts(
  shards: BaseCtx[],
  isRestored: (shard: number) => boolean,
): Promise<void> {
  const findShard = (number: number) => {
    const shard = shards.find((one) => one.shard === number);
    if (!shard) throw new Error(`Accounts were moved to DB_${number}, which is not in HOMES`);
    return shard;
  };
  for (const shard of shards) await reserveAccountNumbers(shard);
  for (const shard of shards) await endAbandonedMigrations(shard, findShard, FAR_FUTURE);
  const restoredRank = ({ shard }: AccountInShard) => Number(isRestored(shard.shard));
  for (const copies of await findDuplicates(shards)) {
    const [kept, ...others] = copies.sort(
      (a, b) => b.activityEntries - a.activityEntries || restoredRank(a) - restoredRank(b),
    );
    if (kept)
      for (const one of others)
        await redirectToCounterpart(one.shard, one, { home: kept.shard.shard, number: kept.number });
  }
}
