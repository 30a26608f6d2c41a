/** The search text and its replacement. */
export type Wanted = {
  search: string;
  replace: string;
  caseSensitive: boolean;
  wholeWord: boolean;
  regexp: boolean;
};

export type Matches = {
  total: number;
  /** Number of the selected match, from 1; 0 if none is selected. */
  current: number;
};

export const MAX_COUNTED = 10_000;
