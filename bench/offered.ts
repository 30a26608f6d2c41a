import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { quantile } from "./table.ts";

// Requests at a fixed rate, whether or not those before have been answered. A latency is counted from the moment at which
// a request was due: what waits for a slow answer before it is slow as well.

export type Pace = { perSecond: number; seconds: number };

/** Calls `send` with the moment at which it is due, until the time is up or `isOver`; waits for all of them. */
export async function offer(
  { perSecond, seconds }: Pace,
  send: (due: number) => Promise<void>,
  isOver: () => boolean = () => false,
): Promise<void> {
  const start = performance.now();
  const waiting = new Set<Promise<void>>();
  for (let number = 0; number < perSecond * seconds && !isOver(); number++) {
    const due = start + (number * 1000) / perSecond;
    const early = due - performance.now();
    await (early > 0 ? sleep(early) : setImmediate());
    const sent = send(due).finally(() => waiting.delete(sent));
    waiting.add(sent);
  }
  await Promise.all(waiting);
}

/** A rate that was held, and its latencies in milliseconds. */
export type Held = { perSecond: number; p50: number; p99: number };

/** What ended the search for the highest rate: p99, or the first answer that was refused. */
export type Highest = Held & { endedBy: string };

export const LIMIT_MS = 250;
const FIRST_RATE = 32;
const STEP_SECONDS = 4;
/** So that a moment in which the machine does something else is not one request in a hundred. */
const FEWEST_REQUESTS = 400;
const REFINEMENTS = 3;
const LATE = 0.01;

/** Offers a rate for a while. It is not held if a request fails, or more than one in a hundred is late. */
async function tryRate(perSecond: number, send: () => Promise<void>): Promise<Held | string> {
  const latencies: number[] = [];
  const seconds = Math.max(STEP_SECONDS, FEWEST_REQUESTS / perSecond);
  const allowed = perSecond * seconds * LATE;
  let late = 0;
  let failure: string | undefined;
  const timed = async (due: number) => {
    await send().catch(({ message }: Error) => {
      failure ??= message;
    });
    const latency = performance.now() - due;
    latencies.push(latency);
    if (latency > LIMIT_MS) late++;
  };
  const isOver = () => late > allowed || failure !== undefined;
  await offer({ perSecond, seconds }, timed, isOver);
  if (failure !== undefined) return failure;
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
  return p99 > LIMIT_MS ? "p99" : { perSecond, p50, p99 };
}

/** The same with a second try. */
async function tryTwice(perSecond: number, send: () => Promise<void>): Promise<Held | string> {
  const first = await tryRate(perSecond, send);
  return typeof first === "string" ? tryRate(perSecond, send) : first;
}

/** The highest rate that is held: doubled until one is not, then halved between both. */
export async function highestHeld(send: () => Promise<void>): Promise<Highest> {
  let held: Held = { perSecond: 0, p50: Number.NaN, p99: Number.NaN };
  let missed = Number.POSITIVE_INFINITY;
  let endedBy = "";
  for (let refined = 0; refined < REFINEMENTS; ) {
    const isDoubling = missed === Number.POSITIVE_INFINITY;
    const rate = isDoubling ? Math.max(FIRST_RATE, held.perSecond * 2) : (held.perSecond + missed) / 2;
    const outcome = await tryTwice(rate, send);
    if (!isDoubling) refined++;
    if (typeof outcome === "string") [missed, endedBy] = [rate, outcome];
    else held = outcome;
  }
  return { ...held, endedBy };
}
