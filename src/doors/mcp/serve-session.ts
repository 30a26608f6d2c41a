import { globalAccountId } from "../../contract/shard.ts";
import type { Env } from "../../env.ts";
import { signingKeys } from "../../features/auth/token.ts";
import { callObject } from "../../platform/bindings/objects.ts";
import { isDiskFull } from "../../platform/core/disk.ts";
import { createRecentMap } from "../../platform/core/recent-map.ts";
import { isReadOnly } from "../../platform/tools/tool.ts";
import { type ClientCtx, normalizeClientName } from "./caller.ts";
import {
  acceptsStreams,
  answerMessage,
  checkPost,
  checkVersion,
  eventStream,
  formatAnswerEvent,
  isRequest,
  type McpRequest,
  type MessageId,
  RESUMABLE_VERSION,
  type ReceivedMessage,
  type RpcMessage,
  resumableStream,
  VERSION_HEADER,
} from "./messages.ts";
import { findToolCall } from "./register.ts";
import { rpcError, withHeaders } from "./rpc.ts";
import type { InitializeRequest, McpSession } from "./session.ts";
import { newSessionId, sealSession, verifySessionId } from "./session-id.ts";

// Streamable HTTP of the revisions up to 2025-11-25. Calls are answered here. The object of a session only stores that the
// session exists, and the answers to changes, which a client may request again.

export const SESSION_HEADER = "Mcp-Session-Id";
const objectOf = (env: Env, id: string) =>
  env.MCP_SESSIONS.getByName(`streamable-http:${id}`) as unknown as DurableObjectStub<McpSession>;

/** Sessions that this isolate has seen are cached, so that not every call has to check whether its session exists. */
const CACHED_MS = 60_000;
const MAX_CACHED = 5000;
const sessions = createRecentMap<string, { client_name: string | undefined; seen: number }>(MAX_CACHED);

function remember(id: string, { params }: InitializeRequest) {
  const { title, name } = params?.clientInfo ?? {};
  const session = { client_name: normalizeClientName(title ?? name), seen: Date.now() };
  sessions.set(id, session);
  return session;
}

async function openSession(env: Env, id: string) {
  const last = sessions.get(id);
  if (last && (isDiskFull() || Date.now() - last.seen < CACHED_MS)) return last;
  const began = await callObject("none", () => Promise.resolve(objectOf(env, id).open()));
  return began && remember(id, began as InitializeRequest);
}

const sessionNotFound = () => rpcError(404, -32001, "Session not found: initialize a new one");

type Call = { env: Env; context: ExecutionContext; ctx: ClientCtx };

/** Starts a session. The caller must have been admitted. */
async function begin(message: RpcMessage & { id: MessageId }, { env, ctx }: Call): Promise<Response> {
  const id = newSessionId();
  const { params = {} } = message;
  const { protocolVersion, capabilities, clientInfo } = params;
  const { jsonrpc: _, ...request } = {
    ...message,
    params: { protocolVersion, capabilities, clientInfo },
  } as ReceivedMessage;
  // On a full disk, only this isolate knows the session. If another one does not, the client initializes again.
  if (!isDiskFull())
    await callObject("any", () => Promise.resolve(objectOf(env, id).begin(request as InitializeRequest)));
  remember(id, request as InitializeRequest);
  const response = Response.json(await answerMessage(message, ctx));
  response.headers.set(SESSION_HEADER, id);
  return response;
}

async function answerPost(
  { request, body }: McpRequest,
  id: string | undefined,
  call: Call,
): Promise<Response> {
  const refusal = checkPost(request, body);
  if (refusal) return refusal;
  const messages = [body].flat() as RpcMessage[];
  const initializing = messages.filter(isRequest).find(({ method }) => method === "initialize");
  if (!initializing) return answerInSession({ request, body }, id, call);
  if (messages.length === 1 && id === undefined) return begin(initializing, call);
  return rpcError(
    400,
    -32600,
    "Invalid Request: initialize must be the only message, and starts a new session",
  );
}

