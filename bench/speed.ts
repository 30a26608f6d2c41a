import autocannon from "autocannon";
import { median } from "./table.ts";

/** As many as an earlier version let search at once in one account. */
export const CONNECTIONS = 5;

/** A kind of request to send as fast as it is answered, at most `amount` times per round. */
export type Load = { url: string; request?: () => autocannon.Request; amount?: number };

/** Requests per second, and latencies in milliseconds. */
type Run = { perSecond: number; p50: number; p99: number };

/** Medians of all rounds, and the requests per second of each. */
export type Speed = Run & { rounds: number[] };

export type Rounds = { rounds: number; seconds: number };

/** A copy for each request, because autocannon writes Content-Length into the headers it is given. */
const copyOf = (request: autocannon.Request) => ({ ...request, headers: { ...request.headers } });

async function runOnce({ url, request, amount }: Load, seconds: number): Promise<Run> {
  const options: autocannon.Options = {
    url,
    connections: CONNECTIONS,
    ...(amount ? { amount } : { duration: seconds }),
    ...(request && { requests: [{ setupRequest: (base) => copyOf({ ...base, ...request() }) }] }),
  };
  // autocannon's own duration of an amount ends with a whole second.
  const began = performance.now();
  let last = began;
  const { requests, latency, non2xx, errors } = await new Promise<autocannon.Result>((done, failed) => {
    const run = autocannon(options, (problem, result) => (problem ? failed(problem) : done(result)));
    run.on("response", () => {
      last = performance.now();
    });
  });
  if (non2xx + errors > 0) throw new Error(`${url} ${request?.().path}: ${non2xx + errors} failed`);
  return { perSecond: (requests.total / (last - began)) * 1000, p50: latency.p50, p99: latency.p99 };
}

/**
 * Medians of the rounds, in the order of the loads. The loads take turns, so that a slow minute of the machine affects
 * them all.
 *
 * @param beforeRound runs before each round and is not measured
 */
export async function runInTurns(
  loads: Load[],
  { rounds, seconds }: Rounds,
  beforeRound: () => Promise<unknown>,
): Promise<Speed[]> {
  const runs = loads.map((): Run[] => []);
  for (let round = 0; round < rounds; round++) {
    await beforeRound();
    for (const [index, load] of loads.entries()) runs[index]?.push(await runOnce(load, seconds));
  }
  const middle = (of: Run[], key: keyof Run) => median(of.map((run) => run[key]));
  return runs.map((of) => ({
    perSecond: middle(of, "perSecond"),
    p50: middle(of, "p50"),
    p99: middle(of, "p99"),
    rounds: of.map(({ perSecond }) => perSecond),
  }));
}
