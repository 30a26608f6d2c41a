import { setTimeout as sleep } from "node:timers/promises";
import { Stopped } from "../../src/contract/import/client.ts";

// How programs wait for what does not answer for the time being: they go on where they were when it does.

/** For how long one request is repeated. It is in docs/operating.md. */
const PATIENCE_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** A later attempt may be answered otherwise. The message says what is waited for. */
export class NotNow extends Error {
  /** How long the answer asks to wait, in milliseconds. */
  readonly asked: number | undefined;

  constructor(message: string, asked?: number) {
    super(message);
    this.asked = asked;
  }
}

/** No answer came in time. What to do then depends on the program. */
export class GivenUp extends Stopped {}

/** Called with the reason while a request waits for its next attempt, and without one when it goes on. */
export type OnWait = (why?: string) => void;

/** The wait that `Retry-After` asks for in milliseconds (RFC 9110 section 10.2.3), if any. */
export function retryAfter(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/** Twice as long each time, and by chance up to half of it less. */
const pauseAfter = (failures: number) =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (1 - Math.random() / 2);

const minutes = (ms: number) => {
  const count = Math.ceil(ms / 60_000);
  return `${count} minute${count === 1 ? "" : "s"}`;
};

/** Throws when the next attempt would come too late. */
function pauseBeforeNext(
  { asked }: NotNow,
  failures: number,
  { who, patience, deadline }: { who: string; patience: number; deadline: number },
): number {
  if (asked !== undefined && asked > patience)
    throw new GivenUp(`${who} accepts no more requests for ${minutes(asked)}`);
  const pause = asked ?? pauseAfter(failures);
  if (Date.now() + pause > deadline) throw new GivenUp(`${who} has not answered for ${minutes(patience)}`);
  return pause;
}

/**
 * Sends until there is an answer. What is sent must have no further effect when it has been carried out already.
 *
 * @param send throws `NotNow` for an answer that a later attempt may change
 * @param who what is named when it is given up
 * @param patience for how long, in milliseconds
 */
export async function untilAnswered<Answer>(
  send: () => Promise<Answer>,
  { who, onWait, patience = PATIENCE_MS }: { who: string; onWait: OnWait; patience?: number },
): Promise<Answer> {
  const deadline = Date.now() + patience;
  for (let failures = 0; ; failures++) {
    try {
      return await send();
    } catch (problem) {
      if (!(problem instanceof NotNow)) throw problem;
      const pause = pauseBeforeNext(problem, failures, { who, patience, deadline });
      onWait(problem.message);
      await sleep(pause);
      onWait();
    }
  }
}
