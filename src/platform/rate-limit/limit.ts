import type { Context, MiddlewareHandler } from "hono";
import type { AppEnv } from "../core/ctx.ts";
import { tooManyRequests } from "../core/errors.ts";
import { hashSecret } from "../core/secret.ts";
import type { Env } from "../../env.ts";
import { clientAddress, SHARED } from "../../contract/client-address.ts";
import { parseLimit } from "./parse-limit.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/** The names of the rate limit settings in wrangler.toml. */
export type LimitName = Extract<keyof Env, `RATE_LIMIT_${string}`>;

const limiterOf = (env: Env, name: LimitName, key: string) =>
  (env.RATE_LIMITER as DurableObjectNamespace<RateLimiter>).getByName(`${name}:${key}`);

/** Counts an attempt of this key, or returns the seconds to wait when there are too many. */
const countAttempt = (env: Env, name: LimitName, key: string): Promise<number> =>
  limiterOf(env, name, key).take(parseLimit(name, env[name]));

/** Counts an attempt of this key; throws 429 when there are too many. */
export async function takeAttempt(env: Env, name: LimitName, key: string): Promise<void> {
  const wait = await countAttempt(env, name, key);
  if (wait > 0) throw tooManyRequests(wait);
}

/** Counts an attempt of this key; returns whether there was one left. */
export const hasAttempt = async (env: Env, name: LimitName, key: string): Promise<boolean> =>
  (await countAttempt(env, name, key)) === 0;

/** Adds to the requests of an account, by its name, on a day, and returns how many there are. */
export const countOfDay = (env: Env, account: string, day: string, requests: number): Promise<number> =>
  (env.RATE_LIMITER as DurableObjectNamespace<RateLimiter>)
    .getByName(`requests:${account}`)
    .count(day, requests);

/** Clears the attempts of this key. */
export async function clearAttempts(env: Env, name: LimitName, key: string): Promise<void> {
  await limiterOf(env, name, key).clear();
}

/** Takes back one attempt of this key. */
export async function releaseAttempt(env: Env, name: LimitName, key: string): Promise<void> {
  await limiterOf(env, name, key).release();
}

/** The client's address group, or undefined when addresses are not trusted. */
export function addressOf(c: Context<AppEnv>): string | undefined {
  const trusted = /^(true|yes|1)$/i.test(c.env.TRUST_CLIENT_IP);
  const address = clientAddress(c.req.header("CF-Connecting-IP"), trusted);
  return address === SHARED ? undefined : address;
}

/**
 * Middleware that limits a route by client address, before the body is read. See `limitBySubject` for untrusted
 * addresses.
 */
export const limitByAddress =
  (name: LimitName): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const address = addressOf(c);
    if (address !== undefined) await takeAttempt(c.env, name, address);
    await next();
  };

/**
 * Limits a request by its subject (an account, a token) when client addresses are not trusted. A single bucket for all
 * callers would let anybody shut out everybody. Throws 429.
 */
export async function limitBySubject(c: Context<AppEnv>, name: LimitName, subject: string): Promise<void> {
  if (addressOf(c) === undefined) await takeAttempt(c.env, name, `subject:${await hashSecret(subject)}`);
}
