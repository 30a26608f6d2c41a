import { dropBegun } from "../api/begun.ts";
import { painted } from "./painted.ts";
import { queries } from "./queries.ts";

/** Slower responses do not hold up the rest. */
const PATIENCE_MS = 4000;

let hasAsked = () => {};
const screen = new Promise<void>((resolve) => {
  hasAsked = resolve;
});

/** Called when the screen's own script has loaded and sent its requests. */
export const screenHasAsked = (): void => hasAsked();

const isAnswered = () => queries.isFetching() === 0;

/** Resolves when the page is idle, after components rendered by a response have sent their own requests. Safari lacks requestIdleCallback. */
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
 * Resolves when the first requests of the page are answered and painted, or after some seconds. Scripts of low priority are
 * loaded then, so that they do not compete with what the user is waiting for.
 */
export const firstAnswers: Promise<void> = Promise.race([answered(), outOfPatience]).then(dropBegun);
