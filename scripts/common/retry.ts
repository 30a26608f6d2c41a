import { setTimeout as sleep } from "node:timers/promises";
import { ClientStoppedError } from "../../src/shared/import/client.ts";

// Retries requests to a service that does not answer for a while, so that a command continues where it was.

/** How long a request is retried. docs/operating.md states it. */
const RETRY_TIMEOUT_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** An error that a retry may resolve. The message says what the command is waiting for. */
export class TransientError extends Error {
  /** The wait that the answer asks for, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** There was no answer in time. Each command says what to do then. */
export class RetriesExhausted extends ClientStoppedError {}

/** Called with the reason before a wait, and without a reason when the request continues. */
export type OnWait = (why?: string) => void;

/** The wait in a `Retry-After` header, in milliseconds (RFC 9110 section 10.2.3). */
export function parseRetryAfter(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/** Exponential backoff with up to 50 % jitter. */
const backoffMs = (failures: number) =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (1 - Math.random() / 2);

const minutesText = (ms: number) => {
  const count = Math.ceil(ms / 60_000);
  return `${count} minute${count === 1 ? "" : "s"}`;
};

type RetryOptions = {
  who: string;
  onWait: OnWait;
  /** How long to retry, in milliseconds. */
  timeoutMs?: number;
};

/** The wait before the next attempt. Throws if the deadline would pass before it. */
function waitBeforeRetry(
  wait: number | undefined,
  failures: number,
  { who, timeoutMs, deadline }: { who: string; timeoutMs: number; deadline: number },
): number {
  if (wait !== undefined && wait > timeoutMs)
    throw new RetriesExhausted(`${who} accepts no more requests for ${minutesText(wait)}`);
  const pause = wait ?? backoffMs(failures);
  if (Date.now() + pause > deadline)
    throw new RetriesExhausted(`${who} has not answered for ${minutesText(timeoutMs)}`);
  return pause;
}

/**
 * Retries `send` until there is an answer. The request must be idempotent.
 *
 * @param send throws `TransientError` if a retry may succeed
 */
export async function retryUntilAnswered<Answer>(
  send: () => Promise<Answer>,
  { who, onWait, timeoutMs = RETRY_TIMEOUT_MS }: RetryOptions,
): Promise<Answer> {
  const deadline = Date.now() + timeoutMs;
  for (let failures = 0; ; failures++) {
    try {
      return await send();
    } catch (problem) {
      if (!(problem instanceof TransientError)) throw problem;
      const pause = waitBeforeRetry(problem.retryAfterMs, failures, { who, timeoutMs, deadline });
      onWait(problem.message);
      await sleep(pause);
      onWait();
    }
  }
}