async function answerInSession({ request, body }: McpRequest, id: string | undefined, call: Call) {
  const { env, ctx } = call;
  if (id === undefined)
    return rpcError(400, -32000, `Bad Request: ${SESSION_HEADER} is missing: initialize first`);
  const refusal = checkVersion(request);
  if (refusal) return refusal;
  const session = await openSession(env, id);
  if (!session) return sessionNotFound();
  const requests = ([body].flat() as RpcMessage[]).filter(isRequest);
  const [only] = requests;
  if (!only) return new Response(null, { status: 202 });
  if (session.client_name !== undefined) ctx.client_name ??= session.client_name;
  if (Array.isArray(body))
    return Response.json(await Promise.all(requests.map((one) => answerMessage(one, ctx))));
  const answering = answerMessage(only, ctx);
  return request.headers.get(VERSION_HEADER) === RESUMABLE_VERSION &&
    acceptsStreams(request) &&
    isChange(only)
    ? answerPrimed(id, answering, call)
    : Response.json(await answering);
}

/** A client that lost the answer to a read calls again. Storing an answer costs a request to the object, and rows. */
function isChange({ method, params }: RpcMessage): boolean {
  const called = findToolCall(method, params);
  return called !== undefined && !isReadOnly(called.tool);
}

/** Continues if the client disconnects, and stores the answer so that it can be requested later. */
async function answerPrimed(id: string, answering: Promise<object>, { env, context }: Call) {
  const streamId = crypto.randomUUID();
  const text = answering.then((answer) => JSON.stringify(answer));
  context.waitUntil(text.then((answer) => keep(env, id, streamId, answer)).catch(() => {}));
  return resumableStream(streamId, await text);
}

async function keep(env: Env, id: string, streamId: string, answer: string): Promise<void> {
  if (!(await objectOf(env, id).keep(streamId, answer))) sessions.forget(id);
}

const LAST_EVENT = /^([0-9a-f-]{36}):(\d{16})$/;

/** Sends the answer that follows the last event that a client has received. */
async function answerGet({ headers }: Request, id: string, { env }: Call): Promise<Response> {
  if (!(await openSession(env, id))) return sessionNotFound();
  const [, streamId, index] = LAST_EVENT.exec(headers.get("Last-Event-ID") ?? "") ?? [];
  const isAnswerMissing = streamId !== undefined && Number(index) === 0;
  const answer = isAnswerMissing && (await objectOf(env, id).resume(streamId));
  return eventStream(answer ? formatAnswerEvent(streamId, answer) : "");
}

async function answerDelete(id: string, { env }: Call): Promise<Response> {
  if (!(await openSession(env, id))) return sessionNotFound();
  sessions.forget(id);
  await callObject("any", () => Promise.resolve(objectOf(env, id).end()));
  return new Response(null, { status: 204 });
}

function answerRequest(
  received: McpRequest,
  id: string | undefined,
  call: Call,
): Promise<Response> | Response {
  const { request } = received;
  if (request.method === "POST") return answerPost(received, id, call);
  const refusal = id === undefined ? sessionNotFound() : checkVersion(request);
  if (refusal || id === undefined) return refusal ?? sessionNotFound();
  return request.method === "GET" ? answerGet(request, id, call) : answerDelete(id, call);
}

/** Answers clients up to 2025-11-25, in a session. The caller is admitted by the tool called, or by `ctx`. Throws 401. */
export async function serveSession(
  received: McpRequest,
  call: Call,
  account: Parameters<typeof globalAccountId>[0],
): Promise<Response> {
  const keys = await signingKeys(call.env);
  const name = globalAccountId(account);
  const sent = received.request.headers.get(SESSION_HEADER);
  const id = sent === null ? undefined : await verifySessionId(sent, name, keys);
  const isUnknown = sent !== null && id === undefined;
  const response = isUnknown ? sessionNotFound() : await answerRequest(received, id, call);
  if (!response.ok) await call.ctx.admit();
  const newId = response.headers.get(SESSION_HEADER);
  return newId ? withHeaders(response, { [SESSION_HEADER]: await sealSession(newId, name, keys) }) : response;
}
