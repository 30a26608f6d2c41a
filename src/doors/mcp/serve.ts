import { insufficientScope, type OAuthResourceAuth } from "@cloudflare/workers-oauth-provider";
import { isLegacyRequest } from "@modelcontextprotocol/server";
import { ACCESS_SCOPES, type Access, type KeyScope } from "../../contract/access.ts";
import { FIRST_SHARD } from "../../contract/shard.ts";
import type { Env } from "../../env.ts";
import { type Credential, findOwnerNumber } from "../../features/auth/caller-store.ts";
import { requestCountKey } from "../../features/auth/guard.ts";
import {
  countRequests,
  isPlanUnknown,
  rateLimitHeaders,
  requireRequestsLeft,
} from "../../features/billing/daily-requests.ts";
import { AccountMovedError, withCurrentLocation } from "../../platform/core/account-location.ts";
import { AppError, unauthorized } from "../../platform/core/errors.ts";
import { createRecentMap } from "../../platform/core/recent-map.ts";
import { errorResponseOf } from "../../platform/http/http.ts";
import { runInQueue } from "../../platform/queue/account-queue.ts";
import type { ReleaseSlot } from "../../platform/queue/queue.ts";
import { policyHeaders, takeRequests } from "../../platform/rate-limit/user-limit.ts";
import { openShard, outdatedShardError } from "../../platform/shards/router.ts";
import { missingScopes } from "../../platform/tools/tool.ts";
import type { GrantProps, LegacyProps, ResourceContext } from "../oauth/provider.ts";
import { createClientCtx, type McpCaller, normalizeClientName, openCallerCtx } from "./caller.ts";
import {
  isHandledRequest,
  isMessage,
  type RpcMessage,
  VERSION_HEADER,
  withoutNullParams,
} from "./messages.ts";
import { CONNECTION_ENDED, findToolCall } from "./register.ts";
import { rpcError, withHeaders } from "./rpc.ts";
import { SESSION_HEADER, serveSession } from "./serve-session.ts";
import { serveStateless } from "./stateless.ts";

// A key's name and scopes never change, so each isolate caches them. Its validity is checked in every request.

type KeyDescription = { name: string; scopes: readonly KeyScope[] };

const MAX_KNOWN = 1000;

const descriptions = createRecentMap<string, KeyDescription>(MAX_KNOWN);

/** The name and scopes of a key by its hash. `load` throws for an invalid key, which is not cached. */
async function describeKey(hash: string, load: () => Promise<KeyDescription>): Promise<KeyDescription> {
  const description = descriptions.get(hash) ?? (await load());
  descriptions.set(hash, description);
  return description;
}

// Whether the caller's credential is still valid is checked with a tool's first database call, or here for messages that need
// no data.

/** The last revision with batches, and the one of a client that sends no version header. */
const BATCHES = "2025-03-26";
const MAX_BATCH = 50;
const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";

const isAccess = (scope: string): scope is Access => (ACCESS_SCOPES as readonly string[]).includes(scope);

function shardOf({ props: stored }: ResourceContext): number {
  const props = stored as LegacyProps | GrantProps;
  return "credential" in props ? props.credential.shard : (props.home ?? FIRST_SHARD);
}

/** The caller's credential. A grant of an older version lacks the owner's number and costs a database call. Throws 401. */
async function credentialOf(env: Env, context: ResourceContext): Promise<Credential> {
  const props = context.props as LegacyProps | GrantProps;
  if ("credential" in props) return withCurrentLocation(props.credential);
  const { user_id, epoch } = props;
  const home = shardOf(context);
  const owner = props.owner ?? (await findOwnerNumber(openShard(env, home), user_id));
  if (owner === undefined) throw unauthorized();
  return withCurrentLocation<Credential>({
    kind: "grant",
    shard: home,
    owner,
    user_id,
    epoch,
    // A token of the OAuth library: `user:grant:secret`.
    grant_id: context.auth?.token.split(":")[1],
  });
}

type Permission = Pick<McpCaller, "scopes" | "client_name">;

async function permissionOf(
  env: Env,
  { props, auth }: ResourceContext,
  credential: Credential,
): Promise<Permission> {
  if (credential.kind === "grant") {
    const { client_name } = props as GrantProps;
    return { client_name, scopes: (auth?.scope ?? []).filter(isAccess) };
  }
  if (credential.kind === "session") return { scopes: ACCESS_SCOPES };
  const { name, scopes } = await describeKey(credential.hash, async () => {
    const key = await openCallerCtx(env, credential).key();
    if (!key) throw unauthorized();
    return key;
  });
  return { client_name: name, scopes: scopes.filter(isAccess) };
}

function missingFor({ method, params }: RpcMessage, scopes: readonly Access[]): Access[] {
  const call = findToolCall(method, params);
  return call ? missingScopes(call, scopes) : [];
}

const runsAlone = ({ method, params }: RpcMessage) => findToolCall(method, params)?.tool.alone === true;

/** 403 with all scopes that the client has to request: those it lacks and those it already has. */
function refuseScope(
  auth: OAuthResourceAuth,
  scopes: readonly Access[],
  messages: RpcMessage[],
): Response | undefined {
  const missing = messages.flatMap((message) => missingFor(message, scopes));
  if (missing.length === 0) return undefined;
  const needed = ACCESS_SCOPES.filter((one) => scopes.includes(one) || missing.includes(one));
  return insufficientScope(auth, needed, `This call needs ${missing.join(" ")}`);
}

