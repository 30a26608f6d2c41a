import { argon2id, argon2Verify, setWASMModules } from "argon2-wasm-edge";
import argon2WASM from "argon2-wasm-edge/wasm/argon2.wasm";
import blake2bWASM from "argon2-wasm-edge/wasm/blake2b.wasm";
import { tooManyAtOnce, unavailable } from "../../platform/core/errors.ts";
import { placesOf, queueOf, queuesOf } from "../../platform/turns/queue.ts";
import { COST, CURRENT, NOBODY } from "./password-cost.ts";

// Workers cannot compile WebAssembly at run time; these modules are compiled when the Worker is built.
setWASMModules({ argon2WASM, blake2bWASM });

const MOST_WAITING = 20;
const RETRY_SECONDS = 5;

const refusal = () =>
  unavailable(
    `Too many passwords are being checked at this moment: try again in ${RETRY_SECONDS} seconds`,
    RETRY_SECONDS,
  );

/** A hash keeps the thread, and with it everybody, for 50 to 100 ms: so there is one at a time, with pauses. */
const inTurn = queueOf({ most: MOST_WAITING, refusal, rests: true });

const MOST_OF_ONE = 7;

/** Of somebody whom we know, one at a time is in that line: nobody fills it alone. */
const queueOfKnown = queuesOf({
  most: MOST_OF_ONE,
  refusal: (reason) =>
    tooManyAtOnce(
      reason === "full"
        ? `${MOST_OF_ONE + 1} passwords of this account are being checked`
        : "The passwords of this account that came before take long",
    ),
});

/** Limits what strangers do around a password check, which takes time as well. Throws 503. */
export const amongStrangers = placesOf({ most: MOST_WAITING + 1, refusal });

/** How long the last hash took, in ms; 0 where the clock stands still during a computation, as on Cloudflare. */
let lastTook = 0;

async function timed<Result>(compute: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const result = await compute();
  lastTook = performance.now() - start;
  return result;
}

export type Check = {
  /** Who somebody we know is: strangers take at most every second turn from them, and each has one at a time. */
  knownAs: string | undefined;
  /** Whether a password that is compared with nothing is not hashed: the result comes after the same time. */
  isSpared?: boolean;
};

const whenTurn = <Result>(knownAs: string | undefined, task: () => Promise<Result>): Promise<Result> =>
  knownAs === undefined ? inTurn(task) : queueOfKnown(knownAs)(() => inTurn(task, { isFirst: true }));

/** Hashes as a PHC string, after NFC, because keyboards compose differently. Throws 503, 429 for too many waiting. */
export const hashPassword = (password: string, { knownAs }: Check): Promise<string> => {
  const options = {
    ...COST,
    password: password.normalize("NFC"),
    salt: crypto.getRandomValues(new Uint8Array(16)),
    outputType: "encoded" as const,
  };
  return whenTurn(knownAs, () => timed(() => argon2id(options)));
};

/** Without a hash, false after the same time. Throws 503 while too many wait, 429 while too many of one account do. */
export async function verifyPassword(
  password: string,
  hash: string | undefined,
  { knownAs, isSpared = false }: Check,
): Promise<boolean> {
  if (isSpared && hash === undefined && lastTook > 0)
    return whenTurn(knownAs, () => scheduler.wait(lastTook).then(() => false));
  const shown = { password: password.normalize("NFC"), hash: hash ?? NOBODY };
  const matches = await whenTurn(knownAs, () => timed(() => argon2Verify(shown)));
  return matches && hash !== undefined;
}

export const isOutdated = (hash: string) => !hash.startsWith(CURRENT);
