import { ApiError, isApiError, isTransientError, STILL_RUNNING } from "./request.ts";
import { retryDelayMs } from "./retry-delay.ts";

// Requests that are retried until they are answered.

export type RetryOptions = { signal: AbortSignal; onWait?: (why: string | undefined) => void };

/** Callbacks that end the pauses between attempts. */
const pendingPauses = new Set<() => void>();

/** Ends all pauses, because the server is reachable again. */
export function retryPendingRequests(): void {
  for (const endPause of [...pendingPauses]) endPause();
}
window.addEventListener("online", retryPendingRequests);

/** Resolves after a time, on `retryPendingRequests`, or when aborted. */
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      pendingPauses.delete(done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, signal.aborted ? 0 : ms);
    signal.addEventListener("abort", done);
    pendingPauses.add(done);
  });

/** Retries until an attempt succeeds or fails permanently. Throws ApiError, or the reason of the abort. */
export async function sendWithRetry<T>(
  send: () => Promise<T>,
  { signal, onWait = () => {} }: RetryOptions,
  isRetryable = (problem: unknown): problem is ApiError => isTransientError(problem),
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      const answer = await send();
      onWait(undefined);
      return answer;
    } catch (problem) {
      signal.throwIfAborted();
      if (!isRetryable(problem)) throw problem;
      onWait(problem.message);
      await pause(Math.max(retryDelayMs(failures), (problem.retryAfter ?? 0) * 1000), signal);
      signal.throwIfAborted();
    }
  }
}

export type UnansweredChange = { stop: () => void };

const unanswered = new Set<UnansweredChange>();
let onChange: (all: readonly UnansweredChange[]) => void = () => {};

export function setUnansweredListener(listener: typeof onChange): void {
  onChange = listener;
}

function setWaiting(one: UnansweredChange, isWaiting: boolean): void {
  if (isWaiting === unanswered.has(one)) return;
  if (isWaiting) unanswered.add(one);
  else unanswered.delete(one);
  onChange([...unanswered]);
}

const STOPPED = "Stopped. The server did not answer, so the change may or may not have been made";

/** A longer Retry-After is reported as an error instead. */
const MAX_RETRY_AFTER = 120;

/** These changes get 409 for no other reason than an earlier attempt. */
const isRetryable = (problem: unknown): problem is ApiError =>
  isTransientError(problem, STILL_RUNNING) && (problem.retryAfter ?? 0) <= MAX_RETRY_AFTER;

/**
 * Retries a change until it is answered or stopped by the user. The request must be idempotent. Throws ApiError.
 *
 * @param send its argument: whether an earlier attempt may have been applied
 */
export async function retryUntilAnswered<T>(send: (isRepeated: boolean) => Promise<T>): Promise<T> {
  const end = new AbortController();
  const one = { stop: () => end.abort(new ApiError(0, STOPPED)) };
  let isRepeated = false;
  const attempt = () =>
    send(isRepeated).catch((problem: unknown) => {
      isRepeated ||= !isApiError(problem, 429);
      throw problem;
    });
  const onWait = (why?: string) => setWaiting(one, why !== undefined);
  try {
    return await sendWithRetry(attempt, { signal: end.signal, onWait }, isRetryable);
  } finally {
    setWaiting(one, false);
  }
}
