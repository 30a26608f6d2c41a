const READY_MS = 60_000;
const POLL_MS = 100;
const WATCH_MS = 10_000;
const ANSWER_MS = 20_000;
/** A busy machine may miss one check; a Worker that misses three is gone. */
const MISSES = 3;

/** Whether the service at `url` answers that it works. */
export const isHealthy = (url: string): Promise<boolean> =>
  fetch(`${url}/health`, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
    (answer) => answer.ok,
    () => false,
  );

/** Waits until every address works, for at most a minute; says whether they do. */
export async function untilReady(urls: string[]): Promise<boolean> {
  const deadline = Date.now() + READY_MS;
  for (const url of urls) {
    while (!(await isHealthy(url))) {
      if (Date.now() > deadline) return false;
      await new Promise((wake) => setTimeout(wake, POLL_MS));
    }
  }
  return true;
}

/** Calls `whenGone` with the address that has missed several checks in a row. */
export function watchHealth(urls: string[], whenGone: (url: string) => void): void {
  const misses = new Map<string, number>();
  setInterval(async () => {
    for (const url of urls) {
      const missed = (await isHealthy(url)) ? 0 : (misses.get(url) ?? 0) + 1;
      misses.set(url, missed);
      if (missed === MISSES) whenGone(url);
    }
  }, WATCH_MS);
}
