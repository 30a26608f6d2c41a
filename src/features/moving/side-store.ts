import { eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { v4 as uuid } from "uuid";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { assertInBatch, send, unless } from "../../platform/db/call.ts";
import { insertSelect } from "../../platform/db/columns.ts";
import { moved_secrets, moves, users } from "../../platform/db/tables.ts";

// Every change is one transaction and depends on what is there, so that several commands at once, or one that was
// killed and repeated, do each of them once.

export type MoveRow = typeof moves.$inferSelect;
type User = typeof users.$inferSelect;

/** An account that nobody can use yet is kept from the erasure of deleted ones by this time. */
const NEVER = "9999-12-31T00:00:00.000Z";
const RETENTION_MS = 86_400_000;
const OVERTAKEN = "move-overtaken";

const iso = ({ now }: BaseCtx) => now.toISOString();
const inMs = ({ now }: BaseCtx, ms: number) => new Date(now.getTime() + ms).toISOString();

export async function findUser(home: BaseCtx, userId: string): Promise<User | undefined> {
  const [user] = await home.db.select().from(users).where(eq(users.id, userId));
  return user;
}

export async function findUserOf(home: BaseCtx, email: string): Promise<User | undefined> {
  const [user] = await home.db.select().from(users).where(sql`users.email = ${email} AND deleted_at IS NULL`);
  return user;
}

export const listMoves = (home: BaseCtx, userId: string): Promise<MoveRow[]> =>
  home.db
    .select()
    .from(moves)
    .where(sql`user_id = ${userId} AND state IN ('leaving', 'arriving', 'arrived')`);

/** The statements of the move itself, which its own fence lets pass. */
function behindFence(home: BaseCtx, owner: number, statements: BatchItem<"sqlite">[]) {
  const fence = (is: number) =>
    home.db.run(sql`UPDATE moves SET is_fenced = ${is} WHERE moves.owner = ${owner}`);
  return [fence(0), ...statements, fence(1)];
}

const mustBe = (home: BaseCtx, owner: number, condition: SQL) =>
  assertInBatch(
    home,
    sql`EXISTS (SELECT 1 FROM moves WHERE moves.owner = ${owner} AND ${condition})`,
    OVERTAKEN,
  );

async function sent(home: BaseCtx, statements: BatchItem<"sqlite">[]): Promise<boolean> {
  return (await unless(send(home, statements), OVERTAKEN)).refusal === undefined;
}

/** From now on nothing of the account may change here. Returns the new home, as first chosen; undefined if gone. */
export async function startLeaving(from: BaseCtx, user: User, to: number): Promise<number | undefined> {
  const [row] = await from.db.all<{ home: number }>(sql`
    INSERT INTO moves (owner, user_id, state, home, progress, is_fenced, at)
    SELECT number, id, 'leaving', ${to}, ${uuid()}, 1, ${iso(from)} FROM users
    WHERE number = ${user.number} AND id = ${user.id} AND deleted_at IS NULL
    ON CONFLICT (owner) DO UPDATE SET progress = excluded.progress, at = excluded.at
    WHERE state = 'leaving' RETURNING home`);
  return row?.home;
}

/** Lets the account change again here, if no command has gone on since the row was read. */
export async function stayHere(from: BaseCtx, { owner, progress }: MoveRow): Promise<void> {
  await from.db.run(
    sql`DELETE FROM moves WHERE moves.owner = ${owner} AND state = 'leaving' AND progress = ${progress}`,
  );
}

const ofOwner = (table: string, owner: number) => sql`FROM ${sql.raw(table)} WHERE owner = ${owner}`;
const tokensOf = (owner: number) =>
  sql`FROM refresh_tokens WHERE session_id IN (SELECT id ${ofOwner("sessions", owner)})`;

const arrivingId = (userId: string) => `arriving:${userId}`;

/** Begins a copy: an account that nobody can use, behind a fence. */
export async function startArriving(to: BaseCtx, user: User, from: number): Promise<void> {
  const id = arrivingId(user.id);
  const values = { ...user, id, email: id, deleted_at: NEVER, number: null };
  const fields = Object.fromEntries(
    Object.entries(getTableColumns(users)).map(([name, column]) => [
      name,
      sql`${sql.param(values[name as keyof User], column)}`,
    ]),
  ) as Parameters<typeof insertSelect<typeof users>>[1];
  const isNew = sql`FROM (SELECT 1) WHERE NOT EXISTS (SELECT 1 FROM users WHERE users.id = ${id})`;
  await send(to, [
    to.db.run(insertSelect(users, fields, isNew)),
    to.db.run(sql`INSERT OR IGNORE INTO moves (owner, user_id, state, home, is_fenced, at)
      SELECT users.number, ${user.id}, 'arriving', ${from}, 1, ${iso(to)} FROM users WHERE users.id = ${id}`),
  ]);
}

/** Writes what a step has copied, and how far the copy is then. False when another command was faster. */
export const writeCopied = (
  to: BaseCtx,
  { owner, progress }: Pick<MoveRow, "owner" | "progress">,
  { write, next }: { write: BatchItem<"sqlite">[]; next: string },
): Promise<boolean> =>
  sent(to, [
    mustBe(to, owner, sql`state = 'arriving' AND progress IS ${progress}`),
    ...behindFence(to, owner, write),
    to.db.run(sql`UPDATE moves SET progress = ${next}, at = ${iso(to)} WHERE moves.owner = ${owner}`),
  ]);

/** The copy becomes the account. `more` is what else becomes true in this home. False when another command was faster. */
export const activateCopy = (
  to: BaseCtx,
  { owner, progress }: Pick<MoveRow, "owner" | "progress">,
  { number: _, ...user }: User,
  more: BatchItem<"sqlite">[],
): Promise<boolean> =>
  sent(to, [
    mustBe(to, owner, sql`state = 'arriving' AND progress IS ${progress}`),
    to.db.run(sql`UPDATE moves SET state = 'arrived', is_fenced = 0, progress = NULL, at = ${iso(to)}
      WHERE moves.owner = ${owner}`),
    to.db.update(users).set(user).where(eq(users.number, owner)),
    ...more,
  ]);

/** Gives up a copy, which is then erased like a deleted account. Nothing happens when a command has gone on since `at`. */
export async function dropCopy(to: BaseCtx, { owner, at }: Pick<MoveRow, "owner" | "at">): Promise<boolean> {
  return sent(to, [
    mustBe(to, owner, sql`state = 'arriving' AND at = ${at}`),
    to.db.run(sql`UPDATE moves SET state = 'dropped', is_fenced = 0 WHERE moves.owner = ${owner}`),
    to.db.run(sql`DELETE ${tokensOf(owner)}`),
    to.db.run(sql`DELETE ${ofOwner("sessions", owner)}`),
    to.db.run(sql`UPDATE users SET id = 'dropped:' || number || ':' || id, email = 'dropped:' || number,
      deleted_at = ${iso(to)} WHERE number = ${owner}`),
  ]);
}

/** What lets somebody in, each with the column that says until when. Like sessions and reminders, it stays in the new home alone. */
const SECRETS = { api_keys: "NULL", calendar_tokens: "NULL", email_links: "expires_at" };

/** The account is in another home, and its credentials are led on. Nothing happens if that was done before. */
export async function releaseAccount(
  from: BaseCtx,
  owner: number,
  there: { home: number; number: number },
  more: BatchItem<"sqlite">[],
): Promise<void> {
  const kept = [
    ...Object.entries(SECRETS).map(
      ([table, until]) => sql`SELECT hash, ${owner}, ${sql.raw(until)} ${ofOwner(table, owner)}`,
    ),
    sql`SELECT hash, ${owner}, expires_at ${tokensOf(owner)}`,
  ];
  const left = sql`UPDATE users SET id = 'moved:' || number || ':' || id, email = 'moved:' || number,
    deleted_at = ${inMs(from, RETENTION_MS)} WHERE number = ${owner}`;
  await sent(from, [
    mustBe(from, owner, sql`state = 'leaving'`),
    ...behindFence(from, owner, [
      ...kept.map((secrets) =>
        // Of an account that was here twice, the later number counts.
        from.db.run(sql`INSERT OR REPLACE INTO ${moved_secrets} (hash, owner, expires_at) ${secrets}`),
      ),
      ...more,
      from.db.run(sql`DELETE ${tokensOf(owner)}`),
      ...["sessions", "push_subscriptions", "reminders", ...Object.keys(SECRETS)].map((table) =>
        from.db.run(sql`DELETE ${ofOwner(table, owner)}`),
      ),
      from.db.run(left),
    ]),
    from.db.run(sql`UPDATE moves SET state = 'left', home = ${there.home}, number = ${there.number}, progress = NULL,
      at = ${iso(from)} WHERE moves.owner = ${owner}`),
  ]);
}

export async function forgetArrival(to: BaseCtx, owner: number): Promise<void> {
  await to.db.run(sql`DELETE FROM moves WHERE moves.owner = ${owner} AND state = 'arrived'`);
}

/** Accounts of which rows are left in a home: copies that were given up, and those of an account that was here before. */
export const listLeftovers = (home: BaseCtx, userId: string): Promise<User[]> =>
  home.db
    .select(getTableColumns(users))
    .from(users)
    .innerJoin(moves, eq(moves.owner, users.number))
    .where(sql`moves.user_id = ${userId} AND moves.state IN ('left', 'dropped')`);

export async function openFence(home: BaseCtx, owner: number): Promise<void> {
  await home.db.run(
    sql`UPDATE moves SET is_fenced = 0 WHERE moves.owner = ${owner} AND state IN ('left', 'dropped')`,
  );
}
