import { pauseAfter } from "./pause.ts";
import { ApiError, isApiError } from "./request.ts";

// Requests that are retried until they are answered.

/** Statuses after which a retry may succeed; 0: no answer. */
export const PASSING = [0, 429, 502, 503, 504];

export type Waiting = { signal: AbortSignal; onWait?: (why: string | undefined) => void };

/** Callbacks that end the pauses between attempts. */
const pausing = new Set<() => void>();

/** Ends all pauses, because the server is reachable again. */
export function sendAgainNow(): void {
  for (const goOn of [...pausing]) goOn();
}
window.addEventListener("online", sendAgainNow);

/** Resolves after a time, on `retryPendingRequests`, or when aborted. */
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      pausing.delete(done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
    pausing.add(done);
  });

/** Retries until an attempt succeeds or fails permanently. Throws ApiError, or the reason of the abort. */
export async function persist<T>(
  send: () => Promise<T>,
  { signal, onWait = () => {} }: Waiting,
  isPassing = (problem: ApiError) => PASSING.includes(problem.status),
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      const answer = await send();
      onWait(undefined);
      return answer;
    } catch (problem) {
      signal.throwIfAborted();
      if (!isApiError(problem) || !isPassing(problem)) throw problem;
      onWait(problem.message);
      await pause(Math.max(pauseAfter(failures), (problem.retryAfter ?? 0) * 1000), signal);
      signal.throwIfAborted();
    }
  }
}

/** A change that has no answer yet. */
export type Unanswered = { stop: () => void };

const unanswered = new Set<Unanswered>();
let tell: (all: readonly Unanswered[]) => void = () => {};

/** Sets the listener for the list of changes being retried. */
export function onUnanswered(listener: typeof tell): void {
  tell = listener;
}

function note(one: Unanswered, isWaiting: boolean): void {
  if (isWaiting === unanswered.has(one)) return;
  if (isWaiting) unanswered.add(one);
  else unanswered.delete(one);
  tell([...unanswered]);
}

const STOPPED = "Stopped. The server did not answer, so the change may or may not have been made";

/** A longer Retry-After is reported as an error instead. */
const LONGEST_SECONDS = 120;

/** 409: an earlier attempt is still running. These changes get 409 for no other reason. */
const mayBeAnswered = ({ status, retryAfter = 0 }: ApiError) =>
  [...PASSING, 409].includes(status) && retryAfter <= LONGEST_SECONDS;

/**
 * Retries a change until it is answered or stopped by the user. The request must be idempotent. Throws ApiError.
 *
 * @param send its argument: whether an earlier attempt may have been applied
 */
export async function untilAnswered<T>(send: (isRepeated: boolean) => Promise<T>): Promise<T> {
  const end = new AbortController();
  const one = { stop: () => end.abort(new ApiError(0, STOPPED)) };
  let isRepeated = false;
  const attempt = () =>
    send(isRepeated).catch((problem: unknown) => {
      isRepeated ||= !isApiError(problem, 429);
      throw problem;
    });
  const onWait = (why?: string) => note(one, why !== undefined);
  try {
    return await persist(attempt, { signal: end.signal, onWait }, mayBeAnswered);
  } finally {
    note(one, false);
  }
}
