// One timer for everything that changes every minute. It stops while the page is hidden.

const MINUTE_MS = 60_000;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

function notifyListeners(): void {
  for (const listener of listeners) listener();
}

function scheduleNextMinute(): void {
  clearTimeout(timer);
  if (listeners.size === 0 || document.hidden) return;
  timer = setTimeout(
    () => {
      notifyListeners();
      scheduleNextMinute();
    },
    MINUTE_MS - (Date.now() % MINUTE_MS),
  );
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) notifyListeners();
  scheduleNextMinute();
});

/** Calls back at the start of every minute, and when the page becomes visible. Returns a function that unsubscribes. */
export function onMinute(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) scheduleNextMinute();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) scheduleNextMinute();
  };
}
