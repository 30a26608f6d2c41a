import { collectGarbage } from "./garbage.ts";

const LONGEST_PAUSE_MS = 100;

/** Runs one step of a long task, then waits as long as it took (at most 100 ms), so that others run in between. */
export async function paced<Result>(step: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const result = await step();
  await scheduler.wait(Math.min(LONGEST_PAUSE_MS, performance.now() - start));
  return result;
}

/**
 * Runs one step of a long task and collects its garbage, then waits as long as both took (at most 100 ms), so that a long
 * task never uses more than about half of the database's and the process's time.
 */
export const fairly = <Result>(step: () => Promise<Result>): Promise<Result> =>
  paced(async () => {
    const result = await step();
    collectGarbage();
    return result;
  });

/** A computation that yields between short steps, and returns its result at the end. */
export type Steps<Result> = Generator<void, Result>;

/** The result of a computation, without a pause. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** How long a task computes before it lets others run. */
const TURN_MS = 10;

/**
 * For a task that computes for long: runs each part of it that it is given, with pauses as long as what ran since the last
 * one, because a local copy computes for everybody in one thread. On Cloudflare, where the clock stands still during a
 * computation, there are none.
 */
export function turns(): <Result>(part: () => Result) => Promise<Result> {
  let taken = 0;
  return async (part) => {
    const start = performance.now();
    const result = part();
    taken += performance.now() - start;
    if (taken >= TURN_MS) {
      await new Promise((resume) => setTimeout(resume, Math.min(LONGEST_PAUSE_MS, taken)));
      taken = 0;
    }
    return result;
  };
}

/** The result of a computation, with pauses. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  const turn = turns();
  for (;;) {
    const { done, value } = await turn(() => steps.next());
    if (done) return value;
  }
}
