import { insufficientScope, type OAuthResourceAuth } from "@cloudflare/workers-oauth-provider";
import { isLegacyRequest } from "@modelcontextprotocol/server";
import { findUser } from "../auth/store.ts";
import { signingKeys } from "../auth/token.ts";
import { ACCESSES, type Access } from "../core/access.ts";
import { AppError } from "../core/errors.ts";
import { missingScopes } from "../core/tool.ts";
import { openBase } from "../db/session.ts";
import type { Env } from "../env.ts";
import type { LegacyProps } from "../oauth/legacy-token.ts";
import type { GrantProps, ResourceContext } from "../oauth/provider.ts";
import { policyHeaders, takeRequests } from "../rate-limit/user-limit.ts";
import { CALLER_HEADER, type Caller, clientName, ctxOf, writeCaller } from "./caller.ts";
import { firstEvent } from "./events.ts";
import { openSessionId, sealSession } from "./handle.ts";
import { askedOnce, BEGIN_HEADER, UnknownSession } from "./one-request.ts";
import { callIn } from "./register.ts";
import { McpSession } from "./session.ts";
import { serveStateless } from "./stateless.ts";

// /mcp behind a valid token: who is calling, what the call needs, and which of the two generations answers it.

type Message = { method?: unknown; params?: Record<string, unknown>; id?: unknown };

/** The last revision whose clients may send batches; without the header a client speaks that one. */
const BATCHES = "2025-03-26";
const MAX_BATCH = 50;
const SESSION = "Mcp-Session-Id";
const VERSION = "MCP-Protocol-Version";
const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";

const rpcError = (status: number, code: number, message: string, headers: HeadersInit = {}) =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status, headers });

const isAccess = (scope: string): scope is Access => (ACCESSES as readonly string[]).includes(scope);

/** Who is calling, or undefined when the account is gone or has ended its connections since. */
async function callerOf(env: Env, context: ResourceContext, public_url: string): Promise<Caller | undefined> {
  const props = context.props as LegacyProps | GrantProps;
  if ("user" in props) return { ...props, public_url };
  const user = await findUser(openBase(env.DB), { userId: props.user_id, epoch: props.epoch });
  const scopes = (context.auth?.scope ?? []).filter(isAccess);
  return user && { user, scopes, client_name: props.client_name, public_url };
}

/** What a message needs and the caller does not have. */
function missingFor({ method, params }: Message, scopes: readonly Access[]): Access[] {
  const call = callIn(method, params);
  return call ? missingScopes(call, scopes) : [];
}

/** 403 that names everything the client has to ask for: what it lacks, beside what it already has. */
function refuseScope(auth: OAuthResourceAuth, scopes: readonly Access[], missing: Access[]): Response {
  const needed = ACCESSES.filter((one) => scopes.includes(one) || missing.includes(one));
  return insufficientScope(auth, needed, `This call needs ${missing.join(" ")}`);
}

/** A batch is refused where its revision does not know batches, and where it is too long. */
function refuseBatch(request: Request, messages: unknown[]): Response | undefined {
  const version = request.headers.get(VERSION) ?? BATCHES;
  if (version !== BATCHES) return rpcError(400, -32600, `Invalid Request: ${version} has no batches`);
  return messages.length > MAX_BATCH
    ? rpcError(400, -32600, `Invalid Request: a batch has at most ${MAX_BATCH} messages`)
    : undefined;
}

const isMessage = (value: unknown): value is Message => typeof value === "object" && value !== null;

/** What is refused before any server sees it: batches where there are none, and calls beyond the token's scopes. */
function refuse(
  request: Request,
  body: unknown,
  caller: Caller,
  auth: OAuthResourceAuth,
): Response | undefined {
  const batch = Array.isArray(body) ? refuseBatch(request, body) : undefined;
  if (batch) return batch;
  const missing = [body]
    .flat()
    .filter(isMessage)
    .flatMap((message) => missingFor(message, caller.scopes));
  return missing.length > 0 ? refuseScope(auth, caller.scopes, missing) : undefined;
}

/** What the client of 2026-07-28 calls itself, in every request. */
function nameIn(body: unknown): string | undefined {
  const meta = isMessage(body) ? (body.params?._meta as Record<string, unknown> | undefined) : undefined;
  const info = meta?.[CLIENT_INFO] as { title?: unknown; name?: unknown } | undefined;
  return clientName(info?.title ?? info?.name);
}

/** Counts the requests of a message or batch; 429 when they are too many. */
async function refuseBusy(env: Env, { user }: Caller, body: unknown): Promise<Response | undefined> {
  try {
    await takeRequests(env, `user:${user.number}`, Array.isArray(body) ? body.length : 1);
    return undefined;
  } catch (problem) {
    if (!(problem instanceof AppError)) throw problem;
    return Response.json({ detail: problem.message }, { status: problem.status, headers: problem.headers });
  }
}

const sessions = McpSession.serve("/mcp", { binding: "MCP_SESSIONS" });

