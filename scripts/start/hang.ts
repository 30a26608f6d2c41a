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

const answers = (url: string, patience: number) =>
  fetch(url, { signal: AbortSignal.timeout(patience) }).then(
    (response) => response.body?.cancel().then(() => true) ?? true,
    () => false,
  );

/** `pid` returns the process that serves now. `probeMs` is both the timeout of a probe and the time between probes. */
type Watched = { url: string; pid: () => number | undefined; probeMs?: number; signal?: AbortSignal };

/**
 * Resolves when a server has neither answered nor used processor time for ten probes in a row: five to ten minutes. A
 * server that uses processor time is busy, not hung. Rejects when `signal` is aborted.
 */
export async function untilHung({ url, pid, probeMs = PROBE_MS, signal }: Watched): Promise<void> {
  let used: string | undefined;
  for (let silent = 0; silent < SILENT_PROBES; ) {
    await sleep(probeMs, undefined, signal && { signal });
    const answered = await answers(url, probeMs);
    const now = processorTime(pid());
    const isIdle = now !== undefined && now === used;
    silent = !answered && isIdle ? silent + 1 : 0;
    used = now;
  }
}
