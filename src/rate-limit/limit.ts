import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../core/ctx.ts";
import { tooManyRequests } from "../core/errors.ts";
import type { Env } from "../env.ts";
import { clientAddress } from "./client-address.ts";
import { parseLimit } from "./parse-limit.ts";

/** The settings that hold a limit, by their names in wrangler.toml. */
export type LimitName = Extract<keyof Env, `RATE_LIMIT_${string}`>;

const limiterOf = (env: Env, name: LimitName, key: string) => env.RATE_LIMITER.getByName(`${name}:${key}`);

/** Counts an attempt of this key; throws 429 when there were too many. */
export async function takeAttempt(env: Env, name: LimitName, key: string): Promise<void> {
  const wait = await limiterOf(env, name, key).take(parseLimit(name, env[name]));
  if (wait > 0) throw tooManyRequests(wait);
}

/** Forgets the attempts of this key. */
export async function clearAttempts(env: Env, name: LimitName, key: string): Promise<void> {
  await limiterOf(env, name, key).clear();
}

/** Middleware: limits a route by client address, before its body is even read. */
export const limitByAddress =
  (name: LimitName): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const trusted = /^(true|yes|1)$/i.test(c.env.TRUST_CLIENT_IP);
    await takeAttempt(c.env, name, clientAddress(c.req.header("CF-Connecting-IP"), trusted));
    await next();
  };
