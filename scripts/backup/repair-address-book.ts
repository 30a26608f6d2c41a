import type { ReadableDatabase, SqlRow, WritableDatabase } from "../common/local-database.ts";

// Repairs the address directory of the first shard after a restore. It may be older or newer than the restored shards.

const BATCH_SIZE = 500;

/** Deletes entries whose account is no longer in the shard. */
const DELETE_STALE = `DELETE FROM address_book WHERE home = CAST(? AS INTEGER) AND state = 'settled'
  AND user_id NOT IN (SELECT value FROM json_each(?)) RETURNING email, user_id`;

/** Adds accounts, except those whose address belongs to an account in another shard. */
const ADD_ENTRIES = `INSERT INTO address_book (email, home, state, at, user_id)
  SELECT value ->> 'email', CAST(? AS INTEGER), 'settled', ?, value ->> 'id' FROM json_each(?)
  WHERE NOT EXISTS (SELECT 1 FROM users WHERE email = value ->> 'email')
  ON CONFLICT (email) DO UPDATE SET state = 'settled', at = excluded.at, user_id = excluded.user_id, link = NULL
  WHERE address_book.home = excluded.home
    AND (address_book.state <> 'settled' OR address_book.user_id <> excluded.user_id)`;

const LIST_WITHOUT_ENTRY = `SELECT value ->> 'email' AS email FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM address_book
  WHERE address_book.email = value ->> 'email' AND home = CAST(? AS INTEGER) AND user_id = value ->> 'id')`;

/** The accounts that are in no shard. */
const LIST_LOST = `SELECT value ->> 'email' AS email FROM json_each(?)
  WHERE NOT EXISTS (SELECT 1 FROM address_book WHERE user_id = value ->> 'user_id')
    AND NOT EXISTS (SELECT 1 FROM users WHERE id = value ->> 'user_id')`;

/** A shard other than the first. */
export type OtherShard = { number: number; source: ReadableDatabase };

/** Addresses of accounts that cannot sign in. */
export type UnreachableAccounts = {
  /** Another account has the address by now. `number` is the shard of the account that lost it. */
  taken: { email: string; number: number }[];
  lost: string[];
};

const listAccounts = (source: ReadableDatabase): Promise<SqlRow[]> =>
  source.query("SELECT id, email FROM users WHERE deleted_at IS NULL ORDER BY number");

async function addEntries(first: WritableDatabase, { number, source }: OtherShard): Promise<string[]> {
  const users = await listAccounts(source);
  const taken: string[] = [];
  for (let start = 0; start < users.length; start += BATCH_SIZE) {
    const batch = JSON.stringify(users.slice(start, start + BATCH_SIZE));
    const timestamp = new Date().toISOString();
    await first.batch([{ sql: ADD_ENTRIES, params: [String(number), timestamp, batch] }]);
    const missing = await first.query(LIST_WITHOUT_ENTRY, [batch, String(number)]);
    taken.push(...missing.map(({ email }) => String(email)));
  }
  return taken;
}

/** Makes the address directory agree with the shards. Returns the accounts that cannot sign in. */
export async function repairAddressBook(
  first: WritableDatabase,
  others: OtherShard[],
): Promise<UnreachableAccounts> {
  const deleted: SqlRow[] = [];
  // Before entries are added, because an account may now be in another shard than its entry says.
  for (const { number, source } of others) {
    const ids = JSON.stringify((await listAccounts(source)).map(({ id }) => id));
    const [rows = []] = await first.batch([{ sql: DELETE_STALE, params: [String(number), ids] }]);
    deleted.push(...rows);
  }
  const taken: UnreachableAccounts["taken"] = [];
  for (const other of others)
    for (const email of await addEntries(first, other)) taken.push({ email, number: other.number });
  const lost = await first.query(LIST_LOST, [JSON.stringify(deleted)]);
  return { taken, lost: lost.map(({ email }) => String(email)) };
}
