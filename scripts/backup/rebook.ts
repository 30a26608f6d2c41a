import type { Row, Source, Target } from "../common/source.ts";

// Repairs the address book of the first shard after a restore. It may be older or newer than the restored shards.

const AT_ONCE = 500;

/** Deletes entries whose account is no longer in the shard. */
const FORGET = `DELETE FROM address_book WHERE home = CAST(? AS INTEGER) AND state = 'settled'
  AND user_id NOT IN (SELECT value FROM json_each(?)) RETURNING email, user_id`;

/** Adds accounts, except those whose address belongs to an account in another shard. */
const ENTER = `INSERT INTO address_book (email, home, state, at, user_id)
  SELECT value ->> 'email', CAST(? AS INTEGER), 'settled', ?, value ->> 'id' FROM json_each(?)
  WHERE NOT EXISTS (SELECT 1 FROM users WHERE email = value ->> 'email')
  ON CONFLICT (email) DO UPDATE SET state = 'settled', at = excluded.at, user_id = excluded.user_id, link = NULL
  WHERE address_book.home = excluded.home
    AND (address_book.state <> 'settled' OR address_book.user_id <> excluded.user_id)`;

/** The accounts that have no entry for this shard. */
const MISSING = `SELECT value ->> 'email' AS email FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM address_book
  WHERE address_book.email = value ->> 'email' AND home = CAST(? AS INTEGER) AND user_id = value ->> 'id')`;

/** The accounts that are in no shard. */
const NOWHERE = `SELECT value ->> 'email' AS email FROM json_each(?)
  WHERE NOT EXISTS (SELECT 1 FROM address_book WHERE user_id = value ->> 'user_id')
    AND NOT EXISTS (SELECT 1 FROM users WHERE id = value ->> 'user_id')`;

/** A shard other than the first. */
export type Other = { number: number; source: Source };

/** Addresses of accounts that cannot sign in. */
export type Unreachable = {
  /** Another account has the address by now. `number` is the shard of the account that lost it. */
  taken: { email: string; number: number }[];
  /** Their shard no longer has the account. */
  lost: string[];
};

const accountsOf = (source: Source): Promise<Row[]> =>
  source.query("SELECT id, email FROM users WHERE deleted_at IS NULL ORDER BY number");

async function enter(first: Target, { number, source }: Other): Promise<string[]> {
  const users = await accountsOf(source);
  const taken: string[] = [];
  for (let start = 0; start < users.length; start += AT_ONCE) {
    const some = JSON.stringify(users.slice(start, start + AT_ONCE));
    const now = new Date().toISOString();
    await first.batch([{ sql: ENTER, params: [String(number), now, some] }]);
    const missing = await first.query(MISSING, [some, String(number)]);
    taken.push(...missing.map(({ email }) => String(email)));
  }
  return taken;
}

/** Makes the address book agree with the shards. Returns the accounts that cannot sign in. */
export async function rebook(first: Target, others: Other[]): Promise<Unreachable> {
  const forgotten: Row[] = [];
  // Before entries are added, because an account may now be in another shard than its entry says.
  for (const { number, source } of others) {
    const ids = JSON.stringify((await accountsOf(source)).map(({ id }) => id));
    const [rows = []] = await first.batch([{ sql: FORGET, params: [String(number), ids] }]);
    forgotten.push(...rows);
  }
  const taken: Unreachable["taken"] = [];
  for (const other of others)
    for (const email of await enter(first, other)) taken.push({ email, number: other.number });
  const lost = await first.query(NOWHERE, [JSON.stringify(forgotten)]);
  return { taken, lost: lost.map(({ email }) => String(email)) };
}
