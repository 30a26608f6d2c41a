import type { Context } from "hono";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { createRouter } from "../../platform/http/openapi.ts";
import { isAllowedOrigin, logWrongAddress, mcpUrlFor } from "../oauth/address.ts";
import { callProvider } from "../oauth/provider.ts";
import { rpcError, withHeaders } from "./rpc.ts";
import { serveMcp } from "./serve.ts";

const METHODS = ["POST", "GET", "DELETE", "OPTIONS"];

const METADATA = "/.well-known/oauth-protected-resource/mcp";

/** The challenge of the URL with a slash names the metadata of that URL (RFC 9728 section 3.3). */
function withSlash(answer: Response): Response {
  const challenge = answer.headers.get("WWW-Authenticate");
  return challenge === null
    ? answer
    : withHeaders(answer, { "WWW-Authenticate": challenge.replace(`${METADATA}"`, `${METADATA}/"`) });
}

/** The MCP endpoint for both generations of clients. Checks Host and Origin before anything is read. */
async function answerMcp(c: Context<AppEnv>, request: Request): Promise<Response> {
  const url = new URL(c.req.url);
  logWrongAddress(c.env.MCP_URL, url);
  const mcpUrl = mcpUrlFor(c.env.MCP_URL, url);
  if (!mcpUrl)
    return rpcError(403, -32000, `Invalid Host: connect to ${c.env.MCP_URL || "the address in MCP_URL"}`);
  const origin = c.req.header("Origin") ?? null;
  if (!isAllowedOrigin(origin, mcpUrl, c.env.MCP_ORIGINS))
    return rpcError(403, -32000, `Invalid Origin: ${origin}`);
  const options = { env: c.env, context: c.executionCtx as ExecutionContext };
  return callProvider(mcpUrl, request, options, serveMcp);
}

/** Also mounted at `/mcp/`, because people may type the URL with a slash. */
export const mcpRoutes = createRouter().on(METHODS, "/", async (c) =>
  c.req.path === "/mcp"
    ? answerMcp(c, c.req.raw)
    : withSlash(await answerMcp(c, new Request(new URL("/mcp", c.req.url), c.req.raw))),
);
