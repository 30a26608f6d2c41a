import type { McpSession } from "./mcp/session.ts";
import type { CodeTrade } from "./oauth/code-trade.ts";
import type { RateLimiter } from "./rate-limit/rate-limiter.ts";

/** The bindings of wrangler.toml and the secrets. */
export type Env = {
  DB: D1Database;
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>;
  MCP_SESSIONS: DurableObjectNamespace<McpSession>;
  CODE_TRADES: DurableObjectNamespace<CodeTrade>;
  OAUTH_KV: KVNamespace;
  USER_LIMIT: RateLimit;

  JWT_SECRET: string;
  JWT_SECRET_PREVIOUS?: string;
  /** Made anew by each `npm start`; see core/front.ts. */
  FRONT_SECRET?: string;

  REGISTRATION: string;
  CORS_ORIGINS: string;
  API_URL: string;
  MCP_URL: string;
  MCP_ORIGINS: string;
  ALLOWED_HOSTS: string;
  TRUST_CLIENT_IP: string;
  PLAN_TIER: string;

  RATE_LIMIT_LOGIN: string;
  RATE_LIMIT_REGISTER: string;
  RATE_LIMIT_REFRESH: string;
  RATE_LIMIT_ACCOUNT: string;
  RATE_LIMIT_USER: string;
  RATE_LIMIT_MCP_LOGIN: string;
  RATE_LIMIT_CLIENT_REGISTRATION: string;
  RATE_LIMIT_CLIENT_METADATA: string;
};
