import { once } from "node:events";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";

// Measures one flood: many requests at once, and what others wait meanwhile.

/** A request of a flood. */
export type Sent = {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string | Buffer | undefined;
};

/** Who asks beside a flood, and the process that computes for everybody. */
export type Asking = { apiUrl: string; token: string; runtime: number };

/** How long one waited at most: in ms of the runtime's processor time and of the clock. */
export type Waited = { longest: number; clock: number; asked: number; problems: string[] };

export type Waits = Record<"list" | "health", Waited>;

export type Flooded = Waits & { took: number; statuses: Map<string, number> };

/** Whoever is not answered by then hangs up. */
const PATIENCE_MS = 20_000;
/** A tool's answer says in its text whether it is a refusal. */
const REFUSED = /"isError":true|"error":\{/;
const ASKERS = join(import.meta.dirname, "flood-askers.ts");
const BESIDE_MS = 100;

/** A connection for each request, as from as many programs. */
const agent = new Agent({ keepAlive: false });

/** Sends a request and reads its answer. Returns its status, or why there is none. */
function statusOf({ url, method, headers, body }: Sent): Promise<string> {
  return new Promise((done) => {
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    const sent = request(
      url,
      { method, agent, headers: { ...headers, "Content-Length": length } },
      (answer) => {
        const isTool = url.endsWith("/mcp");
        let text = "";
        answer.on("data", (chunk: Buffer) => {
          if (isTool) text += chunk.toString("latin1");
        });
        answer.on("end", () => done(`${answer.statusCode}${REFUSED.test(text) ? " refused" : ""}`));
        answer.on("error", (problem) => done(problem.message));
        answer.on("close", () => clearTimeout(hangUp));
      },
    );
    const hangUp = setTimeout(() => {
      done(`unfinished in ${PATIENCE_MS / 1000} s`);
      sent.destroy();
    }, PATIENCE_MS);
    sent.on("error", (problem: NodeJS.ErrnoException) => done(problem.code ?? problem.message));
    sent.end(body);
  });
}

/** Sends requests at once, and returns how many were answered with each status. */
async function send(requests: Sent[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const status of await Promise.all(requests.map(statusOf)))
    counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

/** Sends requests at once while somebody else asks. */
export async function flood(requests: Sent[], asking: Asking): Promise<Flooded> {
  const askers = new Worker(ASKERS, { workerData: asking });
  try {
    await once(askers, "message");
    await sleep(BESIDE_MS);
    const start = performance.now();
    const statuses = await send(requests);
    const took = performance.now() - start;
    const ended = once(askers, "message");
    askers.postMessage("stop");
    const [waits] = (await ended) as [Waits];
    return { ...waits, took, statuses };
  } finally {
    await askers.terminate();
  }
}
