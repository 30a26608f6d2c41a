import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { parseAccept } from "hono/utils/accept";
import { unauthorized } from "../../platform/core/errors.ts";
import type { ClientCtx } from "./caller.ts";
import { answerMethod, isConnectionEnded, isMethod } from "./register.ts";
import { rpcError } from "./rpc.ts";
import { fullServerInfo, SERVER_OPTIONS } from "./server-info.ts";

// JSON-RPC and Streamable HTTP of the revisions up to 2025-11-25, without the session.

export const VERSION_HEADER = "MCP-Protocol-Version";

export type RpcMessage = { method?: unknown; params?: Record<string, unknown>; id?: unknown };
export type McpRequest = { request: Request; body: unknown };
export type MessageId = string | number;

/** The revision whose clients accept a stream that begins with an empty event, from whose id they can resume. */
export const RESUMABLE_VERSION = "2025-11-25";

export const isMessage = (value: unknown): value is RpcMessage =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isRequest = (message: RpcMessage): message is RpcMessage & { id: MessageId; method: string } =>
  typeof message.method === "string" && ["string", "number"].includes(typeof message.id);

/** Whether a message is a request that `answerMethod` handles, which admits its caller. */
export const isHandledRequest = (message: RpcMessage): boolean =>
  isRequest(message) && isMethod(message.method);

const supportedVersions = SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version <= RESUMABLE_VERSION);

function initialize(
  { protocolVersion }: Record<string, unknown> = {},
  { public_url = "" }: ClientCtx,
): object {
  const requested = supportedVersions.find((version) => version === protocolVersion);
  return {
    protocolVersion: requested ?? RESUMABLE_VERSION,
    serverInfo: fullServerInfo(public_url),
    ...SERVER_OPTIONS,
  };
}

const withoutNulls = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

function plainMessage(message: RpcMessage): RpcMessage {
  const { params, ...rest } = message;
  if (!isMessage(params)) return params === null ? rest : message;
  const { _meta, arguments: sent, ...otherParams } = withoutNulls(params);
  return {
    ...rest,
    params: {
      ...otherParams,
      ...(_meta !== undefined && { _meta: isMessage(_meta) ? withoutNulls(_meta) : _meta }),
      // The arguments of a tool are parsed by platform/tools/tool-input.ts.
      ...(sent !== undefined && {
        arguments: isMessage(sent) && rest.method === "prompts/get" ? withoutNulls(sent) : sent,
      }),
    },
  };
}

/** A message or a batch without null values: many libraries send null for a parameter without a value. */
export const withoutNullParams = (body: unknown): unknown =>
  Array.isArray(body) ? body.map(withoutNullParams) : isMessage(body) ? plainMessage(body) : body;

type Failure = { code?: number; message?: string; data?: unknown };

async function resultOf({ method, params }: RpcMessage, ctx: ClientCtx): Promise<object> {
  if (method === "initialize") return initialize(params, ctx);
  if (method === "ping") return {};
  if (isMethod(method)) return answerMethod(method, params, ctx);
  throw Object.assign(new Error("Method not found"), { code: -32601 });
}

/** Answers one request. Throws 401 for a caller who is not admitted. */
export async function answerMessage(
  request: RpcMessage & { id: MessageId },
  ctx: ClientCtx,
): Promise<object> {
  const { id } = request;
  try {
    return { jsonrpc: "2.0", id, result: await resultOf(request, ctx) };
  } catch (problem) {
    const { code = -32603, message, data } = problem as Failure;
    const error = { code, message, ...(data !== undefined && { data }) };
    if (isConnectionEnded({ error: error as never })) throw unauthorized();
    return { jsonrpc: "2.0", id, error };
  }
}

const EVENT_STREAM = "text/event-stream";

const eventOf = (streamId: string, index: number, data: string, type = "") =>
  `${type}id: ${streamId}:${String(index).padStart(16, "0")}\ndata: ${data}\n\n`;

export const eventStream = (text: string) =>
  new Response(text, {
    headers: { "Content-Type": EVENT_STREAM, "Cache-Control": "no-cache, no-transform" },
  });

export const formatAnswerEvent = (streamId: string, data: string) =>
  eventOf(streamId, 1, data, "event: message\n");

/** Begins with an empty event. From its id a client can resume if it loses the answer that follows. */
export const resumableStream = (streamId: string, data: string) =>
  eventStream(eventOf(streamId, 0, "") + formatAnswerEvent(streamId, data));

/** The accepted media types in lower case; without the header, all (RFC 9110 section 12.5.1). */
const acceptedBy = ({ headers }: Request) =>
  parseAccept(headers.get("Accept") ?? "*/*").map(({ type }) => type.toLowerCase());

/** Whether a client explicitly accepts streams. One that accepts anything gets JSON, which all clients can read. */
export const acceptsStreams = (request: Request): boolean => acceptedBy(request).includes(EVENT_STREAM);

function refuseHeaders(request: Request): Response | undefined {
  const { headers } = request;
  if (!acceptedBy(request).some((type) => ["application/json", "application/*", "*/*"].includes(type)))
    return rpcError(406, -32000, `Not Acceptable: accept application/json, and ${EVENT_STREAM} for streams`);
  if (!/^application\/json\b/i.test(headers.get("Content-Type") ?? ""))
    return rpcError(415, -32000, "Unsupported Media Type: Content-Type must be application/json");
  return undefined;
}

export function checkVersion({ headers }: Request): Response | undefined {
  const version = headers.get(VERSION_HEADER);
  return version === null || supportedVersions.includes(version)
    ? undefined
    : rpcError(400, -32000, `Bad Request: Unsupported protocol version: ${version}`);
}

function refuseBody(body: unknown): Response | undefined {
  const messages = [body].flat();
  const isValid = messages.length > 0 && messages.every((one) => isMessage(one) && isValidMessage(one));
  return isValid ? undefined : rpcError(400, -32600, "Invalid Request: not a JSON-RPC message");
}

export type ReceivedMessage = RpcMessage & { jsonrpc?: unknown; result?: unknown; error?: unknown };

function isValidMessage({ jsonrpc, method, id, params, result, error }: ReceivedMessage): boolean {
  if (jsonrpc !== "2.0" || !["string", "number", "undefined"].includes(typeof id)) return false;
  if (method === undefined) return result !== undefined || error !== undefined;
  return typeof method === "string" && (params === undefined || isMessage(params));
}

/** The error for a request that is rejected before its session is looked up. */
export const checkPost = (request: Request, body: unknown): Response | undefined =>
  refuseHeaders(request) ?? refuseBody(body);
