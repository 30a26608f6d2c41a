import { createSharedState } from "./shared-state.ts";

// Width of the sidebar in this browser, in rem.

const KEY = "commonplace-side";
export const SIDE_WIDTH = { least: 12, usual: 15, most: 28 };

const clampWidth = (width: number) => Math.min(SIDE_WIDTH.most, Math.max(SIDE_WIDTH.least, width));

const width = createSharedState(clampWidth(Number(localStorage.getItem(KEY)) || SIDE_WIDTH.usual));
export const useSideWidth = width.use;

export function setSideWidth(next: number): void {
  width.set(clampWidth(next));
  localStorage.setItem(KEY, String(width.get()));
}
