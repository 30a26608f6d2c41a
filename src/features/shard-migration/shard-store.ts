import { eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { v4 as uuid } from "uuid";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { assertInBatch, catchRefusal, sendBatch } from "../../platform/db/call.ts";
import { insertSelect } from "../../platform/db/columns.ts";
import { notFenced } from "../../platform/db/fence.ts";
import { moved_secrets, moves, users } from "../../platform/db/tables.ts";

// The two shards of a migration. Every change is one conditional transaction, so that concurrent commands, or one that was
// killed and repeated, make it only once.

export type MigrationRow = typeof moves.$inferSelect;
type User = typeof users.$inferSelect;

/** `deleted_at` of an account that is still being copied: in the future, so that it is not erased. */
const NEVER = "9999-12-31T00:00:00.000Z";
const RETENTION_MS = 86_400_000;
const OVERTAKEN = "move-overtaken";

const iso = ({ now }: BaseCtx) => now.toISOString();
const timeIn = ({ now }: BaseCtx, ms: number) => new Date(now.getTime() + ms).toISOString();

export async function findUser(shard: BaseCtx, userId: string): Promise<User | undefined> {
  const [user] = await shard.db.select().from(users).where(eq(users.id, userId));
  return user;
}

export async function findUserByEmail(shard: BaseCtx, email: string): Promise<User | undefined> {
  const [user] = await shard.db
    .select()
    .from(users)
    .where(sql`users.email = ${email} AND deleted_at IS NULL`);
  return user;
}

export const listMigrations = (shard: BaseCtx, userId: string): Promise<MigrationRow[]> =>
  shard.db
    .select()
    .from(moves)
    .where(sql`user_id = ${userId} AND state IN ('leaving', 'arriving', 'arrived')`);

/** Opens the fence for the statements of the migration itself. */
function behindFence(shard: BaseCtx, owner: number, statements: BatchItem[]) {
  const fence = (isFenced: number) =>
    shard.db.run(sql`UPDATE moves SET is_fenced = ${isFenced} WHERE moves.owner = ${owner}`);
  return [fence(0), ...statements, fence(1)];
}

const assertMigration = (shard: BaseCtx, owner: number, condition: SQL) =>
  assertInBatch(
    shard,
    sql`EXISTS (SELECT 1 FROM moves WHERE moves.owner = ${owner} AND ${condition})`,
    OVERTAKEN,
  );

/** False if another command was faster. */
async function sendUnlessOvertaken(shard: BaseCtx, statements: BatchItem[]): Promise<boolean> {
  return (await catchRefusal(sendBatch(shard, statements), OVERTAKEN)).refusal === undefined;
}

/** Fences the account in its old shard. Returns the target shard as first chosen; undefined if the account is gone. */
export async function fenceAccount(from: BaseCtx, user: User, to: number): Promise<number | undefined> {
  const [row] = await from.db.returning<{ home: number }>(sql`
    INSERT INTO moves (owner, user_id, state, home, progress, is_fenced, at)
    SELECT number, id, 'leaving', ${to}, ${uuid()}, 1, ${iso(from)} FROM users
    WHERE number = ${user.number} AND id = ${user.id} AND deleted_at IS NULL
    ON CONFLICT (owner) DO UPDATE SET progress = excluded.progress, at = excluded.at
    WHERE state = 'leaving' RETURNING home`);
  return row?.home;
}

/** Removes the fence from an account that stays, unless a command has continued since the row was read. */
export async function unfenceAccount(from: BaseCtx, { owner, progress }: MigrationRow): Promise<void> {
  await from.db.batch([
    from.db.run(
      sql`DELETE FROM moves WHERE moves.owner = ${owner} AND state = 'leaving' AND progress = ${progress}`,
    ),
    from.db.run(
      sql`UPDATE users SET links_after = '' WHERE number = ${owner} AND ${notFenced("users.number")}`,
    ),
  ]);
}

const ofOwner = (table: string, owner: number) => sql`FROM ${sql.raw(table)} WHERE owner = ${owner}`;
const tokensOf = (owner: number) =>
  sql`FROM refresh_tokens WHERE session_id IN (SELECT id ${ofOwner("sessions", owner)})`;

const arrivingId = (userId: string) => `arriving:${userId}`;

/** Starts a copy: a fenced account that cannot be used yet. */
export async function startCopy(to: BaseCtx, user: User, from: number): Promise<void> {
  const id = arrivingId(user.id);
  const values = { ...user, id, email: id, deleted_at: NEVER, number: null };
  const fields = Object.fromEntries(
    Object.entries(getTableColumns(users)).map(([name, column]) => [
      name,
      sql`${sql.param(values[name as keyof User], column)}`,
    ]),
  ) as Parameters<typeof insertSelect<typeof users>>[1];
  const isNew = sql`FROM (SELECT 1) WHERE NOT EXISTS (SELECT 1 FROM users WHERE users.id = ${id})`;
  await sendBatch(to, [
    to.db.run(insertSelect(users, fields, isNew)),
    to.db.run(sql`INSERT OR IGNORE INTO moves (owner, user_id, state, home, is_fenced, at)
      SELECT users.number, ${user.id}, 'arriving', ${from}, 1, ${iso(to)} FROM users WHERE users.id = ${id}`),
  ]);
}

/** Writes the rows of a step, and the progress. False if another command was faster. */
export const writeCopyStep = (
  to: BaseCtx,
  { owner, progress }: Pick<MigrationRow, "owner" | "progress">,
  { write, next }: { write: BatchItem[]; next: string },
): Promise<boolean> =>
  sendUnlessOvertaken(to, [
    assertMigration(to, owner, sql`state = 'arriving' AND progress IS ${progress}`),
    ...behindFence(to, owner, write),
    to.db.run(sql`UPDATE moves SET progress = ${next}, at = ${iso(to)} WHERE moves.owner = ${owner}`),
  ]);

/**
 * Turns the copy into the account, whose links are written again, together with the statements `more`. False if another
 * command was faster.
 */
export const activateCopy = (
  to: BaseCtx,
  { owner, progress }: Pick<MigrationRow, "owner" | "progress">,
  { number: _, ...user }: User,
  more: BatchItem[],
): Promise<boolean> =>
  sendUnlessOvertaken(to, [
    assertMigration(to, owner, sql`state = 'arriving' AND progress IS ${progress}`),
    to.db.run(sql`UPDATE moves SET state = 'arrived', is_fenced = 0, progress = NULL, at = ${iso(to)}
      WHERE moves.owner = ${owner}`),
    to.db
      .update(users)
      .set({ ...user, links_after: "" })
      .where(eq(users.number, owner)),
    ...more,
  ]);

/** Abandons a copy, which is then erased like a deleted account. False if a command has continued since `at`. */
export async function dropCopy(
  to: BaseCtx,
  { owner, at }: Pick<MigrationRow, "owner" | "at">,
): Promise<boolean> {
  return sendUnlessOvertaken(to, [
    assertMigration(to, owner, sql`state = 'arriving' AND at = ${at}`),
    to.db.run(sql`UPDATE moves SET state = 'dropped', is_fenced = 0 WHERE moves.owner = ${owner}`),
    to.db.run(sql`DELETE ${tokensOf(owner)}`),
    to.db.run(sql`DELETE ${ofOwner("sessions", owner)}`),
    to.db.run(sql`UPDATE users SET id = 'dropped:' || number || ':' || id, email = 'dropped:' || number,
      deleted_at = ${iso(to)} WHERE number = ${owner}`),
  ]);
}

/** Tables of credentials, with their expiry. Like sessions and reminders, the rows remain only in the new shard. */
const SECRETS = { api_keys: "NULL", calendar_tokens: "NULL", email_links: "expires_at" };

/** Marks the account as migrated and redirects its credentials. Does nothing if that has been done. */
export async function markMigrated(
  from: BaseCtx,
  owner: number,
  there: { home: number; number: number },
  more: BatchItem[],
): Promise<void> {
  const secrets = [
    ...Object.entries(SECRETS).map(
      ([table, until]) => sql`SELECT hash, ${owner}, ${sql.raw(until)} ${ofOwner(table, owner)}`,
    ),
    sql`SELECT hash, ${owner}, expires_at ${tokensOf(owner)}`,
  ];
  const left = sql`UPDATE users SET id = 'moved:' || number || ':' || id, email = 'moved:' || number,
    deleted_at = ${timeIn(from, RETENTION_MS)} WHERE number = ${owner}`;
  await sendUnlessOvertaken(from, [
    assertMigration(from, owner, sql`state = 'leaving'`),
    ...behindFence(from, owner, [
      ...secrets.map((rows) =>
        // If the account has been in this shard twice, its later number counts.
        from.db.run(sql`INSERT OR REPLACE INTO ${moved_secrets} (hash, owner, expires_at) ${rows}`),
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

export async function deleteArrival(to: BaseCtx, owner: number): Promise<void> {
  await to.db.run(sql`DELETE FROM moves WHERE moves.owner = ${owner} AND state = 'arrived'`);
}

/** Rows that remain in a shard: of abandoned copies, and of the account's earlier time in this shard. */
export const listLeftovers = (shard: BaseCtx, userId: string): Promise<User[]> =>
  shard.db
    .select(getTableColumns(users))
    .from(users)
    .innerJoin(moves, eq(moves.owner, users.number))
    .where(sql`moves.user_id = ${userId} AND moves.state IN ('left', 'dropped')`);

export async function openFence(shard: BaseCtx, owner: number): Promise<void> {
  await shard.db.run(
    sql`UPDATE moves SET is_fenced = 0 WHERE moves.owner = ${owner} AND state IN ('left', 'dropped')`,
  );
}
