import { nameKey, normalizeName } from "../../contract/name-key.ts";

const PRINTABLE_ASCII = /^[ -~]*$/;

/** Longer titles get no key: next to the largest content a row has no room for it. */
const MAX_KEYED_TITLE = 60;

/** Stands for no key: the title is only found in its exact spelling. */
export const NO_TITLE_KEY = "";

/** The key that all spellings of a title share. Null for trimmed printable ASCII, which the index of titles finds anyway. */
export function titleKey(title: string): string | null {
  if (PRINTABLE_ASCII.test(title) && title.trim() === title) return null;
  return title.length > MAX_KEYED_TITLE ? NO_TITLE_KEY : nameKey(normalizeName(title));
}
