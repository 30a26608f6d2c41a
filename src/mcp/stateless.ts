import { Server } from "@modelcontextprotocol/server";
import { createMcpHandler } from "agents/mcp/server";
import type { Ctx } from "../core/ctx.ts";
import { answer, METHODS } from "./register.ts";
import { SERVER_INFO, SERVER_OPTIONS } from "./server-info.ts";

/** A server for one request of MCP 2026-07-28. Its answers depend on the user, so no cache may share them. */
function serverFor(ctx: Ctx): Server {
  const server = new Server(SERVER_INFO, SERVER_OPTIONS);
  for (const method of METHODS) {
    server.setRequestHandler(method, async (request) => (await answer(method, request.params, ctx)) as never);
  }
  return server;
}

const handler = createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra?.ctx as Ctx), {
  legacy: "reject",
  corsOptions: false,
  // serve.ts has compared Host and Origin before.
  allowedOriginHostnames: "*",
  onerror: (error) => console.error(JSON.stringify({ mcp: error.message })),
});

/** Answers a request of MCP 2026-07-28. */
export const serveStateless = (request: Request, ctx: Ctx): Promise<Response> =>
  handler.fetch(request, {
    authInfo: { token: "", clientId: ctx.client_name ?? "", scopes: [...(ctx.scopes ?? [])], extra: { ctx } },
  });
