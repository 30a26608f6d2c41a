import { and, eq, gt, isNotNull, isNull, type SQL } from "drizzle-orm";
import type { Context, MiddlewareHandler } from "hono";
import { KEY_PREFIX, useApiKey } from "../api-keys/store.ts";
import { type AppEnv, type BaseCtx, type Ctx, openDatabase, openSession } from "../core/ctx.ts";
import { forbidden, unauthorized } from "../core/errors.ts";
import { keptSecretAnswer } from "../core/idempotency.ts";
import { requireAccess } from "../core/tool.ts";
import { sessions, users } from "../db/tables.ts";
import { ctxUserColumns } from "../db/user-columns.ts";
import type { Env } from "../env.ts";
import { policyHeaders, takeRequests } from "../rate-limit/user-limit.ts";
import { type Asked, mayReadBack, neededScopes } from "./scopes.ts";
import { signingKeys, verifyAccessToken } from "./token.ts";

/** The token of an `Authorization: Bearer …` header (RFC 6750 section 2.1). Throws 401 without one. */
function bearerToken(header: string | undefined): string {
  const token = /^Bearer ([\w.~+/-]+=*)$/i.exec(header ?? "")?.[1];
  if (!token) throw unauthorized();
  return token;
}

/** Who a key speaks for, and within which scopes. Throws 401. */
async function ctxOfKey(env: Env, base: BaseCtx, key: string): Promise<Ctx> {
  const found = await useApiKey({ ...base, db: openDatabase(openSession(env.DB)) }, key);
  if (!found) throw unauthorized();
  const { user, scopes, name } = found;
  return { ...base, user, sessionId: "key", scopes, client_name: name };
}

/** Who a bearer token speaks for: an access token of a living session, or an API key. Throws 401. */
export const ctxOfToken = (env: Env, base: BaseCtx, token: string): Promise<Ctx> =>
  token.startsWith(KEY_PREFIX) ? ctxOfKey(env, base, token) : ctxOfSession(env, base, token);

const asked = (c: Context<AppEnv>): Asked => ({
  method: c.req.method,
  path: c.req.path,
  types: c.req.queries("type") ?? [],
});

/** Throws 403 when a key asks for something beyond its scopes. */
function checkScopes(c: Context<AppEnv>, ctx: Ctx): void {
  if (!ctx.scopes) return;
  const needed = neededScopes(asked(c));
  if (!needed) throw forbidden("An API key cannot do this: sign in");
  requireAccess(ctx, needed);
}

/** Who an access token speaks for. Throws 401. */
async function ctxOfSession(env: Env, base: BaseCtx, token: string): Promise<Ctx> {
  const ctx = await findSession(env, base, token, isNull(sessions.revoked_at));
  if (!ctx) throw unauthorized();
  return ctx;
}

/**
 * Whose access token it is, if its session is as `state` says. Throws 401 for what is no token. The session is read from
 * the primary, so that a logout anywhere ends it everywhere.
 */
async function findSession(env: Env, base: BaseCtx, token: string, state: SQL): Promise<Ctx | undefined> {
  const claims = await verifyAccessToken(await signingKeys(env), token, base.now);
  const [user] = await openDatabase(openSession(env.DB))
    .select(ctxUserColumns)
    .from(sessions)
    .innerJoin(users, eq(users.number, sessions.owner))
    .where(
      and(
        eq(sessions.id, claims.sessionId),
        eq(users.id, claims.userId),
        state,
        gt(sessions.expires_at, base.now.toISOString()),
      ),
    );
  return user && { ...base, user, sessionId: claims.sessionId };
}

/** Middleware of every private route: turns the token into a Ctx, or throws 401, 403 or 429. */
export const guard: MiddlewareHandler<AppEnv> = async (c, next) => {
  for (const [name, value] of Object.entries(policyHeaders(c.env))) c.header(name, value);
  const token = bearerToken(c.req.header("Authorization"));
  const ctx = await ctxOfToken(c.env, c.var.base, token);
  await takeRequests(c.env, ctx.user.id);
  checkScopes(c, ctx);
  c.set("ctx", ctx);
  await next();
};

/**
 * Middleware behind `guard`: a key that may write but not read learns from a write that it happened, by the status and
 * by ETag and Location, and nothing of what stands there now. A creation (201) holds only what was sent and may be seen.
 */
export const withholdUnread: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const { scopes } = c.var.ctx;
  if (!scopes || c.res.status !== 200 || mayReadBack(asked(c), scopes)) return;
  const headers = new Headers(c.res.headers);
  for (const name of ["Content-Type", "Content-Length"]) headers.delete(name);
  c.res = undefined;
  c.res = new Response(null, { status: 204, headers });
};

/**
 * `guard` of a POST that ends its own session. The token of its repetition is dead by then, and is good for one thing
 * only: the answer that was given under the same Idempotency-Key.
 */
export const guardOnce: MiddlewareHandler<AppEnv> = async (c, next) => {
  const token = bearerToken(c.req.header("Authorization"));
  if (c.req.header("Idempotency-Key") === undefined || token.startsWith(KEY_PREFIX)) return guard(c, next);
  const ended = await findSession(c.env, c.var.base, token, isNotNull(sessions.revoked_at));
  return (ended && (await keptSecretAnswer(c, ended))) ?? guard(c, next);
};
