import { randomId } from "./random-id.ts";
import { isApiError } from "./request.ts";

/** What to wait before each new attempt, in milliseconds; the last one stands for all that follow. */
const WAITS = [500, 1000, 2000, 4000, 8000];
/** No answer, or one after which a later attempt may succeed. */
export const PASSING = [0, 429, 502, 503, 504];

export type Waiting = { signal: AbortSignal; onWait?: (why: string | undefined) => void };

/** Waits until the time is over, the network is back, or the signal. */
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = new AbortController();
    const done = () => {
      clearTimeout(timer);
      end.abort();
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { signal: end.signal });
    window.addEventListener("online", done, { signal: end.signal });
  });

/** Sends until there is an answer that another attempt would not change. Throws ApiError, or when it is stopped. */
export async function persist<T>(
  send: () => Promise<T>,
  { signal, onWait = () => {} }: Waiting,
  passing = PASSING,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      const answer = await send();
      onWait(undefined);
      return answer;
    } catch (problem) {
      signal.throwIfAborted();
      if (!isApiError(problem, ...passing)) throw problem;
      onWait(problem.message);
      const usual = WAITS[Math.min(failures, WAITS.length - 1)] ?? 0;
      await pause(problem.retryAfter ? problem.retryAfter * 1000 : usual, signal);
      signal.throwIfAborted();
    }
  }
}

/** How long a step waits, all in all, for the service to take more requests. */
const PATIENCE_MS = 300_000;

/** Sends again after the pause that the service asks for when there were too many requests. */
export const patiently = <T>(send: (key: string) => Promise<T>): Promise<T> => {
  const key = randomId();
  return persist(() => send(key), { signal: AbortSignal.timeout(PATIENCE_MS) }, [429]);
};
