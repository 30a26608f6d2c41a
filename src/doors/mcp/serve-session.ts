import { accountName } from "../../contract/home.ts";
import type { Env } from "../../env.ts";
import { signingKeys } from "../../features/auth/token.ts";
import { askObject } from "../../platform/bindings/objects.ts";
import { isDiskFull } from "../../platform/core/disk.ts";
import { remembering } from "../../platform/core/recent.ts";
import { isReadOnly } from "../../platform/tools/tool.ts";
import { type ClientCtx, clientName } from "./caller.ts";
import {
  type Asked,
  acceptsStreams,
  answerEvent,
  answerTo,
  type Id,
  isRequest,
  type Message,
  PRIMED,
  primedStream,
  type Received,
  refusePost,
  refuseVersion,
  streamOf,
  VERSION,
} from "./messages.ts";
import { callIn } from "./register.ts";
import { rpcError, withHeaders } from "./rpc.ts";
import type { Initialize, McpSession } from "./session.ts";
import { newSessionId, openSessionId, sealSession } from "./session-id.ts";

// Streamable HTTP of the revisions up to 2025-11-25. A call is answered here; the object of its session only knows that
// there is one, and keeps the answers to changes, for which a client may ask again.

export const SESSION = "Mcp-Session-Id";
const objectOf = (env: Env, id: string) =>
  env.MCP_SESSIONS.getByName(`streamable-http:${id}`) as unknown as DurableObjectStub<McpSession>;

/** The sessions that this isolate has seen, so that a call does not have to ask whether there is one. */
const OPEN_MS = 60_000;
const MAX_KNOWN = 5000;
const known = remembering<string, { client_name: string | undefined; seen: number }>(MAX_KNOWN);

function remember(id: string, { params }: Initialize) {
  const { title, name } = params?.clientInfo ?? {};
  const session = { client_name: clientName(title ?? name), seen: Date.now() };
  known.set(id, session);
  return session;
}

async function openSession(env: Env, id: string) {
  const last = known.get(id);
  if (last && (isDiskFull() || Date.now() - last.seen < OPEN_MS)) return last;
  const began = await askObject("none", () => Promise.resolve(objectOf(env, id).open()));
  return began && remember(id, began as Initialize);
}

const sessionNotFound = () => rpcError(404, -32001, "Session not found: initialize a new one");

type Call = { env: Env; context: ExecutionContext; ctx: ClientCtx };

/** Begins a session. The caller has been admitted. */
async function begin(message: Message & { id: Id }, { env, ctx }: Call): Promise<Response> {
  const id = newSessionId();
  const { params = {} } = message;
  const { protocolVersion, capabilities, clientInfo } = params;
  const { jsonrpc: _, ...request } = {
    ...message,
    params: { protocolVersion, capabilities, clientInfo },
  } as Received;
  // On a full disk it is known to this isolate only, which is enough for a client that initializes again when it is not.
  if (!isDiskFull())
    await askObject("any", () => Promise.resolve(objectOf(env, id).begin(request as Initialize)));
  remember(id, request as Initialize);
  const response = Response.json(await answerTo(message, ctx));
  response.headers.set(SESSION, id);
  return response;
}

const isInitialize = ({ method }: Message) => method === "initialize";

async function answerPost({ request, body }: Asked, id: string | undefined, call: Call): Promise<Response> {
  const refusal = refusePost(request, body);
  if (refusal) return refusal;
  const messages = [body].flat() as Message[];
  const beginning = messages.filter(isRequest).find(isInitialize);
  if (!beginning) return answerInSession({ request, body }, id, call);
  if (messages.length === 1 && id === undefined) return begin(beginning, call);
  return rpcError(400, -32600, "Invalid Request: initialize comes alone, and begins a session");
}

async function answerInSession({ request, body }: Asked, id: string | undefined, call: Call) {
  const { env, ctx } = call;
  if (id === undefined) return rpcError(400, -32000, `Bad Request: ${SESSION} is missing: initialize first`);
  const refusal = refuseVersion(request);
  if (refusal) return refusal;
  const session = await openSession(env, id);
  if (!session) return sessionNotFound();
  const requests = ([body].flat() as Message[]).filter(isRequest);
  const [only] = requests;
  if (!only) return new Response(null, { status: 202 });
  if (session.client_name !== undefined) ctx.client_name ??= session.client_name;
  if (Array.isArray(body)) return Response.json(await Promise.all(requests.map((one) => answerTo(one, ctx))));
  const answering = answerTo(only, ctx);
  return request.headers.get(VERSION) === PRIMED && acceptsStreams(request) && changes(only)
    ? answerPrimed(id, answering, call)
    : Response.json(await answering);
}

/** Whether a client that lost the answer cannot simply call again. To keep an answer costs a request to the object and rows. */
function changes({ method, params }: Message): boolean {
  const called = callIn(method, params);
  return called !== undefined && !isReadOnly(called.tool);
}

/** Goes on without a client that has left, and asks for the answer later. */
async function answerPrimed(id: string, answering: Promise<object>, { env, context }: Call) {
  const streamId = crypto.randomUUID();
  const text = answering.then((answer) => JSON.stringify(answer));
  context.waitUntil(text.then((answer) => keep(env, id, streamId, answer)).catch(() => {}));
  return primedStream(streamId, await text);
}

async function keep(env: Env, id: string, streamId: string, answer: string): Promise<void> {
  if (!(await objectOf(env, id).keep(streamId, answer))) known.forget(id);
}

const LAST_EVENT = /^([0-9a-f-]{36}):(\d{16})$/;

/** Repeats what followed the event that a client received last. */
async function answerGet({ headers }: Request, id: string, { env }: Call): Promise<Response> {
  if (!(await openSession(env, id))) return sessionNotFound();
  const [, streamId, place] = LAST_EVENT.exec(headers.get("Last-Event-ID") ?? "") ?? [];
  const isAnswerMissing = streamId !== undefined && Number(place) === 0;
  const answer = isAnswerMissing && (await objectOf(env, id).resume(streamId));
  return streamOf(answer ? answerEvent(streamId, answer) : "");
}

async function answerDelete(id: string, { env }: Call): Promise<Response> {
  if (!(await openSession(env, id))) return sessionNotFound();
  known.forget(id);
  await askObject("any", () => Promise.resolve(objectOf(env, id).end()));
  return new Response(null, { status: 204 });
}

function answerOne(asked: Asked, id: string | undefined, call: Call): Promise<Response> | Response {
  const { request } = asked;
  if (request.method === "POST") return answerPost(asked, id, call);
  const refusal = id === undefined ? sessionNotFound() : refuseVersion(request);
  if (refusal || id === undefined) return refusal ?? sessionNotFound();
  return request.method === "GET" ? answerGet(request, id, call) : answerDelete(id, call);
}

/** Clients up to 2025-11-25, in a session. The tool that is called admits the caller, or `ctx` does. Throws 401. */
export async function serveSession(
  asked: Asked,
  call: Call,
  account: Parameters<typeof accountName>[0],
): Promise<Response> {
  const keys = await signingKeys(call.env);
  const name = accountName(account);
  const sent = asked.request.headers.get(SESSION);
  const id = sent === null ? undefined : await openSessionId(sent, name, keys);
  const isUnknown = sent !== null && id === undefined;
  const response = isUnknown ? sessionNotFound() : await answerOne(asked, id, call);
  if (!response.ok) await call.ctx.admit();
  const given = response.headers.get(SESSION);
  return given ? withHeaders(response, { [SESSION]: await sealSession(given, name, keys) }) : response;
}
