import autocannon from "autocannon";
import { median } from "./table.ts";

export const CONNECTIONS = 10;

/** A kind of request to send as fast as it is answered, at most `amount` times per round. */
export type Load = { url: string; request?: () => autocannon.Request; amount?: number };

/** Requests per second, and latencies in milliseconds. */
export type Speed = { perSecond: number; p50: number; p99: number };

export type Rounds = { rounds: number; seconds: number };

/** A copy for each request, because autocannon writes Content-Length into the headers it is given. */
const copyOf = (request: autocannon.Request) => ({ ...request, headers: { ...request.headers } });

async function runOnce({ url, request, amount }: Load, seconds: number): Promise<Speed> {
  const { requests, latency, duration, non2xx, errors } = await autocannon({
    url,
    connections: CONNECTIONS,
    ...(amount ? { amount } : { duration: seconds }),
    ...(request && { requests: [{ setupRequest: (base) => copyOf({ ...base, ...request() }) }] }),
  });
  if (non2xx + errors > 0) throw new Error(`${url} ${request?.().path}: ${non2xx + errors} failed`);
  return { perSecond: requests.total / duration, p50: latency.p50, p99: latency.p99 };
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
  const runs = loads.map((): Speed[] => []);
  for (let round = 0; round < rounds; round++) {
    await beforeRound();
    for (const [index, load] of loads.entries()) runs[index]?.push(await runOnce(load, seconds));
  }
  const middle = (speeds: Speed[], key: keyof Speed) => median(speeds.map((speed) => speed[key]));
  return runs.map((speeds) => ({
    perSecond: middle(speeds, "perSecond"),
    p50: middle(speeds, "p50"),
    p99: middle(speeds, "p99"),
  }));
}
