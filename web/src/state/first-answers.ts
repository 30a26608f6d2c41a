import { dropBegun } from "../api/begun.ts";
import { painted } from "./painted.ts";
import { queries } from "./queries.ts";

/** What is not answered by then keeps nobody from the rest. */
const PATIENCE_MS = 4000;

let hasAsked = () => {};
const screen = new Promise<void>((resolve) => {
  hasAsked = resolve;
});

/** The screen's own script has been loaded, and has asked. */
export const screenHasAsked = (): void => hasAsked();

const isAnswered = () => queries.isFetching() === 0;

/** Resolves when the page has nothing to do: what an answer makes it render has asked by then. Safari cannot say so. */
const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if ("requestIdleCallback" in window) requestIdleCallback(() => resolve());
    else setTimeout(resolve, 50);
  });

async function answered(): Promise<void> {
  await screen;
  await new Promise<void>((resolve) => {
    const look = () =>
      isAnswered() &&
      painted()
        .then(idle)
        .then(() => isAnswered() && done());
    const done = () => {
      unsubscribe();
      resolve();
    };
    const unsubscribe = queries.getQueryCache().subscribe(look);
    look();
  });
}

const outOfPatience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));

/**
 * Resolves when what the page asked first has been answered and drawn, or after some seconds without an answer. What
 * nobody waits for is loaded then: before, it would take the network and the processor from what a person waits for.
 */
export const firstAnswers: Promise<void> = Promise.race([answered(), outOfPatience]).then(dropBegun);
