const POLL_MS = 100;
const ANSWER_MS = 20_000;

/** Whether the service at `url` is up. */
const isHealthy = (url: string): Promise<boolean> =>
  fetch(`${url}/health`, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
    (answer) => answer.ok,
    () => false,
  );

/** Waits until the service is up at every address, for at most `patience` milliseconds; returns whether it is. */
export async function untilReady(urls: string[], patience: number): Promise<boolean> {
  const deadline = Date.now() + patience;
  for (const url of urls) {
    while (!(await isHealthy(url))) {
      if (Date.now() > deadline) return false;
      await new Promise((wake) => setTimeout(wake, POLL_MS));
    }
  }
  return true;
}
