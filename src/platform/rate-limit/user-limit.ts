import type { Env } from "../../env.ts";
import { isDiskFull } from "../core/disk.ts";
import { AppError } from "../core/errors.ts";
import { parseLimit } from "./rate-limiter.ts";

// Cloudflare's rate limiting binding counts without a round trip, but never reports how much is left.

const NAME = '"user"';

const limitOf = (env: Env) =>
  env.RATE_LIMIT_USER === "off" ? undefined : parseLimit("RATE_LIMIT_USER", env.RATE_LIMIT_USER);

/** Headers of every authenticated response: how many requests are allowed in how many seconds. */
export function policyHeaders(env: Env): Record<string, string> {
  const limit = limitOf(env);
  return limit ? { "RateLimit-Policy": `${NAME};q=${limit.attempts};w=${limit.seconds}` } : {};
}

/** This limit only provides fairness: while it fails, or the disk is full, there is none. */
const takeOne = (env: Env, key: string) =>
  env.USER_LIMIT.limit({ key }).catch((problem: unknown) => {
    console.error(JSON.stringify({ limiter: "unreachable", error: String(problem) }));
    return { success: true };
  });

/** Throws 429 with the whole period as the waiting time, because the binding does not report the rest of it. */
export async function takeRequests(env: Env, countedAs: string, requests = 1): Promise<void> {
  const limit = limitOf(env);
  if (!limit || isDiskFull()) return;
  const requested = Array.from({ length: requests }, () => takeOne(env, countedAs));
  if ((await Promise.all(requested)).every(({ success }) => success)) return;
  const { attempts, seconds } = limit;
  throw new AppError(
    429,
    `Too many requests: try again in ${seconds} seconds, and send at most ${attempts} in that time`,
    { "Retry-After": String(seconds), RateLimit: `${NAME};r=0;t=${seconds}` },
  );
}
