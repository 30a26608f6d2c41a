import { app } from "./app.ts";
import type { Env } from "./env.ts";
import { AccountObject } from "./features/jobs/account.ts";
import { isFromFront } from "./platform/http/front.ts";
import { purge, purgeHome } from "./purge.ts";

export { McpSession } from "./doors/mcp/session.ts";
export { AuthorizationCodeExchange as CodeTrade } from "./doors/oauth/authorization-code-exchange.ts";
export { RateLimiter } from "./platform/rate-limit/rate-limiter.ts";

export class Account extends AccountObject {
  /** The cron handler's work for one shard, in an invocation of its own. */
  purgeHome(home: number): Promise<void> {
    return purgeHome(this.env, home);
  }
}

export default {
  fetch: app.fetch,
  scheduled: (event, env) => {
    // `wrangler dev` runs this for any request to its port, so `npm start` sends its secret in place of a schedule.
    if (!isFromFront(env.FRONT_SECRET, event.cron)) throw new Error("Not triggered by npm start");
    return purge(env);
  },
} satisfies ExportedHandler<Env>;
