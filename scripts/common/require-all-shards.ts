import { existsSync } from "node:fs";
import { FIRST_SHARD } from "../../src/contract/shard.ts";
import { shardBinding } from "../../src/contract/shards.ts";
import { hasTable, localDatabasePath, openSnapshot, type ReadableDatabase } from "./local-database.ts";

/**
 * Throws if the address directory of the first shard has users in a shard that is not in the list, because those users
 * could not sign in.
 */
export async function requireAllShards(
  first: ReadableDatabase,
  shards: { binding: string }[],
): Promise<void> {
  if (!(await hasTable(first, "address_book"))) return;
  const rows = await first.query(
    "SELECT home, count(*) AS users FROM address_book WHERE state = 'settled' GROUP BY home",
  );
  const leftOut = rows.find(
    ({ home }) => !shards.some(({ binding }) => binding === shardBinding(Number(home))),
  );
  if (!leftOut) return;
  const missing = shardBinding(Number(leftOut.home));
  const users = leftOut.users === 1 ? "1 user is" : `${leftOut.users} users are`;
  throw new Error(
    `HOMES leaves out ${missing}, but ${users} there. Put it back, as in DB=weur:open, ${missing}=weur:closed: ` +
      "a closed home takes no new users. You can leave it out once it has no users: see `npm run homes -- list`",
  );
}

/** The same for the databases in a state folder, if there are any yet. */
export async function requireAllLocalShards(stateDir: string, shards: { binding: string }[]): Promise<void> {
  const file = localDatabasePath(stateDir, FIRST_SHARD);
  if (!existsSync(file)) return;
  const first = openSnapshot(file);
  await requireAllShards(first, shards).finally(first.close);
}
