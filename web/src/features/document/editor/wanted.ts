/** What somebody looks for in a text, and what is to stand in its place. */
export type Wanted = {
  search: string;
  replace: string;
  caseSensitive: boolean;
  wholeWord: boolean;
  regexp: boolean;
};

export type Matches = {
  total: number;
  /** Which of them is selected, from 1; 0 if none is. */
  current: number;
};

/** More matches are not counted. */
export const MAX_COUNTED = 10_000;
