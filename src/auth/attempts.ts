import type { Context } from "hono";
import type { AppEnv } from "../platform/core/ctx.ts";
import { accountName } from "../contract/home.ts";
import { keyedDigest } from "../platform/idempotency/sealing.ts";
import { addressOf, clearAttempts, releaseAttempt, takeAttempt } from "../platform/rate-limit/limit.ts";
import { findCounted, rememberAddress } from "../features/auth/address-store.ts";

// Failed passwords and codes. Nobody can lock somebody else out: strangers share the account's limit, and addresses that
// have signed in before, as well as existing sessions, are counted separately.

const LIMIT = "RATE_LIMIT_ACCOUNT";

async function digestOf(c: Context<AppEnv>): Promise<string | undefined> {
  const address = addressOf(c);
  return address === undefined ? undefined : keyedDigest(c.env.JWT_SECRET, `sign-in-address:${address}`);
}

/** Records that this client's address belongs to the account. */
export async function rememberOrigin(c: Context<AppEnv>, email: string): Promise<void> {
  const digest = await digestOf(c);
  if (digest !== undefined) await rememberAddress(c.var.base, { email, digest });
}

/**
 * Signs in and counts failures: per account and address group and, for an address that has never signed in to the
 * account, also per account. If client addresses are not trusted, everybody counts as such a stranger.
 * Throws 429, and what `signIn` throws.
 */
export async function countingFailures<Result extends object>(
  c: Context<AppEnv>,
  email: string,
  signIn: () => Promise<Result>,
): Promise<Result> {
  const digest = await digestOf(c);
  const { key, isKnown } = await findCounted(c.var.base, email, digest);
  const own = digest && `${digest}:${key}`;
  if (own) await takeAttempt(c.env, LIMIT, own);
  if (!isKnown) await takeAttempt(c.env, LIMIT, key);
  const result = await signIn();
  // A right password without its code is no failure, but takes none back: codes could be guessed without limit.
  const isDone = !("codeMissing" in result);
  if (own) await (isDone ? clearAttempts : releaseAttempt)(c.env, LIMIT, own);
  // Others' failures stay counted, or each sign-in of the owner would give them new attempts.
  if (!isKnown) await releaseAttempt(c.env, LIMIT, key);
  if (digest && isDone) await rememberAddress(c.var.base, { email, digest });
  return result;
}

/**
 * Counts the failures of somebody who is signed in: strangers cannot use up these attempts, nor can a token whose session
 * has ended. Only success clears them. Throws 401 for that token, 429, and what `check` throws.
 */
async function countingOwn<Result>(
  c: Context<AppEnv>,
  kind: "password" | "code",
  check: () => Promise<Result>,
): Promise<Result> {
  await c.var.ctx.user();
  const key = `session-${kind}:${accountName(c.var.ctx)}`;
  await takeAttempt(c.env, LIMIT, key);
  const result = await check();
  await clearAttempts(c.env, LIMIT, key);
  return result;
}

/** Counts wrong passwords of somebody who is signed in. */
export const countingPasswords = <Result>(c: Context<AppEnv>, check: () => Promise<Result>) =>
  countingOwn(c, "password", check);

/** Counts wrong codes of the second factor apart, because whoever guesses them may know the password. */
export const countingCodes = <Result>(c: Context<AppEnv>, check: () => Promise<Result>) =>
  countingOwn(c, "code", check);
