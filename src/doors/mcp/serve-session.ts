import { accountName } from "../../contract/home.ts";
import type { Env } from "../../env.ts";
import type { CallerCtx } from "../../features/auth/caller-store.ts";
import { signingKeys } from "../../features/auth/token.ts";
import { askObject } from "../../platform/bindings/objects.ts";
import { unauthorized } from "../../platform/core/errors.ts";
import { CALLER_HEADER, type Caller, writeCaller } from "./caller.ts";
import { firstEvent } from "./events.ts";
import { asOneRequest, BEGIN_HEADER, UnknownSession } from "./one-request.ts";
import { ENDED, isEnded } from "./register.ts";
import { rpcError, withHeaders } from "./rpc.ts";
import { McpSession } from "./session.ts";
import { openSessionId, sealSession } from "./session-id.ts";

export const SESSION = "Mcp-Session-Id";
export const VERSION = "MCP-Protocol-Version";

const sessions = McpSession.serve("/mcp", { binding: "MCP_SESSIONS" });

const decoder = new TextDecoder();

function isRefusal(event: Uint8Array | undefined): boolean {
  const text = decoder.decode(event);
  // Saves parsing answers, which may be long.
  if (!text.includes(String(ENDED.code))) return false;
  const [, data] = /^data: (\{.*\})$/m.exec(text) ?? [];
  return data !== undefined && isEnded(JSON.parse(data));
}

const isStream = ({ headers }: Response) => headers.get("Content-Type")?.startsWith("text/event-stream");

/** Waits for a stream's first event, while the status can still be chosen; `opening` is sent before it. Throws 401. */
async function afterFirstEvent(response: Response, opening: string): Promise<Response> {
  if (!isStream(response) || !response.body) return response;
  const reader = response.body.getReader();
  const { value } = await reader.read();
  if (isRefusal(value)) {
    // The object answers every message of a batch, and the library reports a stream that is closed before.
    while (!(await reader.read()).done);
    throw unauthorized();
  }
  reader.releaseLock();
  const ahead = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => {
      if (opening !== "") controller.enqueue(new TextEncoder().encode(opening));
      if (value) controller.enqueue(value);
    },
  });
  return new Response(response.body.pipeThrough(ahead), response);
}

/** The revision whose clients accept a stream that begins with an empty event. */
const PRIMED = "2025-11-25";

const openingOf = ({ headers }: Request, streamId: string): string =>
  headers.get(VERSION) === PRIMED ? firstEvent(streamId) : "";

function forSession(request: Request, id: string | undefined, caller: Caller, streamId: string): Request {
  const headers = new Headers(request.headers);
  if (id !== undefined) headers.set(SESSION, id);
  headers.set(CALLER_HEADER, writeCaller(caller));
  headers.delete("Authorization");
  headers.delete(BEGIN_HEADER);
  const url = new URL(request.url);
  url.search = `?_pk=${streamId}`;
  return new Request(url, new Request(request, { headers }));
}

/** How long a resumed stream stays open. Then its client reconnects, and its token is checked again. */
const RESUMED_MS = 5_000;

function timeLimited(response: Response): Response {
  if (!response.ok || !response.body) return response;
  const limited = new TransformStream({
    start: (controller) => {
      setTimeout(() => controller.terminate(), RESUMED_MS);
    },
  });
  return new Response(response.body.pipeThrough(limited), response);
}

const sessionNotFound = () => rpcError(404, -32001, "Session not found: initialize a new one");

type SessionCall = { env: Env; context: ExecutionContext; caller: Caller };

async function ask(request: Request, id: string | undefined, { env, context, caller }: SessionCall) {
  // Ending a session is another call, and rare.
  const bindings =
    request.method === "DELETE" ? env : { ...env, MCP_SESSIONS: asOneRequest(env.MCP_SESSIONS) };
  // No props: a session must store nothing about its caller.
  const anonymous = { waitUntil: context.waitUntil.bind(context), props: {} } as unknown as ExecutionContext;
  const streamId = crypto.randomUUID();
  const toSession = forSession(request, id, caller, streamId);
  const asked = askObject(request.method === "GET" ? "none" : "any", () =>
    sessions.fetch(toSession, bindings, anonymous),
  );
  const response = await asked.catch((problem: unknown) => {
    if (problem instanceof UnknownSession) return sessionNotFound();
    throw problem;
  });
  return request.method === "POST"
    ? afterFirstEvent(response, openingOf(request, streamId))
    : timeLimited(response);
}

/** Clients up to 2025-11-25: a Durable Object keeps their session and admits the caller, or `ctx` does. Throws 401. */
export async function serveSession(request: Request, call: SessionCall, ctx: CallerCtx): Promise<Response> {
  const keys = await signingKeys(call.env);
  const account = accountName(call.caller.credential);
  const sent = request.headers.get(SESSION);
  const id = sent === null ? undefined : await openSessionId(sent, account, keys);
  const isUnknown = sent !== null && id === undefined;
  const response = isUnknown ? sessionNotFound() : await ask(request, id, call);
  if (!response.ok) await ctx.admit();
  const given = response.headers.get(SESSION);
  return given ? withHeaders(response, { [SESSION]: await sealSession(given, account, keys) }) : response;
}
