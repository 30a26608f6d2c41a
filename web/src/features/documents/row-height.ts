/** Height of a row in pixels: two lines, title and excerpt. */
export const ROW_HEIGHT = 60;

/** Height of a list: that of its rows, at most the available space, which is `fitting` pixels once measured. */
export function listHeight(rows: number, isPhone: boolean, fitting?: number): string {
  const left = fitting === undefined ? `calc(100dvh - ${isPhone ? 17 : 13}rem)` : `${fitting}px`;
  return `min(${rows * ROW_HEIGHT + 1}px, ${left})`;
}