const withHeaders = (response: Response, headers: Record<string, string>) => {
  const answer = new Response(response.body, response);
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
};

/** The first revision whose clients know a stream that begins with an empty event. */
const PRIMED = "2025-11-25";

/** Lets a stream begin with an event, so that a client that loses it before the answer can ask for the rest. */
function primed(response: Response, streamId: string): Response {
  const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
  if (!isStream || !response.body) return response;
  const first = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(firstEvent(streamId))),
  });
  return new Response(response.body.pipeThrough(first), response);
}

/** The request as its session may see it: without the token, with the caller, and with the name of its stream. */
function forSession(request: Request, headers: Headers, caller: Caller, streamId: string): Request {
  headers.set(CALLER_HEADER, writeCaller(caller));
  headers.delete("Authorization");
  headers.delete(BEGIN_HEADER);
  const url = new URL(request.url);
  url.search = `?_pk=${streamId}`;
  return new Request(url, new Request(request, { headers }));
}

/** A stream that is asked for again ends after so long: its client comes back, and its token is looked at again. */
const RESUMED_MS = 5_000;

/** Ends a stream that would stay open for good, whatever becomes of its caller's token. */
function ending(response: Response): Response {
  if (!response.ok || !response.body) return response;
  const limited = new TransformStream({
    start: (controller) => {
      setTimeout(() => controller.terminate(), RESUMED_MS);
    },
  });
  return new Response(response.body.pipeThrough(limited), response);
}

const sessionNotFound = () => rpcError(404, -32001, "Session not found: initialize a new one");

/** Clients up to 2025-11-25: a Durable Object keeps their session. */
async function serveSession(request: Request, env: Env, context: ResourceContext, caller: Caller) {
  const keys = await signingKeys(env);
  // The end of a session is a call of another kind, and rare.
  const bindings = request.method === "DELETE" ? env : { ...env, MCP_SESSIONS: askedOnce(env.MCP_SESSIONS) };
  const headers = new Headers(request.headers);
  const sent = headers.get(SESSION);
  if (sent !== null) {
    const id = await openSessionId(sent, caller.user.id, keys);
    if (!id) return sessionNotFound();
    headers.set(SESSION, id);
  }
  const streamId = crypto.randomUUID();
  const knowsPriming = request.method === "POST" && headers.get(VERSION) === PRIMED;
  // A session must keep nothing of its caller: no props.
  const anonymous = { waitUntil: context.waitUntil.bind(context), props: {} } as unknown as ExecutionContext;
  const asked = forSession(request, headers, caller, streamId);
  const response = await sessions.fetch(asked, bindings, anonymous).catch((problem: unknown) => {
    if (problem instanceof UnknownSession) return sessionNotFound();
    throw problem;
  });
  const given = response.headers.get(SESSION);
  const streamed = knowsPriming ? primed(response, streamId) : response;
  const answer = request.method === "GET" ? ending(streamed) : streamed;
  return given ? withHeaders(answer, { [SESSION]: await sealSession(given, caller.user.id, keys) }) : answer;
}

/**
 * A GET asks again for an answer that was lost. For messages of the server's own there is no stream, because it sends
 * none (2025-11-25, transports, "Listening for Messages from the Server": 405).
 */
const isServed = ({ method, headers }: Request) =>
  method === "POST" || method === "DELETE" || (method === "GET" && headers.has("Last-Event-ID"));

/** Whether a request belongs to a session: it says so, or it speaks an older revision. */
const isOfSession = async (request: Request, body: unknown) =>
  request.method !== "POST" || request.headers.has(SESSION) || isLegacyRequest(request, body);

async function bodyOf(request: Request): Promise<unknown> {
  if (request.method !== "POST") return undefined;
  return request
    .clone()
    .json()
    .catch(() => undefined);
}

/** Answers /mcp for a caller whose token is valid, and says how often one may ask. */
export async function serveMcp(request: Request, env: Env, context: ResourceContext): Promise<Response> {
  const answer = await answerMcp(request, env, context);
  return withHeaders(answer, policyHeaders(env));
}

async function answerMcp(request: Request, env: Env, context: ResourceContext): Promise<Response> {
  if (!isServed(request)) return rpcError(405, -32000, "Method not allowed", { Allow: "POST, DELETE" });
  const auth = context.auth as OAuthResourceAuth;
  const { origin } = new URL(auth.audience);
  const caller = await callerOf(env, context, env.API_URL || origin);
  if (!caller) {
    return rpcError(401, -32000, "This connection was ended: connect again", {
      "WWW-Authenticate": `Bearer error="invalid_token", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
    });
  }
  const body = await bodyOf(request);
  const refusal = refuse(request, body, caller, auth) ?? (await refuseBusy(env, caller, body));
  if (refusal) return refusal;
  if (await isOfSession(request, body)) return serveSession(request, env, context, caller);
  return serveStateless(request, ctxOf(env, { ...caller, client_name: caller.client_name ?? nameIn(body) }));
}
