import { app } from "./app.ts";
import type { Env } from "./env.ts";
import { isFromFront } from "./platform/http/front.ts";
import { purge } from "./purge.ts";

export { McpSession } from "./doors/mcp/session.ts";
export { CodeTrade } from "./doors/oauth/code-trade.ts";
export { Account } from "./features/jobs/account.ts";
export { RateLimiter } from "./platform/rate-limit/rate-limiter.ts";

export default {
  fetch: app.fetch,
  scheduled: (event, env) => {
    // `wrangler dev` runs this for anyone who reaches its port, so `npm start` sends its secret instead of a schedule.
    if (!isFromFront(env.FRONT_SECRET, event.cron)) throw new Error("Not triggered by npm start");
    return purge(env);
  },
} satisfies ExportedHandler<Env>;
