import type { Context } from "hono";
import type { AppEnv } from "../core/ctx.ts";
import { notFound } from "../core/errors.ts";
import { createRouter } from "../core/openapi.ts";
import { limitByAddress } from "../rate-limit/limit.ts";
import { mcpUrlOf } from "./address.ts";
import { oauthProvider } from "./provider.ts";

/** The library answers; on a host that serves no MCP there is nothing to ask for. */
async function answer(c: Context<AppEnv>): Promise<Response> {
  const mcpUrl = mcpUrlOf(c.env.MCP_URL, new URL(c.req.url));
  if (!mcpUrl) throw notFound();
  return oauthProvider(mcpUrl).fetch(c.req.raw, c.env, c.executionCtx as ExecutionContext);
}

/** The OAuth 2.1 server's own endpoints: tokens and their revocation, and the registration of clients. */
export const oauthRoutes = createRouter()
  .post("/register", limitByAddress("RATE_LIMIT_CLIENT_REGISTRATION"), answer)
  .options("/register", answer)
  .on(["POST", "OPTIONS"], "/token", answer);

const READING = ["GET", "OPTIONS"];

/** Where clients find the two above (RFC 8414, RFC 9728). */
export const wellKnownRoutes = createRouter()
  .on(READING, "/oauth-authorization-server/*", answer)
  .on(READING, "/oauth-authorization-server", answer)
  .on(READING, "/oauth-protected-resource/*", answer)
  .on(READING, "/oauth-protected-resource", answer);
