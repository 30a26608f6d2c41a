export type SearchOptions = {
  search: string;
  replace: string;
  caseSensitive: boolean;
  wholeWord: boolean;
  regexp: boolean;
};

export type MatchCount = {
  total: number;
  /** Number of the selected match, from 1; 0 if none is selected. */
  current: number;
};

export const MAX_COUNTED_MATCHES = 10_000;
