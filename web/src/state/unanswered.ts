import { onUnanswered, type Unanswered } from "../api/persist.ts";
import { storeOf } from "./store.ts";

// The changes that are sent again because the service has not answered them.

const all = storeOf<readonly Unanswered[]>([]);

/** The browser asks before the page is left: nobody would send them again. */
const stay = (event: BeforeUnloadEvent) => event.preventDefault();

onUnanswered((now) => {
  if (now.length > 0) addEventListener("beforeunload", stay);
  else removeEventListener("beforeunload", stay);
  all.set(now);
});

export const useUnanswered = all.use;

/** Gives all of them up. */
export function stopAll(): void {
  for (const { stop } of all.get()) stop();
}