/** Rejects a batch that is too long, or whose revision has no batches. */
function refuseBatch(request: Request, body: unknown): Response | undefined {
  if (!Array.isArray(body)) return undefined;
  const version = request.headers.get(VERSION_HEADER) ?? BATCHES;
  if (version !== BATCHES) return rpcError(400, -32600, `Invalid Request: ${version} has no batches`);
  return body.length > MAX_BATCH
    ? rpcError(400, -32600, `Invalid Request: a batch has at most ${MAX_BATCH} messages`)
    : undefined;
}

/** The ids of known clients are shorter. */
const MAX_ID = 128;

const refuseIds = (messages: RpcMessage[]): Response | undefined =>
  messages.some(({ id }) => typeof id === "string" && id.length > MAX_ID)
    ? rpcError(400, -32600, `Invalid Request: an id has at most ${MAX_ID} characters`)
    : undefined;

function nameIn(body: unknown): string | undefined {
  const meta = isMessage(body) ? (body.params?._meta as Record<string, unknown> | undefined) : undefined;
  const info = meta?.[CLIENT_INFO] as { title?: unknown; name?: unknown } | undefined;
  return normalizeClientName(info?.title ?? info?.name);
}

/** A GET requests a lost answer again. The server sends no messages of its own (2025-11-25, transports: 405). */
const isServed = ({ method, headers }: Request) =>
  method === "POST" || method === "DELETE" || (method === "GET" && headers.has("Last-Event-ID"));

const belongsToSession = async (request: Request, body: unknown) =>
  request.method !== "POST" || request.headers.has(SESSION_HEADER) || isLegacyRequest(request, body);

/** The JSON of a request; undefined if it is not JSON. The body is read only here. */
const bodyOf = async (request: Request): Promise<unknown> =>
  request.method === "POST" ? request.json().then(withoutNullParams, () => undefined) : undefined;

const notJson = (request: Request, body: unknown) =>
  request.method === "POST" && body === undefined
    ? rpcError(400, -32700, "Parse error: Invalid JSON")
    : undefined;

/** Throws 401 if the caller's session, key, grant or account has ended, 429 over the rate limit. */
async function answerCaller(request: Request, env: Env, context: ResourceContext): Promise<Response> {
  const credential = await credentialOf(env, context);
  const body = await bodyOf(request);
  const badBatch = refuseBatch(request, body);
  const messages = badBatch ? [] : [body].flat().filter(isMessage);
  const requests = Math.max(1, messages.length);
  const { shard, owner } = credential;
  const counted = { countedAs: requestCountKey(credential), shard, owner, now: openShard(env, shard).now };
  await takeRequests(env, counted.countedAs, requests);
  await requireRequestsLeft(env, counted);
  const permission = await permissionOf(env, context, credential);
  const auth = context.auth as OAuthResourceAuth;
  const client_name = permission.client_name ?? nameIn(body);
  const public_url = env.API_URL || originOf(context);
  const caller: McpCaller = { credential, ...permission, client_name, public_url };
  const ctx = createClientCtx(env, caller, { asksPlan: isPlanUnknown(counted) });
  const refusal =
    notJson(request, body) ??
    badBatch ??
    refuseIds(messages) ??
    refuseScope(auth, permission.scopes, messages);
  const isAdmittedByAnswer = !refusal && messages.length > 0 && messages.every(isHandledRequest);
  if (!isAdmittedByAnswer) await ctx.admit();
  if (refusal) return refusal;
  const usesSession = await belongsToSession(request, body);
  const serve = (release: ReleaseSlot) => {
    ctx.releaseSlot = release;
    return usesSession
      ? serveSession({ request, body }, { env, context, ctx }, credential)
      : serveStateless({ request, body }, ctx);
  };
  const answer = await runInQueue(ctx, messages.some(runsAlone) ? "alone" : "change", serve);
  if (answer.status === 401) return answer;
  countRequests(env, counted, { requests, plan: ctx.plan() });
  return withHeaders(answer, rateLimitHeaders(env, counted));
}

/** 401 with the challenge that makes a client sign in again (RFC 9728 section 5.1); other errors as in the API. */
function errorResponse(error: AppError, origin: string): Response {
  if (error.status !== 401) return errorResponseOf(error);
  return rpcError(401, CONNECTION_ENDED.code, CONNECTION_ENDED.message, {
    "WWW-Authenticate": `Bearer error="invalid_token", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
  });
}

const originOf = ({ auth }: ResourceContext): string => new URL((auth as OAuthResourceAuth).audience).origin;

async function answerMcp(request: Request, env: Env, context: ResourceContext): Promise<Response> {
  if (!isServed(request)) return rpcError(405, -32000, "Method not allowed", { Allow: "POST, DELETE" });
  const answer = () => answerCaller(request, env, context);
  return answer()
    .catch((problem: unknown) => {
      // A request that is rejected because its account has been migrated has only authenticated its caller.
      if (problem instanceof AccountMovedError) return answer();
      throw problem;
    })
    .catch(async (problem: unknown) => {
      const expected =
        problem instanceof AppError ? problem : await outdatedShardError(env, shardOf(context), problem);
      if (expected) return errorResponse(expected, originOf(context));
      throw problem;
    });
}

export async function serveMcp(request: Request, env: Env, context: ResourceContext): Promise<Response> {
  const answer = await answerMcp(request, env, context);
  const policies = Object.entries(policyHeaders(env)).map(([name, value]) => {
    const existing = answer.headers.get(name);
    return [name, existing === null ? value : `${value}, ${existing}`];
  });
  return withHeaders(answer, Object.fromEntries(policies));
}
