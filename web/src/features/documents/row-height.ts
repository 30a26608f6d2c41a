/** The height of a row of two lines: its title above, its first words below. */
export const ROW_HEIGHT = 60;

/** The height of a list: that of its rows, or what the screen has, which is `fitting` pixels once that is measured. */
export function heightOf(rows: number, isPhone: boolean, fitting?: number): string {
  const left = fitting === undefined ? `calc(100dvh - ${isPhone ? 17 : 13}rem)` : `${fitting}px`;
  return `min(${rows * ROW_HEIGHT + 1}px, ${left})`;
}
