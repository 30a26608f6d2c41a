import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { isAllowedOrigin, mcpUrlFor } from "./address.ts";

/** Response headers that clients need, apart from those that every page may read. */
const EXPOSED =
  "WWW-Authenticate, Mcp-Session-Id, Retry-After, RateLimit, RateLimit-Policy, Error-Code, X-Request-Id";

/**
 * Middleware: lets clients in web pages read all responses of MCP and of its OAuth server, including errors. Without cookies,
 * which these routes do not use. Responses of /mcp are readable only by the origins that may call it.
 */
export const allowReadingByPages: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const origin = c.req.header("Origin");
  if (origin === undefined) return;
  const mcpUrl = mcpUrlFor(c.env.MCP_URL, new URL(c.req.url));
  if (!mcpUrl || (c.req.path.startsWith("/mcp") && !isAllowedOrigin(origin, mcpUrl, c.env.MCP_ORIGINS)))
    return;
  c.header("Access-Control-Allow-Origin", origin);
  c.header("Access-Control-Expose-Headers", EXPOSED);
};
