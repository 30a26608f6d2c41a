import autocannon from "autocannon";
import { median } from "./table.ts";

export const CONNECTIONS = 10;

/** One kind of request to send as fast as it is answered; `amount`: no more than so many in a round. */
export type Load = { url: string; request?: () => autocannon.Request; amount?: number };

/** Requests a second, and milliseconds. */
type Run = { perSecond: number; p50: number; p99: number };

/** Medians of all rounds, and the requests a second of each. */
export type Speed = Run & { rounds: number[] };

export type Rounds = { rounds: number; seconds: number };

/** autocannon writes Content-Length into the headers that it is given: shared, they would be the next request's. */
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
 * Medians of the rounds, in the order of the loads. They take turns, so that a slow minute of the machine meets them
 * all.
 *
 * @param beforeRound run before each round, beside what is measured
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
