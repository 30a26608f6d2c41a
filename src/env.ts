/** The bindings of wrangler.toml and the secrets. What a Durable Object can do is told where it is called. */
export type Env = {
  DB: D1Database;
  RATE_LIMITER: DurableObjectNamespace;
  MCP_SESSIONS: DurableObjectNamespace;
  CODE_TRADES: DurableObjectNamespace;
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
