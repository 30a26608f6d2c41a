/** Dates, times and amounts. A cell of a table does not break them. */
export const FIGURE = /^(?=.*\d).{1,16}$/;
