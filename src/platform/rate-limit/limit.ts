import type { Context, MiddlewareHandler } from "hono";
import { clientAddress, SHARED_ADDRESS } from "../../contract/client-address.ts";
import type { Env } from "../../env.ts";
import { callObject } from "../bindings/objects.ts";
import type { AppEnv } from "../core/ctx.ts";
import { tooManyRequests } from "../core/errors.ts";
import type { RepeatEffect } from "../core/faults.ts";
import { hashSecret } from "../core/secret.ts";
import { parseLimit, type RateLimiter } from "./rate-limiter.ts";

export type LimitName = Extract<keyof Env, `RATE_LIMIT_${string}`>;

const limiterOf = (env: Env, name: LimitName | "requests", key: string) =>
  (env.RATE_LIMITER as DurableObjectNamespace<RateLimiter>).getByName(`${name}:${key}`);

// If a limiter cannot be reached, attempts fail with 503, so that secrets cannot be guessed. Errors of `clearAttempts` and
// `releaseAttempt` are only logged.

const countAttempt = (env: Env, name: LimitName, key: string): Promise<number> =>
  // An attempt whose answer is lost may count twice.
  callObject("once", () => limiterOf(env, name, key).take(parseLimit(name, env[name])));

const logFailure = (effect: RepeatEffect, call: () => Promise<void>): Promise<void> =>
  callObject(effect, call).catch((problem) =>
    console.error(JSON.stringify({ limiter: "unreachable", error: String(problem) })),
  );

/** Counts an attempt for a key. Throws 429 if there are too many. */
export async function takeAttempt(env: Env, name: LimitName, key: string): Promise<void> {
  const wait = await countAttempt(env, name, key);
  if (wait > 0) throw tooManyRequests(wait);
}

export const tryAttempt = async (env: Env, name: LimitName, key: string): Promise<boolean> =>
  (await countAttempt(env, name, key)) === 0;

export const addToDailyCount = (env: Env, account: string, day: string, requests: number): Promise<number> =>
  callObject(requests === 0 ? "none" : "any", () => limiterOf(env, "requests", account).count(day, requests));

export const clearAttempts = (env: Env, name: LimitName, key: string): Promise<void> =>
  logFailure("once", () => limiterOf(env, name, key).clear());

export const releaseAttempt = (env: Env, name: LimitName, key: string): Promise<void> =>
  logFailure("any", () => limiterOf(env, name, key).release());

/** The client's address group, or undefined if addresses are not trusted. */
export function trustedClientAddress(c: Context<AppEnv>): string | undefined {
  const trusted = /^(true|yes|1)$/i.test(c.env.TRUST_CLIENT_IP);
  const address = clientAddress(c.req.header("CF-Connecting-IP"), trusted);
  return address === SHARED_ADDRESS ? undefined : address;
}

/** Limits by client address, before the body is read. See `limitBySubject` for untrusted addresses. */
export const limitByAddress =
  (name: LimitName): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const address = trustedClientAddress(c);
    if (address !== undefined) await takeAttempt(c.env, name, address);
    await next();
  };

/** Limits by account or token if addresses are not trusted, because a shared bucket could lock out everyone. Throws 429. */
export async function limitBySubject(c: Context<AppEnv>, name: LimitName, subject: string): Promise<void> {
  if (trustedClientAddress(c) === undefined)
    await takeAttempt(c.env, name, `subject:${await hashSecret(subject)}`);
}
