import { cancelEarlyRequests } from "../api/early-requests.ts";
import { nextPaint } from "./next-paint.ts";
import { queries } from "./queries.ts";

/** Slower responses do not hold up the rest. */
const MAX_WAIT_MS = 4000;

let resolveScreen = () => {};
const screen = new Promise<void>((resolve) => {
  resolveScreen = resolve;
});

/** Called when the screen's own script has loaded and sent its requests. */
export const markScreenRequested = (): void => resolveScreen();

const isAnswered = () => queries.isFetching() === 0;

/** Resolves when the page is idle, after components rendered by a response have sent their own requests. Safari lacks requestIdleCallback. */
const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if ("requestIdleCallback" in window) requestIdleCallback(() => resolve());
    else setTimeout(resolve, 50);
  });

async function allAnswered(): Promise<void> {
  await screen;
  await new Promise<void>((resolve) => {
    const look = () =>
      isAnswered() &&
      nextPaint()
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

const timeout = new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS));

/**
 * Resolves when the first requests of the page are answered and painted, or after some seconds. Scripts of low priority are
 * loaded then, so that they do not compete with what the user is waiting for.
 */
export const firstScreenLoaded: Promise<void> = Promise.race([allAnswered(), timeout]).then(
  cancelEarlyRequests,
);
