import { storeOf } from "./store.ts";

// Width of the sidebar in this browser, in rem.

const KEY = "commonplace-side";
export const SIDE = { least: 12, usual: 15, most: 28 };

const within = (width: number) => Math.min(SIDE.most, Math.max(SIDE.least, width));

const width = storeOf(within(Number(localStorage.getItem(KEY)) || SIDE.usual));
export const useSideWidth = width.use;

/** Clamps the width to its limits. */
export function setSideWidth(next: number): void {
  width.set(within(next));
  localStorage.setItem(KEY, String(width.get()));
}
