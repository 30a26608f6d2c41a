import type { Query } from "@tanstack/react-query";
import { useEffect } from "react";
import { pauseAfter } from "../api/pause.ts";
import { sendAgainNow } from "../api/persist.ts";
import { isPassing } from "../api/request.ts";
import { queries } from "./queries.ts";
import { storeOf } from "./store.ts";

// What the service did not answer is asked again, by itself: after pauses that grow, and at once when somebody looks at the
// page. One small request finds out whether the service answers; only then is everything else repeated. A page that nobody
// looks at asks nothing.

/** Between two attempts, however often somebody comes back to the page. */
const LEAST_MS = 1000;

/** What else waits for the service: a text that was not saved, a copy that stands for an answer. */
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

/** How long the service wants to be left alone, in milliseconds. */
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

/** Sees whether something is unanswered, and plans the next attempt. */
function look(): void {
  if (isAsking) return;
  waited.set(others.size > 0);
  outdated.set(unanswered().some(({ state }) => state.data !== undefined));
  if (isNeeded()) timer ??= setTimeout(() => void attempt(), Math.max(pauseAfter(attempts), askedPause()));
  else attempts = 0;
}

/** Asks at once, as somebody who comes back to the page expects. */
export function askNow(): void {
  if (Date.now() - lastAt < LEAST_MS) return;
  sendAgainNow();
  void attempt();
}

/** Begins to ask again what is not answered. Called once, when the page starts. */
export function keepAsking(): void {
  queries.getQueryCache().subscribe(look);
  for (const event of ["focus", "online"]) addEventListener(event, askNow);
  document.addEventListener("visibilitychange", askNow);
}

/** Runs something once the service answers again, as long as it is given. */
export function useAgain(run: (() => unknown) | undefined): void {
  useEffect(() => {
    if (!run) return;
    others.add(run);
    look();
    return () => {
      others.delete(run);
      // Another one may take its place at once.
      queueMicrotask(() => waited.set(others.size > 0));
    };
  });
}

/** Whether something waits until the service answers again. */
export const useIsWaitedFor = waited.use;

/** Whether something that this page shows may be out of date because the service has not answered. */
export const useIsOutdated = outdated.use;
