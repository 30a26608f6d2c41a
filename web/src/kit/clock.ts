// One timer for everything that changes every minute. It stops while the page is hidden.

const MINUTE_MS = 60_000;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

function tell(): void {
  for (const listener of listeners) listener();
}

function wind(): void {
  clearTimeout(timer);
  if (listeners.size === 0 || document.hidden) return;
  timer = setTimeout(
    () => {
      tell();
      wind();
    },
    MINUTE_MS - (Date.now() % MINUTE_MS),
  );
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) tell();
  wind();
});

/** Calls back at the start of every minute, and when the page becomes visible. Returns a function that unsubscribes. */
export function onMinute(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) wind();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) wind();
  };
}
