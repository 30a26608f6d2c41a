import { and, desc, eq, gt, isNull, lt, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { BaseCtx, Ctx, CtxUser } from "../core/ctx.ts";
import { badRequest, forbidden, notFound, unauthorized } from "../core/errors.ts";
import { untilWritten } from "../core/retry.ts";
import { hashSecret, newSecret } from "../core/secret.ts";
import { unless } from "../db/call.ts";
import { refresh_tokens, sessions, type subscriptions, users } from "../db/tables.ts";
import { ctxUserColumns, userColumns } from "../db/user-columns.ts";
import { moveToZoneStatements } from "../memories/wake-store.ts";
import { hashPassword, isOutdated, verifyPassword } from "./password.ts";
import { successorOf } from "./refresh-token.ts";
import type { TokenAnswer, User, UserUpdateRequest } from "./schema.ts";
import {
  ACCESS_SECONDS,
  type AccessClaims,
  type SigningKeys,
  signAccessToken,
  type WebClaims,
} from "./token.ts";

const SESSION_DAYS = 30;
/** A lost answer must not sign a person out: for this long a rotated token yields the same successor again. */
const GRACE_SECONDS = 30;
const MAX_USER_AGENT = 300;

const after = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();
const sessionEnd = (now: Date) => after(now, SESSION_DAYS * 86_400);

type NewSession = { userId: string; userAgent: string | undefined };

async function tokenAnswer(
  keys: SigningKeys,
  session: AccessClaims,
  refreshToken: string,
  now: Date,
): Promise<TokenAnswer> {
  return {
    access_token: await signAccessToken(keys, session, now),
    refresh_token: refreshToken,
    token_type: "bearer",
    expires_in: ACCESS_SECONDS,
  };
}

/** The statements that open a session, if the user exists when they run. */
async function sessionStatements(ctx: BaseCtx, { userId, userAgent }: NewSession) {
  const sessionId = uuid();
  const refreshToken = newSecret();
  const now = ctx.now.toISOString();
  const end = sessionEnd(ctx.now);
  const agent = userAgent?.slice(0, MAX_USER_AGENT).toWellFormed() ?? null;
  const statements = [
    ctx.db.run(sql`INSERT INTO sessions (id, owner, user_agent, created_at, last_used_at, expires_at)
      SELECT ${sessionId}, number, ${agent}, ${now}, ${now}, ${end} FROM users WHERE id = ${userId}`),
    ctx.db.run(sql`INSERT INTO refresh_tokens (hash, session_id, expires_at)
      SELECT ${await hashSecret(refreshToken)}, id, expires_at FROM sessions WHERE id = ${sessionId}`),
  ] as const;
  return { sessionId, refreshToken, statements };
}

export type Registration = {
  email: string;
  password: string;
  name?: string | undefined;
  timezone?: string | undefined;
  userAgent: string | undefined;
  planTier: (typeof subscriptions.$inferInsert)["plan_tier"];
};

/**
 * Creates a user, the subscription and a session in one transaction; the first user of a deployment becomes its admin.
 * Throws 400 when the e-mail is taken.
 */
export async function register(ctx: BaseCtx, keys: SigningKeys, input: Registration): Promise<TokenAnswer> {
  const userId = uuid();
  const now = ctx.now.toISOString();
  const hash = await hashPassword(input.password);
  const session = await sessionStatements(ctx, { userId, userAgent: input.userAgent });
  const stale = JSON.stringify({ commitment: 14, blocker: 7 });
  const [[inserted]] = await ctx.db.batch([
    ctx.db.all<{
      number: number;
    }>(sql`INSERT INTO users (id, email, password_hash, name, role, timezone, stale_after_days, created_at)
      SELECT ${userId}, ${input.email}, ${hash}, ${input.name ?? null},
        CASE WHEN EXISTS (SELECT 1 FROM users) THEN 'member' ELSE 'admin' END,
        ${input.timezone ?? "UTC"}, ${stale}, ${now}
      WHERE true ON CONFLICT (email) DO NOTHING RETURNING number`),
    ctx.db.run(sql`INSERT INTO subscriptions (id, owner, plan_tier, status, created_at)
      SELECT ${uuid()}, number, ${input.planTier}, 'active', ${now} FROM users WHERE id = ${userId}`),
    ...session.statements,
  ]);
  if (!inserted) throw badRequest("This e-mail address is already registered: sign in instead");
  const claims = { userId, sessionId: session.sessionId, owner: inserted.number };
  return tokenAnswer(keys, claims, session.refreshToken, ctx.now);
}

export type Login = { email: string; password: string; userAgent: string | undefined };

/**
 * Checks an e-mail and password; returns the user and the account's epoch. Throws the same 401, after the same time, for
 * an unknown e-mail and for a wrong password.
 */
export async function identify(
  ctx: BaseCtx,
  { email, password }: Pick<Login, "email" | "password">,
): Promise<WebClaims & { owner: number }> {
  const [user] = await ctx.db
    .select({
      id: users.id,
      owner: users.number,
      password_hash: users.password_hash,
      epoch: users.sign_in_epoch,
    })
    .from(users)
    .where(eq(users.email, email));
  const matches = await verifyPassword(password, user?.password_hash);
  if (!user || !matches) throw unauthorized("E-mail or password is wrong");
  if (isOutdated(user.password_hash)) {
    const password_hash = await hashPassword(password);
    await ctx.db.update(users).set({ password_hash }).where(eq(users.id, user.id));
  }
  return { userId: user.id, epoch: user.epoch, owner: user.owner };
}

/**
 * Signs in with a new session. Throws the same 401, after the same time, for an unknown e-mail and a wrong password.
 */
export async function login(ctx: BaseCtx, keys: SigningKeys, input: Login): Promise<TokenAnswer> {
  const { userId, owner } = await identify(ctx, input);
  const session = await sessionStatements(ctx, { userId, userAgent: input.userAgent });
  await ctx.db.batch(session.statements);
  return tokenAnswer(keys, { userId, sessionId: session.sessionId, owner }, session.refreshToken, ctx.now);
}

/** The session of a presented token, and the state of that token. */
const presentedToken = (ctx: BaseCtx, hash: string) =>
  ctx.db.all<AccessClaims & { rotatedAt: string | null }>(sql`
    SELECT s.id AS sessionId, u.id AS userId, u.number AS owner, t.rotated_at AS rotatedAt
    FROM refresh_tokens AS t JOIN sessions AS s ON s.id = t.session_id JOIN users AS u ON u.number = s.owner
    WHERE t.hash = ${hash} AND s.revoked_at IS NULL AND t.expires_at > ${ctx.now.toISOString()}`);

/** Finds the key from which the stored successor was derived: the current one, or the one before a rotation. */
async function storedSuccessor(ctx: BaseCtx, keys: SigningKeys, token: string): Promise<string> {
  for (const key of keys) {
    const successor = await successorOf(token, key);
    const hash = await hashSecret(successor);
    const [row] = await ctx.db.select().from(refresh_tokens).where(eq(refresh_tokens.hash, hash));
    if (row) return successor;
  }
  throw unauthorized();
}

/**
 * Exchanges a refresh token for a new pair. A token can be used once; for 30 seconds it yields the same successor
 * again, after that its reuse is treated as theft and revokes the session (RFC 9700 section 4.14). Throws 401.
 */
export async function refresh(ctx: BaseCtx, keys: SigningKeys, token: string): Promise<TokenAnswer> {
  const now = ctx.now.toISOString();
  const hash = await hashSecret(token);
  const successor = await successorOf(token, keys[0]);
  const alive = sql`SELECT id FROM sessions WHERE id = session_id AND revoked_at IS NULL`;
  const justRotated = sql`hash = ${hash} AND rotated_at = ${now}`;
  const [rotated, , , [presented]] = await ctx.db.batch([
    ctx.db.all(sql`UPDATE refresh_tokens SET rotated_at = ${now}
      WHERE hash = ${hash} AND rotated_at IS NULL AND expires_at > ${now} AND EXISTS (${alive}) RETURNING hash`),
    // A concurrent request derives the same successor.
    ctx.db.run(sql`INSERT OR IGNORE INTO refresh_tokens (hash, session_id, expires_at)
      SELECT ${await hashSecret(successor)}, session_id, ${sessionEnd(ctx.now)}
      FROM refresh_tokens WHERE ${justRotated}`),
    ctx.db.run(sql`UPDATE sessions SET last_used_at = ${now}, expires_at = ${sessionEnd(ctx.now)}
      WHERE id = (SELECT session_id FROM refresh_tokens WHERE ${justRotated})`),
    presentedToken(ctx, hash),
  ]);
  if (!presented) throw unauthorized();
  if (rotated.length === 1) return tokenAnswer(keys, presented, successor, ctx.now);
  if (presented.rotatedAt && presented.rotatedAt > after(ctx.now, -GRACE_SECONDS)) {
    return tokenAnswer(keys, presented, await storedSuccessor(ctx, keys, token), ctx.now);
  }
  await ctx.db.update(sessions).set({ revoked_at: now }).where(eq(sessions.id, presented.sessionId));
  throw unauthorized();
}

/** Ends the session that a refresh token belongs to. An unknown token is ignored. */
export async function logout(ctx: BaseCtx, token: string): Promise<void> {
  const hash = await hashSecret(token);
  await ctx.db.run(sql`UPDATE sessions SET revoked_at = ${ctx.now.toISOString()}
    WHERE revoked_at IS NULL AND id = (SELECT session_id FROM refresh_tokens WHERE hash = ${hash})`);
}

/** The statements that end every session, and revoke the calendar feed, whose URL anyone who was signed in may know. */
const revokeAll = (ctx: Ctx) =>
  [
    ctx.db
      .update(sessions)
      .set({ revoked_at: ctx.now.toISOString() })
      .where(and(eq(sessions.owner, ctx.owner), isNull(sessions.revoked_at))),
    ctx.db.run(sql`DELETE FROM calendar_tokens WHERE owner = ${ctx.owner}`),
  ] as const;

/** Starts a new epoch, which invalidates all existing grants of MCP clients and sign-in cookies. */
const nextEpoch = sql`sign_in_epoch + 1`;

/** Ends every session, including this one, every connection and the calendar feed of the caller. */
export async function logoutAll(ctx: Ctx): Promise<void> {
  await ctx.db.batch([
    ctx.db.update(users).set({ sign_in_epoch: nextEpoch }).where(eq(users.number, ctx.owner)),
    ...revokeAll(ctx),
  ]);
}

/** Throws 403 when this is not the caller's password. */
export async function checkPassword(ctx: Ctx, password: string): Promise<void> {
  const [user] = await ctx.db
    .select({ password_hash: users.password_hash })
    .from(users)
    .where(eq(users.number, ctx.owner));
  if (!(await verifyPassword(password, user?.password_hash)))
    throw forbidden("The current password is wrong");
}

/** Changes the password and ends every session and connection. Throws 403 when the current one is wrong. */
export async function changePassword(ctx: Ctx, current: string, next: string): Promise<void> {
  await checkPassword(ctx, current);
  const password_hash = await hashPassword(next);
  await ctx.db.batch([
    ctx.db.update(users).set({ password_hash, sign_in_epoch: nextEpoch }).where(eq(users.number, ctx.owner)),
    ...revokeAll(ctx),
  ]);
}

/** The user, or undefined when the account no longer exists or is in a later epoch. */
export async function findUser(ctx: BaseCtx, { userId, epoch }: WebClaims): Promise<CtxUser | undefined> {
  const [user] = await ctx.db
    .select(ctxUserColumns)
    .from(users)
    .where(and(eq(users.id, userId), eq(users.sign_in_epoch, epoch), isNull(users.deleted_at)));
  return user;
}

/** The caller's account as currently stored. */
export async function getMe(ctx: Ctx): Promise<User> {
  const { number: _, ...user } = await ctx.user();
  return user;
}

/** Changes the given fields of the caller; the others stay. Sleeping records follow a new time zone. */
export async function updateMe(ctx: Ctx, input: UserUpdateRequest): Promise<User> {
  const { stale_after_days: days, ...fields } = input;
  const update = ctx.db
    .update(users)
    .set({
      number: ctx.owner,
      ...fields,
      ...(days && { stale_after_days: sql`json_patch(stale_after_days, ${JSON.stringify(days)})` }),
    })
    .where(eq(users.number, ctx.owner))
    .returning(userColumns);
  const [user] = await untilWritten("account", async () => {
    const moved = input.timezone ? await moveToZoneStatements(ctx, input.timezone) : [];
    const { answer } = await unless(ctx.db.batch([update, ...moved]), "stale");
    return answer?.[0];
  });
  if (!user) throw notFound();
  return user;
}

/** The caller's active sessions, last used first. */
export async function listSessions(ctx: Ctx, page: { limit: number; offset: number }) {
  const mine = and(
    eq(sessions.owner, ctx.owner),
    isNull(sessions.revoked_at),
    gt(sessions.expires_at, ctx.now.toISOString()),
  );
  const [rows, total] = await ctx.db.batch([
    ctx.db
      .select({
        id: sessions.id,
        user_agent: sessions.user_agent,
        created_at: sessions.created_at,
        last_used_at: sessions.last_used_at,
        expires_at: sessions.expires_at,
      })
      .from(sessions)
      .where(mine)
      .orderBy(desc(sessions.last_used_at), sessions.id)
      .limit(page.limit)
      .offset(page.offset),
    ctx.db.select({ count: sql<number>`count(*)` }).from(sessions).where(mine),
  ]);
  const items = rows.map((row) => ({ ...row, current: row.id === ctx.sessionId }));
  return { items, total: total[0]?.count ?? 0 };
}

/** Ends one of the caller's sessions. Throws 404 when there is none with this id. */
export async function revokeSession(ctx: Ctx, sessionId: string): Promise<void> {
  const revoked = await ctx.db
    .update(sessions)
    .set({ revoked_at: ctx.now.toISOString() })
    .where(and(eq(sessions.id, sessionId), eq(sessions.owner, ctx.owner), isNull(sessions.revoked_at)))
    .returning({ id: sessions.id });
  if (revoked.length === 0) throw notFound();
}

/** Deletes expired and revoked sessions and old tokens. */
export async function purgeSessions(ctx: BaseCtx): Promise<void> {
  const now = ctx.now.toISOString();
  const ended = sql`SELECT id FROM sessions WHERE expires_at < ${now} LIMIT 1000`;
  await ctx.db.batch([
    ctx.db.delete(refresh_tokens).where(lt(refresh_tokens.expires_at, now)),
    ctx.db.delete(refresh_tokens).where(sql`session_id IN (${ended})`),
    ctx.db.delete(sessions).where(and(lt(sessions.expires_at, now), sql`id IN (${ended})`)),
  ]);
}
