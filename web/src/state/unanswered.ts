import { onUnanswered, type Unanswered } from "../api/persist.ts";
import { storeOf } from "./store.ts";

// Changes that are being retried because the server has not answered.

const all = storeOf<readonly Unanswered[]>([]);

/** Warn before the page is left: these changes exist only in its memory. */
const stay = (event: BeforeUnloadEvent) => event.preventDefault();

onUnanswered((now) => {
  if (now.length > 0) addEventListener("beforeunload", stay);
  else removeEventListener("beforeunload", stay);
  all.set(now);
});

export const useUnanswered = all.use;

/** Gives up all retries. */
export function stopAll(): void {
  for (const { stop } of all.get()) stop();
}
