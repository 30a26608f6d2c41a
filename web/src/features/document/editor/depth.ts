/** Nesting depth up to which lists and quotations are indented. */
export const MAX_NESTING = 6;
