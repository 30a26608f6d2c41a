import { pauseAfter } from "./pause.ts";
import { ApiError, isApiError } from "./request.ts";

// Requests that are sent until they are answered.

/** No answer, or one after which a later attempt may succeed. */
export const PASSING = [0, 429, 502, 503, 504];

export type Waiting = { signal: AbortSignal; onWait?: (why: string | undefined) => void };

/** What is waiting for its next attempt. */
const pausing = new Set<() => void>();

/** Sends at once what waits: the service has just answered something else. */
export function sendAgainNow(): void {
  for (const goOn of [...pausing]) goOn();
}
window.addEventListener("online", sendAgainNow);

/** Waits until the time is over, something is sent at once, or the signal. */
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

/** Sends until there is an answer that another attempt would not change. Throws ApiError, or when it is stopped. */
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

/** A change whose answer has not come, and what stops it. */
export type Unanswered = { stop: () => void };

const unanswered = new Set<Unanswered>();
let tell: (all: readonly Unanswered[]) => void = () => {};

/** Sets who is told which changes are being sent again. */
export function onUnanswered(listener: typeof tell): void {
  tell = listener;
}

function note(one: Unanswered, isWaiting: boolean): void {
  if (isWaiting === unanswered.has(one)) return;
  if (isWaiting) unanswered.add(one);
  else unanswered.delete(one);
  tell([...unanswered]);
}

const STOPPED = "You have stopped it. It may have been done before: the service did not answer";

/** Who is told to come back later than this hears it at once. */
const LONGEST_SECONDS = 120;

/** 409 says that an earlier attempt is still being carried out: no change of the app is refused with it otherwise. */
const mayBeAnswered = ({ status, retryAfter = 0 }: ApiError) =>
  [...PASSING, 409].includes(status) && retryAfter <= LONGEST_SECONDS;

/**
 * Sends a change until it is answered or somebody stops it. What is sent must have no further effect when it has been
 * carried out already. Throws ApiError.
 *
 * @param send is told whether an earlier attempt may have been carried out
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
