import type { Steps } from "../../shared/text/steps.ts";
import { collectGarbage } from "./garbage.ts";

const LONGEST_PAUSE_MS = 100;

/** Waits as long as has passed since `start` (`performance.now()`), at most 100 ms, so that other requests run. */
export const restSince = (start: number): Promise<void> =>
  scheduler.wait(Math.min(LONGEST_PAUSE_MS, performance.now() - start));

export async function withRest<Result>(step: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const result = await step();
  await restSince(start);
  return result;
}

/** As `withRest`, and collects garbage. A long task then uses about half of the time of the database and the process. */
export const withRestAndGc = <Result>(step: () => Promise<Result>): Promise<Result> =>
  withRest(async () => {
    const result = await step();
    collectGarbage();
    return result;
  });

/** Computing time after which a task yields. */
const YIELD_AFTER_MS = 10;

const pause = (ms: number) => new Promise((resume) => setTimeout(resume, Math.min(LONGEST_PAUSE_MS, ms)));

/** Pauses as long as the parts have computed, because a local copy has one thread. Never on Cloudflare, whose clock stands still. */
export function createYieldingRunner(): <Result>(part: () => Result) => Promise<Result> {
  let elapsed = 0;
  return async (part) => {
    const start = performance.now();
    const result = part();
    elapsed += performance.now() - start;
    if (elapsed >= YIELD_AFTER_MS) {
      await pause(elapsed);
      elapsed = 0;
    }
    return result;
  };
}

/** The same for many steps that each may take almost no time. */
export async function runYielding<Result>(steps: Steps<Result>): Promise<Result> {
  for (let start = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    const elapsed = performance.now() - start;
    if (elapsed < YIELD_AFTER_MS) continue;
    await pause(elapsed);
    start = performance.now();
  }
}
