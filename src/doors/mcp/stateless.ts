import { Server } from "@modelcontextprotocol/server";
import { createMcpHandler } from "agents/mcp/server";
import type { ClientCtx } from "./caller.ts";
import { answer, METHODS } from "./register.ts";
import { SERVER_INFO, SERVER_OPTIONS } from "./server-info.ts";

/** A server for one request of MCP 2026-07-28. Its answers depend on the user, so no cache may share them. */
function serverFor(ctx: ClientCtx): Server {
  const server = new Server(SERVER_INFO, SERVER_OPTIONS);
  for (const method of METHODS) {
    server.setRequestHandler(method, async (request) => (await answer(method, request.params, ctx)) as never);
  }
  return server;
}

const handler = createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra?.ctx as ClientCtx), {
  legacy: "reject",
  corsOptions: false,
  // routes.ts has already checked Host and Origin.
  allowedOriginHostnames: "*",
  onerror: (error) => console.error(JSON.stringify({ mcp: error.message })),
});

/** Answers a request of MCP 2026-07-28. Throws 401 for a caller who is not admitted. */
export async function serveStateless(request: Request, ctx: ClientCtx): Promise<Response> {
  const scopes = [...(ctx.scopes ?? [])];
  const authInfo = { token: "", clientId: ctx.client_name ?? "", scopes, extra: { ctx } };
  const response = await handler.fetch(request, { authInfo });
  await ctx.admit();
  return response;
}
