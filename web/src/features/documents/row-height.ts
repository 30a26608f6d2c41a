/** Height of a row in pixels: title, excerpt, and a line for folder, tasks and tags. */
export const ROW_HEIGHT = 80;

/** Where a list in a box of its own would leave too little of the page: on phones, and with a large zoom. */
export const PAGE_SCROLLS = "(max-width: 48rem), (max-height: 36rem)";

/** Height of a list: that of its rows; if it scrolls, at most the available space, `fitting` pixels once measured. */
export function listHeight(rows: number, isPageScrolling: boolean, fitting?: number): string {
  if (isPageScrolling) return `${rows * ROW_HEIGHT + 1}px`;
  const left = fitting === undefined ? "calc(100dvh - 13rem)" : `${fitting}px`;
  return `min(${rows * ROW_HEIGHT + 1}px, ${left})`;
}
