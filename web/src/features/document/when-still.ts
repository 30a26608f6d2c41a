import { whenIdle } from "../../state/when-idle.ts";

/** Between two turns of a wheel, or two frames of a swipe, less time passes. */
const STILL_MS = 250;
let scrolledAt = Number.NEGATIVE_INFINITY;

const scrolled = () => {
  scrolledAt = performance.now();
};
addEventListener("scroll", scrolled, { capture: true, passive: true });

/** Runs `work` once the browser is idle and nothing scrolls, because `work` would make scrolling stutter. */
export function whenStill(work: () => void): void {
  whenIdle(() => {
    if (performance.now() - scrolledAt > STILL_MS) work();
    else setTimeout(whenStill, STILL_MS, work);
  }, 3000);
}
