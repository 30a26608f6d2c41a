import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { processorTimeOf } from "../test/e2e/processes.ts";
import type { Asking, Waited, Waits } from "./flooding.ts";

// A thread that asks as somebody else while a flood is under way. What sends the flood is busy with it, and would see
// answers later than they come.

/** Somebody who is not answered by then is not answered at all. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 5;

const { apiUrl, token, runtime } = workerData as Asking;
const processorTime = () => processorTimeOf(runtime);

let isStopped = false;

async function statusOf(path: string): Promise<string> {
  const headers = { Authorization: `Bearer ${token}` };
  try {
    const answer = await fetch(apiUrl + path, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });
    await answer.arrayBuffer();
    return answer.ok ? "" : String(answer.status);
  } catch (problem) {
    return (problem as Error).name;
  }
}

/** Asks for the same again and again until it is stopped; `isReady` is called after the first answer. */
async function keepAsking(path: string, isReady: () => void): Promise<Waited> {
  const waited: Waited = { longest: 0, clock: 0, asked: 0, problems: [] };
  await statusOf(path);
  isReady();
  while (!isStopped) {
    const [began, start] = [processorTime(), performance.now()];
    const problem = await statusOf(path);
    waited.longest = Math.max(waited.longest, processorTime() - began);
    waited.clock = Math.max(waited.clock, performance.now() - start);
    waited.asked += 1;
    if (problem) waited.problems.push(problem);
    await sleep(PAUSE_MS);
  }
  return waited;
}

let unready = 2;
const ready = () => {
  unready -= 1;
  if (unready === 0) parentPort?.postMessage("ready");
};
parentPort?.once("message", () => {
  isStopped = true;
});
const [list, health] = await Promise.all([
  keepAsking("/api/memories?limit=1", ready),
  keepAsking("/health", ready),
]);
parentPort?.postMessage({ list, health } satisfies Waits);
