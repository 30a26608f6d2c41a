import { and, desc, eq, gt, isNull, lt, type SQL, sql } from "drizzle-orm";
import { base64url } from "jose";
import { v7 as uuid } from "uuid";
import type { SessionKind, TokenAnswer } from "../../contract/auth.ts";
import { shardInSecret, shardPrefix } from "../../contract/shard.ts";
import { hmac } from "../../platform/core/bytes.ts";
import type { BaseCtx, Ctx, CtxUser, OwnerCtx } from "../../platform/core/ctx.ts";
import { notFound, unauthorized } from "../../platform/core/errors.ts";
import { hashSecret, newSecret, newSecretForShard } from "../../platform/core/secret.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { assertInBatch } from "../../platform/db/call.ts";
import { hasRowBefore } from "../../platform/db/delete-in-steps.ts";
import { notFenced } from "../../platform/db/fence.ts";
import { refresh_tokens, sessions, users } from "../../platform/db/tables.ts";
import { ctxUserColumns } from "../../platform/db/user-columns.ts";
import { programFromUserAgent } from "../../platform/http/client-program.ts";
import { eventStatement } from "../../platform/security-events/store.ts";
import { type CookieCredential, sessionExpiry } from "./session.ts";
import {
  ACCESS_SECONDS,
  type AccessClaims,
  type SigningKey,
  type SigningKeys,
  signAccessToken,
} from "./token.ts";

/** The successor of a refresh token. It is derived, so a client that lost the answer gets the same one again. */
const refreshTokenSuccessor = async (token: string, shard: number, key: SigningKey): Promise<string> =>
  `${shardInSecret(token) === shard ? shardPrefix(token) : `${shard}.`}${base64url.encode(await hmac(key.secret, `refresh-successor:${token}`))}`;

/** A lost answer must not sign a person out: for this long a rotated token yields the same successor again. */
const GRACE_MS = 30_000;
const MAX_USER_AGENT = 300;

export type NewSession = { id: string; shard: number; secret: string };

type OpenedSession = NewSession & { statements: BatchItem[] };

export async function openSession(
  ctx: BaseCtx,
  userId: string,
  { session: kind, userAgent }: { session: SessionKind; userAgent: string | undefined },
): Promise<OpenedSession> {
  const id = uuid();
  const secret = kind === "cookie" ? newSecret() : newSecretForShard(ctx.shard);
  const hash = await hashSecret(secret);
  const now = ctx.now.toISOString();
  const agent = userAgent?.slice(0, MAX_USER_AGENT).toWellFormed() ?? null;
  const cookie = kind === "cookie" ? hash : null;
  const session = ctx.db.run(sql`INSERT INTO sessions
    (id, owner, user_agent, created_at, last_used_at, expires_at, cookie_hash, client_name)
    SELECT ${id}, number, ${agent}, ${now}, ${now}, ${sessionExpiry(ctx.now)}, ${cookie}, ${ctx.program ?? null}
    FROM users WHERE id = ${userId}`);
  const token = ctx.db.run(sql`INSERT INTO refresh_tokens (hash, session_id, expires_at)
    SELECT ${hash}, id, expires_at FROM sessions WHERE id = ${id}`);
  return { id, shard: ctx.shard, secret, statements: cookie ? [session] : [session, token] };
}

export const issueTokens = async (
  keys: SigningKeys,
  claims: AccessClaims,
  refresh_token: string,
  now: Date,
): Promise<TokenAnswer> => ({
  access_token: await signAccessToken(keys, claims, now),
  refresh_token,
  token_type: "bearer",
  expires_in: ACCESS_SECONDS,
});

/** A user with the account's sign-in epoch. A new epoch invalidates the grants of MCP clients. */
export type CookieUser = CtxUser & { epoch: number };

const activeSessionsOf = (ctx: BaseCtx, owner: number) =>
  and(eq(sessions.owner, owner), isNull(sessions.revoked_at), gt(sessions.expires_at, ctx.now.toISOString()));

/** The user of a session cookie; undefined when the session has ended. */
export async function findCookieUser(
  ctx: BaseCtx,
  { owner, hash }: CookieCredential,
): Promise<CookieUser | undefined> {
  const isOpen = and(isNull(users.deleted_at), isNull(users.closed_at));
  const [user] = await ctx.db
    .select({ ...ctxUserColumns, epoch: users.sign_in_epoch })
    .from(sessions)
    .innerJoin(users, eq(users.number, sessions.owner))
    .where(and(eq(sessions.cookie_hash, hash), activeSessionsOf(ctx, owner), isOpen));
  return user;
}

