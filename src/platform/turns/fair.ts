import type { Steps } from "../../contract/text/steps.ts";
import { collectGarbage } from "./garbage.ts";

const LONGEST_PAUSE_MS = 100;

/** Waits as long as it took since `start` (`performance.now()`), at most 100 ms, so that others run in between. */
export const rest = (start: number): Promise<void> =>
  scheduler.wait(Math.min(LONGEST_PAUSE_MS, performance.now() - start));

export async function withRest<Result>(step: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const result = await step();
  await rest(start);
  return result;
}

/** As `withRest`, and collects garbage: a long task uses about half of the database's and the process's time. */
export const withRestAndGc = <Result>(step: () => Promise<Result>): Promise<Result> =>
  withRest(async () => {
    const result = await step();
    collectGarbage();
    return result;
  });

/** How long a task computes before it lets others run. */
const TURN_MS = 10;

const pause = (ms: number) => new Promise((resume) => setTimeout(resume, Math.min(LONGEST_PAUSE_MS, ms)));

/** Pauses as long as what ran, because a local copy has one thread. On Cloudflare the clock stands still: none. */
export function turns(): <Result>(part: () => Result) => Promise<Result> {
  let taken = 0;
  return async (part) => {
    const start = performance.now();
    const result = part();
    taken += performance.now() - start;
    if (taken >= TURN_MS) {
      await pause(taken);
      taken = 0;
    }
    return result;
  };
}

/** The same for steps of which each may take next to no time. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (let start = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    const taken = performance.now() - start;
    if (taken < TURN_MS) continue;
    await pause(taken);
    start = performance.now();
  }
}
