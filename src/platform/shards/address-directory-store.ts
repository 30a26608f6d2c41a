import { type SQL, sql } from "drizzle-orm";
import type { BaseCtx } from "../core/ctx.ts";
import { badRequest } from "../core/errors.ts";
import { assertInBatch, catchRefusal } from "../db/call.ts";
import { address_book } from "../db/tables.ts";

// The address directory: the first shard lists the email addresses of accounts in other shards. A registration in another
// shard claims the address first, so that only one account gets it and a retry ends up in the same shard.

/** How long an account can restore its previous address (a week), and a day more. */
const FORMER_DAYS = 8;
/** After this long, a claim without an account expires. */
const CLAIMED_MS = 3_600_000;
const CLAIMS_PER_RUN = 100;

const addMs = (now: Date, milliseconds: number) => new Date(now.getTime() + milliseconds).toISOString();

const isLive = (ctx: BaseCtx) => sql`(state <> 'former' OR at > ${ctx.now.toISOString()})`;

/** True in SQL if an account in another shard has the address, or may soon have it. */
export const isAddressInOtherShard = (ctx: BaseCtx, email: string): SQL =>
  sql`EXISTS (SELECT 1 FROM address_book WHERE address_book.email = ${email} AND ${isLive(ctx)})`;

const isFreeHere = (first: BaseCtx, email: string) =>
  sql`NOT EXISTS (SELECT 1 FROM users WHERE users.email = ${email}) AND NOT EXISTS (SELECT 1 FROM email_links
    WHERE purpose = 'undo' AND email_links.email = ${email} AND expires_at > ${first.now.toISOString()})`;

export async function findShardOfAddress(first: BaseCtx, email: string): Promise<number | undefined> {
  const [row] = await first.db.all<{ home: number }>(sql`
    SELECT home FROM address_book WHERE email = ${email} AND ${isLive(first)}
    UNION ALL SELECT ${first.shard} FROM users WHERE email = ${email}`);
  return row?.home;
}

export async function findShardOfUser(first: BaseCtx, userId: string): Promise<number | undefined> {
  const [row] = await first.db.all<{ home: number }>(
    sql`SELECT home FROM address_book WHERE user_id = ${userId} LIMIT 1`,
  );
  return row?.home;
}

/** What the choice of a shard depends on: the one in which the address is claimed, and the size of each in bytes. */
export async function readPlacement(first: BaseCtx, email: string) {
  const [[claim], sizes] = await first.db.batch([
    first.db.all<{ home: number }>(
      sql`SELECT home FROM address_book WHERE email = ${email} AND state = 'claimed'`,
    ),
    first.db.all<{ number: number; bytes: number }>(sql`SELECT number, bytes FROM homes`),
  ]);
  return { claimed: claim?.home, bytes: new Map(sizes.map(({ number, bytes }) => [number, bytes])) };
}

type Claim = { email: string; home: number; link?: string | null };

/** Claims an address for a new account. Returns the shard that it is claimed in, which may be another; no row if taken. */
export const claimAddressStatement = (first: BaseCtx, { email, home, link = null }: Claim) =>
  first.db.returning<{ home: number }>(sql`INSERT INTO address_book (email, home, state, at, link)
    SELECT ${email}, ${home}, 'claimed', ${first.now.toISOString()}, ${link} WHERE ${isFreeHere(first, email)}
    ON CONFLICT (email) DO UPDATE SET state = 'claimed', at = excluded.at, user_id = NULL,
      home = CASE state WHEN 'claimed' THEN home ELSE excluded.home END,
      link = CASE WHEN state = 'claimed' THEN coalesce(excluded.link, link) ELSE excluded.link END
    WHERE state = 'claimed' OR NOT ${isLive(first)} RETURNING home`);

type AccountAddress = { email: string; home: number; userId: string };

const addressTaken = () => badRequest("Another account has this email address: choose another one");

/** Throws 400 if an account other than this one, which is in another shard, has the address or may restore it. */
export async function requireAddressFree(first: BaseCtx, email: string, userId: string): Promise<void> {
  const taken = await first.db.all(sql`SELECT 1 WHERE NOT (${isFreeHere(first, email)}) OR EXISTS (
    SELECT 1 FROM address_book WHERE email = ${email} AND ${isLive(first)} AND coalesce(user_id, '') <> ${userId})`);
  if (taken.length > 0) throw addressTaken();
}

/** Claims a new address for an existing account. Throws 400 if taken. The claim names the account and migrates with it. */
export async function claimNewAddress(
  first: BaseCtx,
  { email, home, userId }: AccountAddress,
): Promise<void> {
  const claimed = await first.db.returning(sql`INSERT INTO address_book (email, home, state, at, user_id)
    SELECT ${email}, ${home}, 'claimed', ${first.now.toISOString()}, ${userId} WHERE ${isFreeHere(first, email)}
    ON CONFLICT (email) DO UPDATE SET state = 'claimed', at = excluded.at, home = excluded.home
    WHERE (state = 'claimed' AND home = excluded.home) OR user_id = ${userId} OR NOT ${isLive(first)} RETURNING email`);
  if (claimed.length === 0) throw addressTaken();
}

function settleStatements(first: BaseCtx, { email, home, userId }: AccountAddress) {
  const now = first.now.toISOString();
  return [
    first.db.run(sql`UPDATE address_book SET state = 'settled', at = ${now}, user_id = ${userId}, link = NULL
      WHERE email = ${email} AND home = ${home}`),
    first.db.run(sql`UPDATE address_book SET state = 'former', at = ${addMs(first.now, FORMER_DAYS * 86_400_000)}
      WHERE user_id = ${userId} AND email <> ${email} AND state = 'settled'`),
  ] as const;
}

