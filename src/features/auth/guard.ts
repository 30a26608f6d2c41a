import type { Context, MiddlewareHandler } from "hono";
import { countRequests, dayHeaders, lacksPlan, requireRequestsLeft } from "../billing/day.ts";
import type { Access } from "../../contract/access.ts";
import type { AppEnv, BaseCtx } from "../../platform/core/ctx.ts";
import { forbidden, unauthorized } from "../../platform/core/errors.ts";
import { accountName } from "../../contract/home.ts";
import { followed, Moved } from "../../platform/core/moved.ts";
import type { Env } from "../../env.ts";
import { enterHome, mayLag } from "../../platform/homes/router.ts";
import { policyHeaders, takeRequests } from "../../platform/rate-limit/user-limit.ts";
import { type CallerCtx, type Credential, findOwner, openCtx } from "./caller-store.ts";
import { isApiKey, keyCredential } from "./key-store.ts";
import { type Asked, mayReadBack, neededScopes } from "../../auth/scopes.ts";
import {
  cookieNames,
  cookieOfPage,
  hasSessionCookie,
  renewSessionCookie,
  requireOwnPage,
} from "./session-cookie.ts";
import { signingKeys, verifyAccessToken } from "./token.ts";

/** The token of an `Authorization: Bearer …` header (RFC 6750 section 2.1). Throws 401 without one. */
function bearerToken(header: string | undefined): string {
  const token = /^Bearer ([\w.~+/-]+=*)$/i.exec(header ?? "")?.[1];
  if (!token) throw unauthorized();
  return token;
}

/**
 * The credential in a bearer token: an access token with a valid signature, or an API key. The request's first database
 * call checks whether the session or key is still valid. Throws 401 for any other string.
 *
 * @param base the first home, where the users of tokens and keys of older versions are
 * @param needs the scopes that a key must have
 */
export async function credentialOf(
  env: Env,
  base: BaseCtx,
  token: string,
  needs: readonly Access[],
): Promise<Credential> {
  if (isApiKey(token)) return followed(await keyCredential(base, token, needs));
  const {
    userId,
    sessionId,
    home,
    owner: named,
  } = await verifyAccessToken(await signingKeys(env), token, base.now);
  const owner = named ?? (await findOwner(base, userId));
  if (owner === undefined) throw unauthorized();
  return followed<Credential>({ kind: "session", home, owner, user_id: userId, session_id: sessionId });
}

const asked = (c: Context<AppEnv>): Asked => ({
  method: c.req.method,
  path: c.req.path,
  types: c.req.queries("type") ?? [],
});

/**
 * Whose requests are counted together. The number in a key or a cookie cannot be trusted before the database has checked
 * the secret.
 */
export const countedAs = (credential: Credential): string =>
  "hash" in credential ? `${credential.kind}:${credential.hash}` : `user:${accountName(credential)}`;

const READS = ["GET", "HEAD"];

/**
 * The credential of a request: its bearer token or, without an Authorization header, its session cookie. Throws 401
 * without either, and 403 when the cookie was not sent by one of our own pages.
 */
async function credentialIn(c: Context<AppEnv>, needs: readonly Access[]): Promise<Credential> {
  const header = c.req.header("Authorization");
  if (header !== undefined || !hasSessionCookie(c))
    return credentialOf(c.env, c.var.base, bearerToken(header), needs);
  if (!READS.includes(c.req.method)) requireOwnPage(c);
  const credential = await cookieOfPage(c);
  if (!credential) throw unauthorized();
  return credential;
}

/** Whether the browser gets the cookie anew: for another 30 days, or because it names a home that the account has left. */
const isRenewed = (c: Context<AppEnv>, ctx: CallerCtx, credential: Credential): boolean =>
  ctx.isExtended() || (credential.kind === "cookie" && !cookieNames(c, credential));

/**
 * Middleware of every private route: turns the token or cookie into a Ctx in the caller's home, whose first database call
 * authenticates the caller. For a request without any call, this makes one. Throws 401, 403 or 429.
 */
export const guard: MiddlewareHandler<AppEnv> = async (c, next) => {
  for (const [name, value] of Object.entries(policyHeaders(c.env))) c.header(name, value);
  const { now } = c.var.base;
  const needs = neededScopes(asked(c));
  const credential = await credentialIn(c, needs ?? []);
  enterHome(c, credential.home);
  const caller = { countedAs: countedAs(credential), home: credential.home, owner: credential.owner, now };
  await takeRequests(c.env, caller.countedAs);
  await requireRequestsLeft(c.env, caller, c.req);
  const ctx = openCtx(c.var.base, c.var.session, credential, {
    mayLag: mayLag(c),
    asksPlan: lacksPlan(caller),
  });
  if (credential.kind === "key" && !needs) {
    await ctx.admit();
    throw forbidden("An API key cannot do this: sign in");
  }
  c.set("ctx", ctx);
  await next();
  if (c.error instanceof Moved) return;
  await ctx.admit();
  countRequests(c.env, caller, { plan: ctx.plan() });
  for (const [name, value] of Object.entries(dayHeaders(c.env, caller)))
    c.header(name, value, { append: true });
  // A handler that has ended the session, or replaced it, has set the cookie itself.
  if (isRenewed(c, ctx, credential) && !c.res.headers.has("Set-Cookie")) renewSessionCookie(c, credential);
};

/**
 * Middleware after `guard`: hides a write's answer from a key that may write but not read, except for the status, ETag
 * and Location. The answer of a creation (201) contains only what was sent and is not hidden.
 */
export const withholdUnread: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  if (c.res.status !== 200) return;
  const scopes = await c.var.ctx.keyScopes?.();
  if (!scopes || mayReadBack(asked(c), scopes)) return;
  const headers = new Headers(c.res.headers);
  for (const name of ["Content-Type", "Content-Length"]) headers.delete(name);
  c.res = undefined;
  c.res = new Response(null, { status: 204, headers });
};
