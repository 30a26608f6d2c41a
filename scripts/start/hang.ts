import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

const PROBE_MS = 30_000;
const SILENT_PROBES = 10;

/** The processor time that a process has used, as ps prints it, to the second. Undefined where it cannot be known. */
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

/**
 * Resolves when a server neither answers nor computes for ten probes in a row: five to ten minutes. One that computes
 * is busy, however long it takes, and is waited for.
 *
 * @param server `pid` answers the process that serves now; `probeMs` is how long a probe waits, and the time between two
 */
export async function untilHung(server: {
  url: string;
  pid: () => number | undefined;
  probeMs?: number;
}): Promise<void> {
  const { url, pid, probeMs = PROBE_MS } = server;
  let used: string | undefined;
  for (let silent = 0; silent < SILENT_PROBES; ) {
    await sleep(probeMs);
    const answered = await answers(url, probeMs);
    const now = processorTime(pid());
    const isIdle = now !== undefined && now === used;
    silent = !answered && isIdle ? silent + 1 : 0;
    used = now;
  }
}
