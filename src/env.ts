import type { RateLimiter } from "./rate-limit/rate-limiter.ts";

/** The bindings of wrangler.toml and the secrets. */
export type Env = {
  DB: D1Database;
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>;

  JWT_SECRET: string;
  JWT_SECRET_PREVIOUS?: string;

  REGISTRATION: string;
  CORS_ORIGINS: string;
  TRUST_CLIENT_IP: string;
  PLAN_TIER: string;

  RATE_LIMIT_LOGIN: string;
  RATE_LIMIT_REGISTER: string;
  RATE_LIMIT_REFRESH: string;
  RATE_LIMIT_ACCOUNT: string;
};
