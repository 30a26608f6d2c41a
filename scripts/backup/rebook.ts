import type { Row, Source, Target } from "../common/source.ts";

// The address book of the first home after a restore, which may be older or newer than the restored homes.

const AT_ONCE = 500;

/** Forgets entries whose account is not in the home any more. */
const FORGET = `DELETE FROM address_book WHERE home = CAST(? AS INTEGER) AND state = 'settled'
  AND user_id NOT IN (SELECT value FROM json_each(?)) RETURNING email, user_id`;

/** Enters accounts, except those whose address somebody in another home has. */
const ENTER = `INSERT INTO address_book (email, home, state, at, user_id)
  SELECT value ->> 'email', CAST(? AS INTEGER), 'settled', ?, value ->> 'id' FROM json_each(?)
  WHERE NOT EXISTS (SELECT 1 FROM users WHERE email = value ->> 'email')
  ON CONFLICT (email) DO UPDATE SET state = 'settled', at = excluded.at, user_id = excluded.user_id, link = NULL
  WHERE address_book.home = excluded.home
    AND (address_book.state <> 'settled' OR address_book.user_id <> excluded.user_id)`;

/** Those of these accounts that the book does not have in this home. */
const MISSING = `SELECT value ->> 'email' AS email FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM address_book
  WHERE address_book.email = value ->> 'email' AND home = CAST(? AS INTEGER) AND user_id = value ->> 'id')`;

/** Which of these accounts are in no home. */
const NOWHERE = `SELECT value ->> 'email' AS email FROM json_each(?)
  WHERE NOT EXISTS (SELECT 1 FROM address_book WHERE user_id = value ->> 'user_id')
    AND NOT EXISTS (SELECT 1 FROM users WHERE id = value ->> 'user_id')`;

/** A home other than the first. */
export type Other = { number: number; source: Source };

/** Addresses of accounts that cannot sign in. */
export type Unreachable = {
  /** Somebody else has the address by now. */
  taken: { email: string; number: number }[];
  /** They were in a home that does not have them any more. */
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

/** Makes the address book agree with the homes. Returns whom it cannot lead anywhere. */
export async function rebook(first: Target, others: Other[]): Promise<Unreachable> {
  const forgotten: Row[] = [];
  // Before anybody is entered: an account may be in another home now than the book says.
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
