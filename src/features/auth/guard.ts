import type { Context, MiddlewareHandler, Next } from "hono";
import { grantsScope, type KeyScope, readAccessFor } from "../../contract/access.ts";
import { BODY_LIMITS } from "../../contract/body-limit.ts";
import { globalAccountId } from "../../contract/shard.ts";
import type { Env } from "../../env.ts";
import { AccountMovedError, withCurrentLocation } from "../../platform/core/account-location.ts";
import type { AppEnv, BaseCtx } from "../../platform/core/ctx.ts";
import { forbidden, hasCode, unauthorized } from "../../platform/core/errors.ts";
import { neededScopes, type OperationRules, operationRules } from "../../platform/http/rules.ts";
import { runInQueue, runInUploadQueue } from "../../platform/queue/account-queue.ts";
import { policyHeaders, takeRequests } from "../../platform/rate-limit/user-limit.ts";
import { enterShard, mayUseReplica } from "../../platform/shards/router.ts";
import {
  countRequests,
  isPlanUnknown,
  type RequestCaller,
  rateLimitHeaders,
  requireRequestsLeft,
} from "../billing/daily-requests.ts";
import { type CallerCtx, type Credential, findOwnerNumber, openCtx } from "./caller-store.ts";
import { isApiKey, parseApiKey } from "./key-store.ts";
import {
  hasSessionCookie,
  isCookieCurrent,
  readPageCookie,
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
export async function readCredential(
  env: Env,
  base: BaseCtx,
  token: string,
  needs: readonly KeyScope[],
): Promise<Credential> {
  if (isApiKey(token)) return withCurrentLocation(await parseApiKey(base, token, needs));
  const claims = await verifyAccessToken(await signingKeys(env), token, base.now);
  const { userId: user_id, sessionId: session_id, home: shard } = claims;
  const owner = claims.owner ?? (await findOwnerNumber(base, user_id));
  if (owner === undefined) throw unauthorized();
  return withCurrentLocation<Credential>({ kind: "session", shard, owner, user_id, session_id });
}

const requiredScopes = (c: Context<AppEnv>) => neededScopes(operationRules(c)?.access, c.req.queries("type"));

/** Key by which requests are counted. A key or cookie counts by its hash, as it may not be genuine. */
export const requestCountKey = (credential: Credential): string =>
  "hash" in credential ? `${credential.kind}:${credential.hash}` : `user:${globalAccountId(credential)}`;

/** Middleware of all routes: without its secret, a deployment answers 503 and says what to set. */
export const requireSigningSecret: MiddlewareHandler<AppEnv> = async (c, next) => {
  await signingKeys(c.env);
  await next();
};

const READ_METHODS = ["GET", "HEAD"];

/** The bearer token's credential, or the session cookie's. Throws 401 for neither, 403 for a cookie of another site. */
async function requestCredential(c: Context<AppEnv>, needs: readonly KeyScope[]): Promise<Credential> {
  const header = c.req.header("Authorization");
  if (header !== undefined || !hasSessionCookie(c))
    return readCredential(c.env, c.var.base, bearerToken(header), needs);
  if (!READ_METHODS.includes(c.req.method)) requireOwnPage(c);
  const credential = await readPageCookie(c);
  if (!credential) throw unauthorized();
  return credential;
}

const needsNewCookie = (c: Context<AppEnv>, ctx: CallerCtx, credential: Credential): boolean =>
  ctx.isSessionExtended() || (credential.kind === "cookie" && !isCookieCurrent(c, credential));

/** Checks the credential first, so that an invalid one cannot make us read and index a long text. */
async function checkBeforeLongBody({ req }: Context<AppEnv>, ctx: CallerCtx): Promise<void> {
  const isChecked = ctx.queue_key === globalAccountId(ctx);
  const bytes = req.raw.body ? Number(req.header("Content-Length") ?? Number.POSITIVE_INFINITY) : 0;
  if (!isChecked && bytes > BODY_LIMITS["16 KiB"]) await ctx.admit();
}

function queueRequest(
  c: Context<AppEnv>,
  { body, alone }: Partial<OperationRules>,
  next: Next,
): Promise<void> {
  const kind = READ_METHODS.includes(c.req.method) ? "read" : "change";
  return body === "streamed"
    ? runInUploadQueue(c.var.ctx, next)
    : runInQueue(c.var.ctx, alone ? "alone" : kind, (end) => {
        c.var.ctx.releaseSlot = end;
        return next();
      });
}

/** Middleware: sets the caller's Ctx, and authenticates at the latest after the handler. Throws 401, 403, 429. */
export const guard: MiddlewareHandler<AppEnv> = async (c, next) => {
  const rules = operationRules(c);
  if (rules?.access === "anyone") return next();
  for (const [name, value] of Object.entries(policyHeaders(c.env))) c.header(name, value);
  const { now } = c.var.base;
  const needs = requiredScopes(c);
  const credential = await requestCredential(c, needs ?? []);
  enterShard(c, credential.shard);
  const { shard, owner } = credential;
  const caller: RequestCaller = { countedAs: requestCountKey(credential), shard, owner, now };
  await takeRequests(c.env, caller.countedAs);
  if (rules?.daily !== "unlimited") await requireRequestsLeft(c.env, caller);
  const ctx = openCtx(c.var.base, c.var.session, credential, {
    mayLag: mayUseReplica(c),
    asksPlan: isPlanUnknown(caller),
  });
  if (credential.kind === "key" && !needs) {
    await ctx.admit();
    throw forbidden("An API key cannot do this: sign in");
  }
  await checkBeforeLongBody(c, ctx);
  c.set("ctx", ctx);
  await queueRequest(c, rules ?? {}, next);
  // A call with an unknown outcome may have ended the session that this would check.
  if (c.error instanceof AccountMovedError || hasCode(c.error, "outcome_unknown")) return;
  await ctx.admit();
  countRequests(c.env, caller, { plan: ctx.plan() });
  for (const [name, value] of Object.entries(rateLimitHeaders(c.env, caller)))
    c.header(name, value, { append: true });
  // A handler that ended or replaced the session has set the cookie itself.
  if (needsNewCookie(c, ctx, credential) && !c.res.headers.has("Set-Cookie"))
    renewSessionCookie(c, credential);
};

/** Middleware: a key that may write but not read gets only status and headers such as ETag and Location. */
export const hideBodyFromWriteOnlyKeys: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const { status } = c.res;
  if (status !== 200 && status !== 202) return;
  const scopes = await c.var.ctx?.keyScopes?.();
  if (!scopes || operationRules(c)?.reports) return;
  const mayRead = (requiredScopes(c) ?? []).every((needed) => grantsScope(scopes, readAccessFor(needed)));
  if (mayRead) return;
  const headers = new Headers(c.res.headers);
  for (const name of ["Content-Type", "Content-Length"]) headers.delete(name);
  c.res = undefined;
  c.res = new Response(null, { status: status === 200 ? 204 : status, headers });
};