/** Aborts a batch with 401 if the session was revoked: for slow operations and for changes that outlive the session. */
export function assertSignedIn(ctx: Ctx, sessionId: string | undefined) {
  const isActive = sql`id = ${sessionId ?? ""} AND owner = ${ctx.owner} AND revoked_at IS NULL`;
  return assertInBatch(ctx, sql`EXISTS (SELECT 1 FROM sessions WHERE ${isActive})`, "signed-out");
}

const tokenWithSession = (ctx: BaseCtx, hash: string) =>
  ctx.db.all<Omit<AccessClaims, "home"> & { rotatedAt: string | null }>(sql`
    SELECT s.id AS sessionId, u.id AS userId, u.number AS owner, t.rotated_at AS rotatedAt
    FROM refresh_tokens AS t JOIN sessions AS s ON s.id = t.session_id JOIN users AS u ON u.number = s.owner
    WHERE t.hash = ${hash} AND s.revoked_at IS NULL AND u.closed_at IS NULL
      AND t.expires_at > ${ctx.now.toISOString()}`);

async function storedSuccessor(ctx: BaseCtx, keys: SigningKeys, token: string): Promise<string> {
  const candidates = keys.flatMap((key) => [
    refreshTokenSuccessor(token, ctx.shard, key),
    // The token may have been exchanged right before its account was moved to this shard.
    refreshTokenSuccessor(token, shardInSecret(token), key),
  ]);
  for (const successor of await Promise.all(candidates)) {
    const hash = await hashSecret(successor);
    const [row] = await ctx.db.select().from(refresh_tokens).where(eq(refresh_tokens.hash, hash));
    if (row) return successor;
  }
  throw unauthorized();
}

/** A token works once; for 30 seconds it yields the same successor, later reuse ends the session (RFC 9700, 4.14). Throws 401. */
export async function refresh(ctx: BaseCtx, keys: SigningKeys, token: string): Promise<TokenAnswer> {
  const now = ctx.now.toISOString();
  const hash = await hashSecret(token);
  const successor = await refreshTokenSuccessor(token, ctx.shard, keys[0]);
  const isActive = sql`SELECT 1 FROM sessions AS s JOIN users AS u ON u.number = s.owner
    WHERE s.id = session_id AND s.revoked_at IS NULL AND u.closed_at IS NULL`;
  const justRotated = sql`hash = ${hash} AND rotated_at = ${now}`;
  const [rotated, , , [presented]] = await ctx.db.batch([
    ctx.db.returning(sql`UPDATE refresh_tokens SET rotated_at = ${now}
      WHERE hash = ${hash} AND rotated_at IS NULL AND expires_at > ${now} AND EXISTS (${isActive}) RETURNING hash`),
    // A concurrent request derives the same successor.
    ctx.db.run(sql`INSERT OR IGNORE INTO refresh_tokens (hash, session_id, expires_at)
      SELECT ${await hashSecret(successor)}, session_id, ${sessionExpiry(ctx.now)}
      FROM refresh_tokens WHERE ${justRotated}`),
    ctx.db.run(sql`UPDATE sessions SET last_used_at = ${now}, expires_at = ${sessionExpiry(ctx.now)}
      WHERE id = (SELECT session_id FROM refresh_tokens WHERE ${justRotated})`),
    tokenWithSession(ctx, hash),
  ]);
  if (!presented) throw unauthorized();
  const claims = { ...presented, home: ctx.shard };
  if (rotated.length === 1) return issueTokens(keys, claims, successor, ctx.now);
  const graceBegin = new Date(ctx.now.getTime() - GRACE_MS).toISOString();
  if (presented.rotatedAt && presented.rotatedAt > graceBegin)
    return issueTokens(keys, claims, await storedSuccessor(ctx, keys, token), ctx.now);
  await ctx.db.update(sessions).set({ revoked_at: now }).where(eq(sessions.id, presented.sessionId));
  throw unauthorized();
}

/** Ends the session of a refresh token. Returns false if it has already ended or the token is unknown. */
export async function logout(ctx: BaseCtx, token: string): Promise<boolean> {
  const hash = await hashSecret(token);
  const ended = await ctx.db.returning(sql`UPDATE sessions SET revoked_at = ${ctx.now.toISOString()}
    WHERE revoked_at IS NULL AND id = (SELECT session_id FROM refresh_tokens WHERE hash = ${hash}) RETURNING id`);
  return ended.length > 0;
}

