import { setTimeout as sleep } from "node:timers/promises";
import { Stopped } from "../../src/contract/import/client.ts";

// Retries requests to a service that does not answer for a while, so that a command continues where it was.

/** How long a request is retried. docs/operating.md states it. */
const RETRY_TIMEOUT_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** An error that a retry may resolve. The message says what the command is waiting for. */
export class NotNow extends Error {
  /** The wait that the answer asks for, in milliseconds. */
  readonly asked: number | undefined;

  constructor(message: string, asked?: number) {
    super(message);
    this.asked = asked;
  }
}

/** There was no answer in time. Each command says what to do then. */
export class GivenUp extends Stopped {}

/** Called with the reason before a wait, and without a reason when the request continues. */
export type OnWait = (why?: string) => void;

/** The wait in a `Retry-After` header, in milliseconds (RFC 9110 section 10.2.3). */
export function retryAfter(header: string | null, now = Date.now()): number | undefined {
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

/** The wait before the next attempt. Throws if the deadline would pass before it. */
function waitBeforeRetry(
  { asked }: NotNow,
  failures: number,
  { who, patience, deadline }: { who: string; patience: number; deadline: number },
): number {
  if (asked !== undefined && asked > patience)
    throw new GivenUp(`${who} accepts no more requests for ${minutesText(asked)}`);
  const pause = asked ?? backoffMs(failures);
  if (Date.now() + pause > deadline)
    throw new GivenUp(`${who} has not answered for ${minutesText(patience)}`);
  return pause;
}

/**
 * Retries `send` until there is an answer. The request must be idempotent.
 *
 * @param send throws `TransientError` if a retry may succeed
 * @param who the service's name, for errors
 * @param patience in milliseconds
 */
export async function untilAnswered<Answer>(
  send: () => Promise<Answer>,
  { who, onWait, patience = RETRY_TIMEOUT_MS }: { who: string; onWait: OnWait; patience?: number },
): Promise<Answer> {
  const deadline = Date.now() + patience;
  for (let failures = 0; ; failures++) {
    try {
      return await send();
    } catch (problem) {
      if (!(problem instanceof NotNow)) throw problem;
      const pause = waitBeforeRetry(problem, failures, { who, patience, deadline });
      onWait(problem.message);
      await sleep(pause);
      onWait();
    }
  }
}
