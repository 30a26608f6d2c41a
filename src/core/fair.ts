const LONGEST_PAUSE_MS = 100;

/**
 * Takes a step of long work, and then waits as long as it took (at most 100 ms): others get half of the time of what
 * one database and one process can do, however long the work is.
 */
export async function fairly<Result>(step: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const result = await step();
  await scheduler.wait(Math.min(LONGEST_PAUSE_MS, performance.now() - start));
  return result;
}
