import { app } from "./app.ts";
import type { Env } from "./env.ts";
import { purge } from "./purge.ts";

export { McpSession } from "./mcp/session.ts";
export { CodeTrade } from "./oauth/code-trade.ts";
export { RateLimiter } from "./rate-limit/rate-limiter.ts";

export default {
  fetch: app.fetch,
  scheduled: (_event, env) => purge(env),
} satisfies ExportedHandler<Env>;
