import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { isAllowedOrigin, mcpUrlOf } from "./address.ts";

/** What a client goes on with, besides what every page may read. */
const EXPOSED = [
  ...["WWW-Authenticate", "Mcp-Session-Id", "Retry-After", "RateLimit", "RateLimit-Policy"],
  ...["Error-Code", "X-Request-Id"],
].join(", ");

/**
 * Middleware: clients in pages read every answer of MCP and of its OAuth server, refusals too, or they could not say what is
 * wrong. Never with cookies, which nothing here looks at. What /mcp answers is for the origins that may call it.
 */
export const readableByPages: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const origin = c.req.header("Origin");
  if (origin === undefined) return;
  const mcpUrl = mcpUrlOf(c.env.MCP_URL, new URL(c.req.url));
  if (!mcpUrl || (c.req.path.startsWith("/mcp") && !isAllowedOrigin(origin, mcpUrl, c.env.MCP_ORIGINS)))
    return;
  c.header("Access-Control-Allow-Origin", origin);
  c.header("Access-Control-Expose-Headers", EXPOSED);
};
