import { setUnansweredListener, type UnansweredChange } from "../api/retry.ts";
import { createSharedState } from "./shared-state.ts";

// Changes that are being retried because the server has not answered.

const unanswered = createSharedState<readonly UnansweredChange[]>([]);

/** Warn before the page is left: these changes exist only in its memory. */
const confirmLeave = (event: BeforeUnloadEvent) => event.preventDefault();

setUnansweredListener((now) => {
  if (now.length > 0) addEventListener("beforeunload", confirmLeave);
  else removeEventListener("beforeunload", confirmLeave);
  unanswered.set(now);
});

export const useUnanswered = unanswered.use;

export function stopAllRetries(): void {
  for (const { stop } of unanswered.get()) stop();
}