/** Turns an account's claim into its address, and its previous address into a former one. */
export async function confirmAddress(first: BaseCtx, address: AccountAddress): Promise<void> {
  await first.db.batch(settleStatements(first, address));
}

type MigratingAccount = { id: string; number: number; email: string };

/** For an account that has moved to the first shard, whose accounts need no entries. */
export const removeAddressesStatements = (first: BaseCtx, { id, email }: MigratingAccount) => [
  // The claim of an interrupted registration names no account.
  first.db.run(sql`DELETE FROM address_book WHERE user_id = ${id} OR email = ${email}`),
];

/** For an account that has moved from the first shard to shard `to`. */
export function addAddressesStatements(first: BaseCtx, { id, number, email }: MigratingAccount, to: number) {
  const now = first.now.toISOString();
  return [
    // The first shard knows addresses that the account may restore only by their links.
    first.db.run(sql`INSERT INTO address_book (email, home, state, at, user_id)
      SELECT email_links.email, ${to}, 'former', expires_at, ${id} FROM email_links
      WHERE owner = ${number} AND purpose = 'undo' AND expires_at > ${now} ON CONFLICT (email) DO NOTHING`),
    first.db.run(sql`INSERT INTO address_book (email, home, state, at, user_id)
      VALUES (${email}, ${to}, 'settled', ${now}, ${id})
      ON CONFLICT (email) DO UPDATE SET home = excluded.home, state = 'settled', at = excluded.at, user_id = excluded.user_id`),
  ];
}

export type AddressEntry = { email: string; home: number; at: string };

export async function findAddressEntry(
  first: BaseCtx,
  { id, email }: MigratingAccount,
): Promise<AddressEntry | undefined> {
  const [entry] = await first.db.all<AddressEntry>(sql`SELECT email, home, at FROM address_book
    WHERE email = ${email} AND coalesce(user_id, ${id}) = ${id} AND state <> 'former'`);
  return entry;
}

/** For a migration between shards other than the first. Returns false if the entry has changed since it was read. */
export async function moveAddresses(
  first: BaseCtx,
  entry: AddressEntry,
  { id, to }: { id: string; to: number },
): Promise<boolean> {
  const { email, home, at } = entry;
  const isUnchanged = sql`EXISTS (SELECT 1 FROM address_book
    WHERE email = ${email} AND home = ${home} AND at = ${at} AND state <> 'former')`;
  const moved = first.db.batch([
    assertInBatch(first, isUnchanged, "move-overtaken"),
    first.db.run(sql`UPDATE address_book SET home = ${to} WHERE user_id = ${id}`),
    first.db.run(sql`UPDATE address_book SET home = ${to} WHERE email = ${email}`),
    ...settleStatements(first, { email, home: to, userId: id }),
  ]);
  return (await catchRefusal(moved, "move-overtaken")).refusal === undefined;
}

export async function deleteAddresses(first: BaseCtx, userId: string): Promise<void> {
  await first.db.run(sql`DELETE FROM address_book WHERE user_id = ${userId}`);
}

/** Settles interrupted claims and deletes expired ones. `open` opens another shard. */
export async function confirmOrDeleteClaims(first: BaseCtx, open: (home: number) => BaseCtx): Promise<void> {
  const now = first.now.toISOString();
  await first.db.run(sql`DELETE FROM address_book WHERE email IN (
    SELECT email FROM address_book WHERE state = 'former' AND at <= ${now} LIMIT 1000)`);
  const claims = await first.db
    .select()
    .from(address_book)
    .where(sql`state = 'claimed' AND at < ${addMs(first.now, -CLAIMED_MS)}`)
    .limit(CLAIMS_PER_RUN);
  for (const { email, home, at } of claims) {
    const [user] = await open(home).db.all<{ id: string }>(sql`SELECT id FROM users WHERE email = ${email}`);
    if (user) await confirmAddress(first, { email, home, userId: user.id });
    else
      await first.db.run(
        sql`DELETE FROM address_book WHERE email = ${email} AND state = 'claimed' AND at = ${at}`,
      );
  }
}

const SIZE_DAYS = 30;

export async function recordShardSize(
  first: BaseCtx,
  { number, users, bytes }: { number: number; users: number; bytes: number },
) {
  const dayBefore = (days: number) => addMs(first.now, -days * 86_400_000).slice(0, 10);
  await first.db.batch([
    first.db.run(sql`INSERT INTO homes (number, users, bytes, checked_at)
      VALUES (${number}, ${users}, ${bytes}, ${first.now.toISOString()})
      ON CONFLICT (number) DO UPDATE SET users = excluded.users, bytes = excluded.bytes, checked_at = excluded.checked_at`),
    first.db.run(sql`INSERT INTO home_sizes (number, day, bytes) VALUES (${number}, ${dayBefore(0)}, ${bytes})
      ON CONFLICT DO NOTHING`),
    first.db.run(sql`DELETE FROM home_sizes WHERE number = ${number} AND day < ${dayBefore(SIZE_DAYS)}`),
  ]);
}

export const listEarliestSizes = (first: BaseCtx) =>
  first.db.all<{ number: number; day: string; bytes: number }>(
    // SQLite takes the other columns from the row with the minimum.
    sql`SELECT number, min(day) AS day, bytes FROM home_sizes GROUP BY number`,
  );
