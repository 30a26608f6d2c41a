import type { Context } from "hono";
import { globalAccountId } from "../../contract/shard.ts";
import type { Env } from "../../env.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { AppError } from "../../platform/core/errors.ts";
import { keyedDigest } from "../../platform/idempotency/sealing.ts";
import {
  clearAttempts,
  type LimitName,
  limitBySubject,
  releaseAttempt,
  takeAttempt,
  trustedClientAddress,
  tryAttempt,
} from "../../platform/rate-limit/limit.ts";
import { limitStrangers, type PasswordCheck } from "./password.ts";
import { type FailureKey, findFailureKey, rememberSignInAddress } from "./sign-in-address-store.ts";

// Failed sign-ins cannot lock an account's owner out: known addresses are counted apart from strangers, who share a limit.

const LIMIT = "RATE_LIMIT_ACCOUNT";

async function clientAddressDigest(c: Context<AppEnv>): Promise<string | undefined> {
  const address = trustedClientAddress(c);
  return address === undefined ? undefined : keyedDigest(c.env.JWT_SECRET, `sign-in-address:${address}`);
}

export async function rememberClientAddress(c: Context<AppEnv>, email: string): Promise<void> {
  const digest = await clientAddressDigest(c);
  if (digest !== undefined) await rememberSignInAddress(c.var.base, { email, digest });
}

/** Errors before any password was checked. */
const UNCHECKED_STATUSES = [429, 503];

async function releaseUnchecked(env: Env, keys: string[], problem: unknown): Promise<never> {
  if (problem instanceof AppError && UNCHECKED_STATUSES.includes(problem.status))
    await Promise.all(keys.map((key) => releaseAttempt(env, LIMIT, key)));
  throw problem;
}

/** Counts an attempt without a trusted address. True once there are so many that unknown emails get no dummy hash. */
const countStrangerAttempt = async ({ env }: Context<AppEnv>, digest: string | undefined): Promise<boolean> =>
  digest === undefined && !(await tryAttempt(env, "RATE_LIMIT_STRANGERS", "all"));

type Attempt<Result> = {
  email: string;
  /** Limit per email, also where client addresses are not trusted. */
  limit: LimitName;
  signIn: (check: PasswordCheck) => Promise<Result>;
};

/**
 * Signs in and counts failures per account and address group and, for addresses that have never signed in to the
 * account (strangers), also per account. If client addresses are not trusted, every caller counts as a stranger.
 * Throws 429, 503 while too many strangers sign in, and what `signIn` throws.
 */
export async function signInCountingFailures<Result extends object>(
  c: Context<AppEnv>,
  attempt: Attempt<Result>,
): Promise<Result> {
  const digest = await clientAddressDigest(c);
  if (digest === undefined) return limitStrangers(() => signInCounted(c, attempt, undefined));
  const counted = await findFailureKey(c.var.base, attempt.email, digest);
  const count = () => signInCounted(c, attempt, { digest, ...counted });
  return counted.isKnown ? count() : limitStrangers(count);
}

async function signInCounted<Result extends object>(
  c: Context<AppEnv>,
  { email, limit, signIn }: Attempt<Result>,
  origin: (FailureKey & { digest: string }) | undefined,
): Promise<Result> {
  await limitBySubject(c, limit, email);
  const { key, isKnown } = origin ?? (await findFailureKey(c.var.base, email, undefined));
  const own = origin && `${origin.digest}:${key}`;
  const shared = isKnown ? undefined : key;
  const keys = [own, shared].filter((one) => one !== undefined);
  for (const key of keys) await takeAttempt(c.env, LIMIT, key);
  const check: PasswordCheck = {
    queueKey: isKnown ? key : undefined,
    skipsHash: await countStrangerAttempt(c, origin?.digest),
  };
  const result = await signIn(check).catch((problem: unknown) => releaseUnchecked(c.env, keys, problem));
  // The right password without its code is no failure, but clears none: codes could be guessed without limit.
  const isDone = !("ticket" in result);
  if (own) await (isDone ? clearAttempts : releaseAttempt)(c.env, LIMIT, own);
  // Strangers' failures stay counted, or each sign-in of the owner would give them new attempts.
  if (shared) await releaseAttempt(c.env, LIMIT, shared);
  if (origin && isDone) await rememberSignInAddress(c.var.base, { email, digest: origin.digest });
  return result;
}

/**
 * Counts failures of a signed-in caller, which strangers cannot use up. Wrong codes count separately from passwords, because
 * someone guessing codes may know the password. Throws 401 for an ended session, and 429.
 */
export async function limitCallerFailures<Result>(
  c: Context<AppEnv>,
  kind: "password" | "code",
  check: () => Promise<Result>,
): Promise<Result> {
  await c.var.ctx.user();
  const key = `session-${kind}:${globalAccountId(c.var.ctx)}`;
  await takeAttempt(c.env, LIMIT, key);
  const result = await check().catch((problem: unknown) => releaseUnchecked(c.env, [key], problem));
  await clearAttempts(c.env, LIMIT, key);
  return result;
}
