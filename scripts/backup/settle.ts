import { sql } from "drizzle-orm";
import { settleMoves } from "../../src/features/moving/purge-store.ts";
import { leaveFor, listPresent, type Present } from "../../src/features/moving/twin-store.ts";
import type { BaseCtx } from "../../src/platform/core/ctx.ts";

// Migrations of accounts between shards after a restore. Those in progress at the time of the backup are stuck, and a
// shard that was restored alone may be older than the others.

/** Later than the deadline of every migration. */
const LATER = "9999-12-31T00:00:00.000Z";

/** Keeps the numbers of accounts that were moved away from being used again. */
const countOn = async ({ db }: BaseCtx): Promise<void> => {
  await db.batch([
    db.run(sql`INSERT INTO sqlite_sequence (name, seq) SELECT 'users', 0
      WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'users')`),
    db.run(sql`UPDATE sqlite_sequence SET seq = max(seq, coalesce((SELECT max(owner) FROM moves), 0))
      WHERE name = 'users'`),
  ]);
};

type Place = Present & { home: BaseCtx };

/** The accounts that are in several shards, with all their places. */
async function findTwins(homes: BaseCtx[]): Promise<Place[][]> {
  const places = new Map<string, Place[]>();
  for (const home of homes)
    for (const one of await listPresent(home))
      places.set(one.id, [...(places.get(one.id) ?? []), { ...one, home }]);
  return [...places.values()].filter((all) => all.length > 1);
}

/**
 * Makes sure that each account is in one shard: the one with more changes, or with equally many, one that was not
 * restored. The other shards redirect to it.
 *
 * @param isRestored whether a shard was restored
 */
export async function settleRestored(homes: BaseCtx[], isRestored: (home: number) => boolean): Promise<void> {
  const open = (number: number) => {
    const home = homes.find((one) => one.home === number);
    if (!home) throw new Error(`Accounts were moved to DB_${number}, which is not in HOMES`);
    return home;
  };
  for (const home of homes) await countOn(home);
  for (const home of homes) await settleMoves(home, open, LATER);
  const age = ({ home }: Place) => Number(isRestored(home.home));
  for (const places of await findTwins(homes)) {
    const [kept, ...others] = places.sort((a, b) => b.entries - a.entries || age(a) - age(b));
    if (kept)
      for (const one of others) await leaveFor(one.home, one, { home: kept.home.home, number: kept.number });
  }
}
