import { storeOf } from "./store.ts";

// How wide the sidebar is in this browser, in rem.

const KEY = "commonplace-side";
export const SIDE = { least: 12, usual: 15, most: 28 };

const within = (width: number) => Math.min(SIDE.most, Math.max(SIDE.least, width));

const width = storeOf(within(Number(localStorage.getItem(KEY)) || SIDE.usual));
export const useSideWidth = width.use;

/** Keeps another width, within its limits. */
export function setSideWidth(next: number): void {
  width.set(within(next));
  localStorage.setItem(KEY, String(width.get()));
}
