// One timer for everything that changes with the minute. It rests while nobody looks at the page.

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

/** Calls back whenever a minute begins, and when somebody looks at the page again. Returns how to end that. */
export function onMinute(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) wind();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) wind();
  };
}
