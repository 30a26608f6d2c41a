import type { Query } from "@tanstack/react-query";
import { useEffect } from "react";
import { pauseAfter } from "../api/pause.ts";
import { sendAgainNow } from "../api/persist.ts";
import { isPassing } from "../api/request.ts";
import { queries } from "./queries.ts";
import { storeOf } from "./store.ts";

// Retries failed queries automatically, with growing pauses and immediately when the page becomes visible. One small health
// check comes first; everything else is repeated only if it succeeds. A hidden page sends nothing.

/** Minimum time between attempts, however often the page gets the focus. */
const LEAST_MS = 1000;

/** Other work to run when the server is reachable: an unsaved text, a cached copy to be refreshed. */
const others = new Set<() => unknown>();
const outdated = storeOf(false);
const waited = storeOf(false);
let isAsking = false;
let attempts = 0;
let lastAt = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

const isUnanswered = ({ state }: Query) => state.status === "error" && isPassing(state.error);
const unanswered = () => queries.getQueryCache().findAll({ type: "active", predicate: isUnanswered });
const isNeeded = () => others.size > 0 || unanswered().length > 0;

const isAnswering = () =>
  fetch("/health", { cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  );

/** The longest Retry-After of the failed queries, in milliseconds. */
function askedPause(): number {
  const seconds = unanswered().map(({ state: { error } }) =>
    isPassing(error) ? (error.retryAfter ?? 0) : 0,
  );
  return 1000 * Math.max(0, ...seconds);
}

const repeatAll = () =>
  Promise.all([
    ...unanswered().map((query) => query.fetch().catch(() => undefined)),
    ...[...others].map((run) => run()),
  ]);

async function attempt(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  if (isAsking || !isNeeded() || document.hidden || !navigator.onLine) return;
  isAsking = true;
  attempts += 1;
  lastAt = Date.now();
  if (await isAnswering()) {
    sendAgainNow();
    await repeatAll();
  }
  isAsking = false;
  look();
}

/** Schedules the next attempt if anything is unanswered. */
function look(): void {
  if (isAsking) return;
  waited.set(others.size > 0);
  outdated.set(unanswered().some(({ state }) => state.data !== undefined));
  if (isNeeded()) timer ??= setTimeout(() => void attempt(), Math.max(pauseAfter(attempts), askedPause()));
  else attempts = 0;
}

/** Retries immediately, for instance when the user returns to the page. */
export function askNow(): void {
  if (Date.now() - lastAt < LEAST_MS) return;
  sendAgainNow();
  void attempt();
}

/** Called once, when the page starts. */
export function keepAsking(): void {
  queries.getQueryCache().subscribe(look);
  for (const event of ["focus", "online"]) addEventListener(event, askNow);
  document.addEventListener("visibilitychange", askNow);
}

/** Calls `run` whenever the server is reachable again, while the component is mounted and `run` is set. */
export function useAgain(run: (() => unknown) | undefined): void {
  useEffect(() => {
    if (!run) return;
    others.add(run);
    look();
    return () => {
      others.delete(run);
      // Deferred, because the next render may register another callback.
      queueMicrotask(() => waited.set(others.size > 0));
    };
  });
}

/** Whether a callback is waiting for the server. */
export const useIsWaitedFor = waited.use;

/** Whether the page shows data whose refresh has failed. */
export const useIsOutdated = outdated.use;
