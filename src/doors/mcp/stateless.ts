import {
  classifyInboundRequest,
  isJsonContentType,
  SERVER_INFO_META_KEY,
  Server,
} from "@modelcontextprotocol/server";
import { createMcpHandler } from "agents/mcp/server";
import { z } from "zod";
import type { ClientCtx } from "./caller.ts";
import {
  answerMessage,
  isRequest,
  type McpRequest,
  type MessageId,
  type RpcMessage,
  VERSION_HEADER,
} from "./messages.ts";
import { answerMethod, findToolCall, isExtensionMethod, MCP_METHODS } from "./register.ts";
import { fullServerInfo, SERVER_INFO, SERVER_OPTIONS } from "./server-info.ts";

/** Our own handlers validate the parameters. */
const ANY = z.looseObject({});

/** A server for one request of MCP 2026-07-28. Its responses depend on the user, so caches must not share them. */
function serverFor(ctx: ClientCtx, method: unknown): Server {
  const info = method === "server/discover" ? fullServerInfo(ctx.public_url ?? "") : SERVER_INFO;
  const server = new Server(info, SERVER_OPTIONS);
  for (const method of MCP_METHODS) {
    const answer = async (params: RpcMessage["params"]) => (await answerMethod(method, params, ctx)) as never;
    if (isExtensionMethod(method)) server.setRequestHandler(method, { params: ANY }, answer);
    else server.setRequestHandler(method, ({ params }) => answer(params));
  }
  return server;
}

const handler = createMcpHandler(
  ({ authInfo }) => {
    const { ctx, method } = authInfo?.extra ?? {};
    return serverFor(ctx as ClientCtx, method);
  },
  {
    legacy: "reject",
    corsOptions: false,
    // routes.ts has already checked Host and Origin.
    allowedOriginHostnames: "*",
    onerror: (error) => console.error(JSON.stringify({ mcp: error.message })),
  },
);

type Call = RpcMessage & { id: MessageId };

const REVISION = "2026-07-28";

/** A tool call whose headers match its body, as most do. The library would spend a quarter of the time creating a server. */
function plainCall({ request: { method: httpMethod, headers }, body }: McpRequest): Call | undefined {
  const message = body as RpcMessage;
  const { method, params } = message;
  const [version, name] = [headers.get(VERSION_HEADER), headers.get("Mcp-Name")];
  const isMatch = version === REVISION && headers.get("Mcp-Method") === method && name === params?.name;
  if (!isMatch || !isRequest(message) || !isJsonContentType(headers.get("Content-Type"))) return undefined;
  const isMalformed = typeof (params?.arguments ?? {}) !== "object" || Array.isArray(params?.arguments);
  if (isMalformed || findToolCall(method, params) === undefined) return undefined;
  const route = classifyInboundRequest({ httpMethod, body, protocolVersionHeader: version });
  return route.kind === "modern" && route.messageKind === "request" ? message : undefined;
}

async function answerPlainCall(call: Call, ctx: ClientCtx): Promise<Response> {
  const { result, ...envelope } = (await answerMessage(call, ctx)) as { result?: { _meta?: object } };
  if (!result) return Response.json(envelope);
  const _meta = { ...result._meta, [SERVER_INFO_META_KEY]: SERVER_INFO };
  return Response.json({ ...envelope, result: { ...result, _meta, resultType: "complete" } });
}

function answerByLibrary({ request, body }: McpRequest, ctx: ClientCtx): Promise<Response> {
  const scopes = [...(ctx.scopes ?? [])];
  const extra = { ctx, method: (body as RpcMessage).method };
  const authInfo = { token: "", clientId: ctx.client_name ?? "", scopes, extra };
  return handler.fetch(request, { authInfo, parsedBody: body });
}

/** Answers a request of MCP 2026-07-28. Throws 401 for a caller who is not admitted. */
export async function serveStateless({ request, body }: McpRequest, ctx: ClientCtx): Promise<Response> {
  const call = plainCall({ request, body });
  const response = await (call ? answerPlainCall(call, ctx) : answerByLibrary({ request, body }, ctx));
  await ctx.admit();
  return response;
}
