import { dropBegun } from "../api/begun.ts";
import { queries } from "./queries.ts";

/** What is not answered by then keeps nobody from the rest. */
const PATIENCE_MS = 4000;

const drawn = (then: () => void) => requestAnimationFrame(() => setTimeout(then));

let isScreenThere = false;
let look = () => {};

/** The screen's own script has been loaded, and has asked. */
export function screenIsThere(): void {
  isScreenThere = true;
  look();
}

const isAnswered = () => isScreenThere && queries.isFetching() === 0;

/**
 * Resolves when what the page asked first has been answered and drawn, or after some seconds without an answer. What
 * nobody waits for is loaded then: before, it would take the network and the processor from what a person waits for.
 */
export const firstAnswers = new Promise<void>((resolve) => {
  const done = () => {
    unsubscribe();
    dropBegun();
    resolve();
  };
  look = () => isAnswered() && drawn(() => isAnswered() && done());
  const unsubscribe = queries.getQueryCache().subscribe(() => look());
  setTimeout(done, PATIENCE_MS);
});
