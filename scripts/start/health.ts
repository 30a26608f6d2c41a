import { waitUntilHung } from "./hang.ts";

const POLL_MS = 100;
const ANSWER_TIMEOUT_MS = 20_000;
const START_TIMEOUT_MS = 60_000;
/** Detects a runtime that hangs at its start within 20 seconds. */
const PROBE_MS = 1000;

const isHealthy = (url: string): Promise<boolean> =>
  fetch(`${url}/health`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) }).then(
    (answer) => answer.ok,
    () => false,
  );

/** Waits until the service is up at every address, for at most `patience` milliseconds. Returns whether it is. */
export async function waitUntilReady(urls: string[], patience: number): Promise<boolean> {
  const deadline = Date.now() + patience;
  for (const url of urls) {
    while (!(await isHealthy(url))) {
      if (Date.now() > deadline) return false;
      await new Promise((wake) => setTimeout(wake, POLL_MS));
    }
  }
  return true;
}

/** Kills a hanging runtime. Miniflare starts a new one. */
function killRuntime(pid: number | undefined): void {
  if (pid === undefined) return;
  console.error("The Worker's runtime hangs. Restarting it.");
  process.kill(pid, "SIGKILL");
}

/** Waits until the service answers at both addresses, for at most a minute. Returns whether it does. */
export async function waitUntilStarted(
  { apiUrl, mcpUrl }: { apiUrl: string; mcpUrl: string },
  worker: { runtimePid: number | undefined },
): Promise<boolean> {
  const started = new AbortController();
  const server = { url: `${apiUrl}/health`, pid: () => worker.runtimePid, probeMs: PROBE_MS };
  // Rejects once the service has started. `killRuntime` fails if the runtime has already ended.
  waitUntilHung({ ...server, signal: started.signal })
    .then(() => killRuntime(worker.runtimePid))
    .catch(() => undefined);
  return waitUntilReady([apiUrl, mcpUrl], START_TIMEOUT_MS).finally(() => started.abort());
}
