import { app } from "../../src/app.ts";
import type { Env } from "../../src/env.ts";
import { type Meter, meterDatabase } from "./meter.ts";
import { answerPart } from "./search-parts.ts";

export { McpSession } from "../../src/doors/mcp/session.ts";
export { AuthorizationCodeExchange as CodeTrade } from "../../src/doors/oauth/authorization-code-exchange.ts";
export { AccountObject as Account } from "../../src/features/jobs/account.ts";
export { RateLimiter } from "../../src/platform/rate-limit/rate-limiter.ts";

// The service with the cost of each request in its headers, and with the parts of a search as endpoints.

export default {
  async fetch(request, env, context) {
    const part = await answerPart(request, env);
    if (part) return part;
    const meter: Meter = { rowsRead: 0, rowsWritten: 0, calls: 0 };
    const answer = await app.fetch(request, { ...env, DB: meterDatabase(env.DB, meter) }, context);
    const headers = new Headers(answer.headers);
    headers.set("X-Cost", JSON.stringify(meter));
    return new Response(answer.body, { status: answer.status, headers });
  },
} satisfies ExportedHandler<Env>;