/** Ends the session of a cookie. Returns false if it has already ended or the cookie is unknown. */
export async function endCookieSession(ctx: BaseCtx, { owner, hash }: CookieCredential): Promise<boolean> {
  const ended = await ctx.db
    .update(sessions)
    .set({ revoked_at: ctx.now.toISOString() })
    .where(and(eq(sessions.cookie_hash, hash), eq(sessions.owner, owner), isNull(sessions.revoked_at)))
    .returning({ id: sessions.id });
  return ended.length > 0;
}

/** Starts a new sign-in epoch, which invalidates all existing grants of MCP clients. */
export const nextEpoch = sql`sign_in_epoch + 1`;

/** Ends every session, and what someone signed in may have obtained: the calendar feed's address and links in emails. */
export const revokeAllSessionsStatements = (ctx: OwnerCtx) =>
  [
    ctx.db
      .update(sessions)
      .set({ revoked_at: ctx.now.toISOString() })
      .where(and(eq(sessions.owner, ctx.owner), isNull(sessions.revoked_at))),
    ctx.db.run(sql`DELETE FROM calendar_tokens WHERE owner = ${ctx.owner}`),
    ctx.db.run(sql`DELETE FROM email_links WHERE owner = ${ctx.owner} AND purpose IN ('reset', 'change')`),
  ] as const;

export async function listSessions(ctx: Ctx, page: { limit: number; offset: number }) {
  const active = activeSessionsOf(ctx, ctx.owner);
  const { id, client_name, user_agent, created_at, last_used_at, expires_at } = sessions;
  const [rows, total] = await ctx.db.batch([
    ctx.db
      .select({ id, client_name, user_agent, created_at, last_used_at, expires_at })
      .from(sessions)
      .where(active)
      .orderBy(desc(last_used_at), id)
      .limit(page.limit)
      .offset(page.offset),
    ctx.db.select({ count: sql<number>`count(*)` }).from(sessions).where(active),
  ]);
  const current = await ctx.sessionId();
  const items = rows.map(({ client_name, ...row }) => ({
    ...row,
    name: client_name ?? programFromUserAgent(row.user_agent),
    current: row.id === current,
  }));
  return { items, total: total[0]?.count ?? 0 };
}

/** Ends one of the caller's sessions. Throws 404. */
export async function revokeSession(ctx: Ctx, sessionId: string): Promise<void> {
  const isActive = sql`sessions.id = ${sessionId} AND sessions.owner = ${ctx.owner} AND sessions.revoked_at IS NULL`;
  const hasSession = sql`number = ${ctx.owner} AND EXISTS (SELECT 1 FROM sessions WHERE ${isActive})`;
  const [, revoked] = await ctx.db.batch([
    eventStatement(ctx, { event: "session_ended" }, hasSession),
    ctx.db
      .update(sessions)
      .set({ revoked_at: ctx.now.toISOString() })
      .where(isActive)
      .returning({ id: sessions.id }),
  ]);
  if (revoked.length === 0) throw notFound();
}

export const hasOldSessions = ({ now }: BaseCtx): SQL =>
  sql`(${hasRowBefore("sessions", "expires_at", now.toISOString())} OR ${hasRowBefore("refresh_tokens", "expires_at", now.toISOString())})`;

export async function purgeSessions(ctx: BaseCtx): Promise<void> {
  const now = ctx.now.toISOString();
  const expired = sql`SELECT id FROM sessions WHERE expires_at < ${now} AND ${notFenced("sessions.owner")} LIMIT 1000`;
  // refresh_tokens has no fence, so the accounts being moved are excluded here.
  const fenced = sql`SELECT id FROM sessions WHERE owner IN (SELECT owner FROM moves WHERE is_fenced)`;
  await ctx.db.batch([
    ctx.db
      .delete(refresh_tokens)
      .where(and(lt(refresh_tokens.expires_at, now), sql`session_id NOT IN (${fenced})`)),
    ctx.db.delete(refresh_tokens).where(sql`session_id IN (${expired})`),
    ctx.db.delete(sessions).where(and(lt(sessions.expires_at, now), sql`id IN (${expired})`)),
  ]);
}
