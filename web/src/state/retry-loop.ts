import type { Query } from "@tanstack/react-query";
import { useEffect } from "react";
import { isTransientError } from "../api/request.ts";
import { retryPendingRequests } from "../api/retry.ts";
import { retryDelayMs } from "../api/retry-delay.ts";
import { queries } from "./queries.ts";
import { createSharedState } from "./shared-state.ts";

// Retries failed queries automatically, with growing pauses and immediately when the page becomes visible. One small health
// check comes first; everything else is repeated only if it succeeds. A hidden page sends nothing.

/** Minimum time between attempts, however often the page gets the focus. */
const MIN_INTERVAL_MS = 1000;

/** Other work to run when the server is reachable: an unsaved text, a cached copy to be refreshed. */
const reconnectCallbacks = new Set<() => unknown>();
const outdated = createSharedState(false);
const isRetryPending = createSharedState(false);
let isRetrying = false;
let attempts = 0;
let lastAt = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

const isUnanswered = ({ state }: Query) => state.status === "error" && isTransientError(state.error);
const unanswered = () => queries.getQueryCache().findAll({ type: "active", predicate: isUnanswered });
const isRetryNeeded = () => reconnectCallbacks.size > 0 || unanswered().length > 0;

const isServerReachable = () =>
  fetch("/health", { cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  );

/** The longest Retry-After of the failed queries, in milliseconds. */
function requestedPause(): number {
  const seconds = unanswered().map(({ state: { error } }) =>
    isTransientError(error) ? (error.retryAfter ?? 0) : 0,
  );
  return 1000 * Math.max(0, ...seconds);
}

const retryAll = () =>
  Promise.all([
    ...unanswered().map((query) => query.fetch().catch(() => undefined)),
    ...[...reconnectCallbacks].map((run) => run()),
  ]);

async function attempt(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  if (isRetrying || !isRetryNeeded() || document.hidden || !navigator.onLine) return;
  isRetrying = true;
  attempts += 1;
  lastAt = Date.now();
  if (await isServerReachable()) {
    retryPendingRequests();
    await retryAll();
  }
  isRetrying = false;
  scheduleRetry();
}

function scheduleRetry(): void {
  if (isRetrying) return;
  isRetryPending.set(reconnectCallbacks.size > 0);
  outdated.set(unanswered().some(({ state }) => state.data !== undefined));
  if (isRetryNeeded())
    timer ??= setTimeout(() => void attempt(), Math.max(retryDelayMs(attempts), requestedPause()));
  else attempts = 0;
}

/** Retries immediately, for instance when the user returns to the page. */
export function retryNow(): void {
  if (Date.now() - lastAt < MIN_INTERVAL_MS) return;
  retryPendingRequests();
  void attempt();
}

export function startRetrying(): void {
  queries.getQueryCache().subscribe(scheduleRetry);
  for (const event of ["focus", "online"]) addEventListener(event, retryNow);
  document.addEventListener("visibilitychange", retryNow);
}

/** Calls `run` whenever the server is reachable again, while the component is mounted and `run` is set. */
export function useOnReconnect(run: (() => unknown) | undefined): void {
  useEffect(() => {
    if (!run) return;
    reconnectCallbacks.add(run);
    scheduleRetry();
    return () => {
      reconnectCallbacks.delete(run);
      // Deferred, because the next render may register another callback.
      queueMicrotask(() => isRetryPending.set(reconnectCallbacks.size > 0));
    };
  });
}

/** Whether a callback is waiting for the server. */
export const useIsRetryPending = isRetryPending.use;

/** Whether the page shows data whose refresh has failed. */
export const useIsOutdated = outdated.use;
