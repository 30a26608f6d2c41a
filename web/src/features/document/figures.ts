/** Dates, times and amounts. A cell of a table does not break them. */
export const FIGURE = /^(?=.*\d).{1,16}$/;

/** The number of characters from which a cell is wide enough for several words. */
export const LONG_CELL = 20;
