import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

const PROBE_MS = 30_000;
const SILENT_PROBES = 10;

/** The processor time of a process as ps prints it, to the second; undefined if it cannot be read. */
function processorTime(pid: number | undefined): string | undefined {
  try {
    return execFileSync("ps", ["-o", "time=", "-p", String(pid)], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}

const isAnswering = (url: string, timeoutMs: number) =>
  fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).then(
    (response) => response.body?.cancel().then(() => true) ?? true,
    () => false,
  );

/** `pid` returns the process that serves now. `probeMs` is both the timeout of a probe and the time between probes. */
type ProbeOptions = { url: string; pid: () => number | undefined; probeMs?: number; signal?: AbortSignal };

/**
 * Resolves when a server has neither answered nor used processor time for ten probes in a row: five to ten minutes. A
 * server that uses processor time is busy, not hung. Rejects when `signal` is aborted.
 */
export async function waitUntilHung({ url, pid, probeMs = PROBE_MS, signal }: ProbeOptions): Promise<void> {
  let previousTime: string | undefined;
  for (let silentProbes = 0; silentProbes < SILENT_PROBES; ) {
    await sleep(probeMs, undefined, signal && { signal });
    const answered = await isAnswering(url, probeMs);
    const currentTime = processorTime(pid());
    const isIdle = currentTime !== undefined && currentTime === previousTime;
    silentProbes = !answered && isIdle ? silentProbes + 1 : 0;
    previousTime = currentTime;
  }
}
