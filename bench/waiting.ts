import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { busiestThreadMs } from "../test/e2e/processes.ts";
import { exchange, type Sent } from "./account.ts";

// Measures how long other accounts wait while work runs. They send requests in a separate thread, because this thread is busy
// sending requests and would read their answers late.

/** Requests to send repeatedly, by name; the process id of the runtime; the pause between requests in milliseconds. */
type Asking = { asked: Record<string, Sent[]>; runtime: number; pause: number };

/** The time to each answer, in ms of the runtime's busiest thread and of the clock, and the failures. */
export type Waits = { processor: number[]; clock: number[]; problems: string[] };

const PATIENCE_MS = 60_000;
const BESIDE_MS = 100;

async function problemOf(sent: Sent): Promise<string[]> {
  const answer = await exchange(sent, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(
    (problem: Error) => ({ status: problem.name }),
  );
  return answer.status === 200 ? [] : [String(answer.status)];
}

async function keepAsking(): Promise<void> {
  const { asked, runtime, pause }: Asking = workerData;
  let isStopped = false;
  const ask = async (requests: Sent[]) => {
    const waits: Waits = { processor: [], clock: [], problems: [] };
    for (let turn = 0; !isStopped; turn++) {
      const [began, start] = [busiestThreadMs(runtime), performance.now()];
      waits.problems.push(...(await problemOf(requests[turn % requests.length] as Sent)));
      // The first request also opens the connection.
      if (turn > 0) {
        waits.processor.push(busiestThreadMs(runtime) - began);
        waits.clock.push(performance.now() - start);
      } else parentPort?.postMessage("ready");
      await sleep(pause);
    }
    return waits;
  };
  parentPort?.once("message", () => {
    isStopped = true;
  });
  const kinds = Object.entries(asked).map(async ([name, requests]) => [name, await ask(requests)] as const);
  parentPort?.postMessage(Object.fromEntries(await Promise.all(kinds)));
}

if (!isMainThread) await keepAsking();

/** Runs `work` while the other accounts send their requests. */
export async function beside<Result>(
  asking: Asking,
  work: () => Promise<Result>,
): Promise<{ result: Result; took: number; waits: Record<string, Waits> }> {
  const askers = new Worker(import.meta.filename, { workerData: asking });
  try {
    for (const _name of Object.keys(asking.asked)) await once(askers, "message");
    await sleep(BESIDE_MS);
    const start = performance.now();
    const result = await work();
    const took = performance.now() - start;
    const ended = once(askers, "message");
    askers.postMessage("stop");
    const [waits] = await ended;
    return { result, took, waits };
  } finally {
    await askers.terminate();
  }
}
