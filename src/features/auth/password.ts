import { argon2id, argon2Verify, setWASMModules } from "argon2-wasm-edge";
import argon2WASM from "argon2-wasm-edge/wasm/argon2.wasm";
import blake2bWASM from "argon2-wasm-edge/wasm/blake2b.wasm";
import { tooManyConcurrent, unavailable } from "../../platform/core/errors.ts";
import { createQueue, createQueues, createSemaphore } from "../../platform/queue/queue.ts";
import { ARGON2_COST, CURRENT_HASH_PREFIX, UNMATCHABLE_HASH } from "./password-cost.ts";

// Workers cannot compile WebAssembly at run time; these modules are compiled when the Worker is built.
setWASMModules({ argon2WASM, blake2bWASM });

const MAX_WAITING = 20;
const RETRY_SECONDS = 5;

const refusal = () =>
  unavailable(
    `Too many passwords are being checked right now: try again in ${RETRY_SECONDS} seconds`,
    RETRY_SECONDS,
  );

/** A hash blocks the thread, and all other requests, for 50 to 100 ms: one runs at a time, with pauses. */
const hashQueue = createQueue({ most: MAX_WAITING, refusal, restsBetween: true });

const MAX_PER_ACCOUNT = 7;

/** Each known account has one check at a time in that queue, so that none can fill it alone. */
const accountQueue = createQueues({
  most: MAX_PER_ACCOUNT,
  refusal: (reason) =>
    tooManyConcurrent(
      reason === "full"
        ? `${MAX_PER_ACCOUNT + 1} passwords of this account are being checked`
        : "Earlier password checks of this account are taking too long",
    ),
});

/** Limits how many strangers sign in at a time, including the work around the password check. Throws 503. */
export const limitStrangers = createSemaphore({ most: MAX_WAITING + 1, refusal });

/** How long the last hash took, in ms; 0 where the clock does not advance during computation, as on Cloudflare. */
let lastHashMs = 0;

async function timed<Result>(compute: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const result = await compute();
  lastHashMs = performance.now() - start;
  return result;
}

export type PasswordCheck = {
  /** Key of a known account, which has priority over strangers in the queue; undefined for strangers. */
  queueKey: string | undefined;
  /** Without a stored hash, waits for as long as a hash takes instead of computing one. */
  skipsHash?: boolean;
};

const runInQueue = <Result>(queueKey: string | undefined, task: () => Promise<Result>): Promise<Result> =>
  queueKey === undefined
    ? hashQueue(task)
    : accountQueue(queueKey)(() => hashQueue(task, { isPriority: true }));

/** Hashes as a PHC string, after NFC, because keyboards compose differently. Throws 503, or 429 if too many wait. */
export const hashPassword = (password: string, { queueKey }: PasswordCheck): Promise<string> => {
  const options = {
    ...ARGON2_COST,
    password: password.normalize("NFC"),
    salt: crypto.getRandomValues(new Uint8Array(16)),
    outputType: "encoded" as const,
  };
  return runInQueue(queueKey, () => timed(() => argon2id(options)));
};

/** Without a hash, false after the same time. Throws 503 while too many wait, 429 if too many of one account do. */
export async function verifyPassword(
  password: string,
  hash: string | undefined,
  { queueKey, skipsHash = false }: PasswordCheck,
): Promise<boolean> {
  if (skipsHash && hash === undefined && lastHashMs > 0)
    return runInQueue(queueKey, () => scheduler.wait(lastHashMs).then(() => false));
  const attempt = { password: password.normalize("NFC"), hash: hash ?? UNMATCHABLE_HASH };
  const matches = await runInQueue(queueKey, () => timed(() => argon2Verify(attempt)));
  return matches && hash !== undefined;
}

export const isOutdatedHash = (hash: string) => !hash.startsWith(CURRENT_HASH_PREFIX);
