/** Lists and quotations inside of each other are shown so deep. */
export const MAX_DEPTH = 6;
