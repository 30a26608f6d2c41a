import { asName, nameKey } from "../../contract/name-key.ts";

const PRINTABLE_ASCII = /^[ -~]*$/;

/** Characters of a title that has a key: a row has no room for more beside the largest content. */
const MAX_KEYED_TITLE = 60;

/** The key of a title that has none; it is found as it is spelled. */
export const NO_KEY = "";

/**
 * What all spellings of a title have in common; null for one that the index of titles finds without, because it is of
 * printable ASCII and has no spaces around it.
 */
export function titleKey(title: string): string | null {
  if (PRINTABLE_ASCII.test(title) && title.trim() === title) return null;
  return title.length > MAX_KEYED_TITLE ? NO_KEY : nameKey(asName(title));
}
