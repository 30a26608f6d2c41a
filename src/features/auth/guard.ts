import type { Context, MiddlewareHandler, Next } from "hono";
import { allows, type KeyScope, readingOf } from "../../contract/access.ts";
import { BODY_LIMITS } from "../../contract/body-limit.ts";
import { accountName } from "../../contract/home.ts";
import type { Env } from "../../env.ts";
import type { AppEnv, BaseCtx } from "../../platform/core/ctx.ts";
import { forbidden, hasCode, unauthorized } from "../../platform/core/errors.ts";
import { followed, Moved } from "../../platform/core/moved.ts";
import { enterHome, mayLag } from "../../platform/homes/router.ts";
import { neededScopes, type Rules, rulesOf } from "../../platform/http/rules.ts";
import { policyHeaders, takeRequests } from "../../platform/rate-limit/user-limit.ts";
import { inTurnOf, inTurnOfUploads } from "../../platform/turns/account-turns.ts";
import {
  countRequests,
  dayHeaders,
  lacksPlan,
  type RequestCaller,
  requireRequestsLeft,
} from "../billing/day.ts";
import { type CallerCtx, type Credential, findOwner, openCtx } from "./caller-store.ts";
import { isApiKey, keyCredential } from "./key-store.ts";
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

/** The credential in a bearer token; the first database call checks it. `base`: the first shard. Throws 401. */
export async function credentialOf(
  env: Env,
  base: BaseCtx,
  token: string,
  needs: readonly KeyScope[],
): Promise<Credential> {
  if (isApiKey(token)) return followed(await keyCredential(base, token, needs));
  const {
    userId,
    sessionId,
    home,
    owner: ownerInToken,
  } = await verifyAccessToken(await signingKeys(env), token, base.now);
  const owner = ownerInToken ?? (await findOwner(base, userId));
  if (owner === undefined) throw unauthorized();
  return followed<Credential>({ kind: "session", home, owner, user_id: userId, session_id: sessionId });
}

const requiredScopes = (c: Context<AppEnv>) => neededScopes(rulesOf(c)?.access, c.req.queries("type"));

/** Key by which requests are counted. A key or cookie counts by its hash, as it may not be genuine. */
export const countedAs = (credential: Credential): string =>
  "hash" in credential ? `${credential.kind}:${credential.hash}` : `user:${accountName(credential)}`;

/** Middleware of all routes: without its secret, a deployment answers 503 and says what to set. */
export const requireSecret: MiddlewareHandler<AppEnv> = async (c, next) => {
  await signingKeys(c.env);
  await next();
};

const READ_METHODS = ["GET", "HEAD"];

/** The bearer token's credential, or the session cookie's. Throws 401 for neither, 403 for a cookie of another site. */
async function requestCredential(c: Context<AppEnv>, needs: readonly KeyScope[]): Promise<Credential> {
  const header = c.req.header("Authorization");
  if (header !== undefined || !hasSessionCookie(c))
    return credentialOf(c.env, c.var.base, bearerToken(header), needs);
  if (!READ_METHODS.includes(c.req.method)) requireOwnPage(c);
  const credential = await cookieOfPage(c);
  if (!credential) throw unauthorized();
  return credential;
}

const needsNewCookie = (c: Context<AppEnv>, ctx: CallerCtx, credential: Credential): boolean =>
  ctx.isExtended() || (credential.kind === "cookie" && !cookieNames(c, credential));

/** Checks the credential first, so that an invalid one cannot make us read and index a long text. */
async function checkBeforeLongBody({ req }: Context<AppEnv>, ctx: CallerCtx): Promise<void> {
  const isChecked = ctx.waits_as === accountName(ctx);
  const bytes = req.raw.body ? Number(req.header("Content-Length") ?? Number.POSITIVE_INFINITY) : 0;
  if (!isChecked && bytes > BODY_LIMITS["16 KiB"]) await ctx.admit();
}

function runInQueue(c: Context<AppEnv>, { body, alone }: Partial<Rules>, next: Next): Promise<void> {
  const kind = READ_METHODS.includes(c.req.method) ? "read" : "change";
  return body === "streamed"
    ? inTurnOfUploads(c.var.ctx, next)
    : inTurnOf(c.var.ctx, alone ? "alone" : kind, (end) => {
        c.var.ctx.endTurn = end;
        return next();
      });
}

/** Middleware: sets the caller's Ctx, and authenticates at the latest after the handler. Throws 401, 403, 429. */
export const guard: MiddlewareHandler<AppEnv> = async (c, next) => {
  const rules = rulesOf(c);
  if (rules?.access === "anyone") return next();
  for (const [name, value] of Object.entries(policyHeaders(c.env))) c.header(name, value);
  const { now } = c.var.base;
  const needs = requiredScopes(c);
  const credential = await requestCredential(c, needs ?? []);
  enterHome(c, credential.home);
  const { home, owner } = credential;
  const caller: RequestCaller = { countedAs: countedAs(credential), home, owner, now };
  await takeRequests(c.env, caller.countedAs);
  if (rules?.daily !== "unlimited") await requireRequestsLeft(c.env, caller);
  const ctx = openCtx(c.var.base, c.var.session, credential, {
    mayLag: mayLag(c),
    asksPlan: lacksPlan(caller),
  });
  if (credential.kind === "key" && !needs) {
    await ctx.admit();
    throw forbidden("An API key cannot do this: sign in");
  }
  await checkBeforeLongBody(c, ctx);
  c.set("ctx", ctx);
  await runInQueue(c, rules ?? {}, next);
  // A call with an unknown outcome may have ended the session that this would check.
  if (c.error instanceof Moved || hasCode(c.error, "outcome_unknown")) return;
  await ctx.admit();
  countRequests(c.env, caller, { plan: ctx.plan() });
  for (const [name, value] of Object.entries(dayHeaders(c.env, caller)))
    c.header(name, value, { append: true });
  // A handler that ended or replaced the session has set the cookie itself.
  if (needsNewCookie(c, ctx, credential) && !c.res.headers.has("Set-Cookie"))
    renewSessionCookie(c, credential);
};

/** Middleware: a key that may write but not read gets only status and headers such as ETag and Location. */
export const withholdUnread: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const { status } = c.res;
  if (status !== 200 && status !== 202) return;
  const scopes = await c.var.ctx?.keyScopes?.();
  if (!scopes || rulesOf(c)?.reports) return;
  const mayRead = (requiredScopes(c) ?? []).every((needed) => allows(scopes, readingOf(needed)));
  if (mayRead) return;
  const headers = new Headers(c.res.headers);
  for (const name of ["Content-Type", "Content-Length"]) headers.delete(name);
  c.res = undefined;
  c.res = new Response(null, { status: status === 200 ? 204 : status, headers });
};
