/** Runs `work` once the browser is idle, at the latest after some time. Safari has no idle callbacks. */
export function whenIdle(work: () => void, timeout = 1000): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(work, { timeout });
  else setTimeout(work, 50);
}
