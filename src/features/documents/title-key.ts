import { asName, nameKey } from "../../contract/name-key.ts";

const PRINTABLE_ASCII = /^[ -~]*$/;

/**
 * What all spellings of a title have in common; null for one that the index of titles finds without, because it is of
 * printable ASCII and has no spaces around it.
 */
export const titleKey = (title: string): string | null =>
  PRINTABLE_ASCII.test(title) && title.trim() === title ? null : nameKey(asName(title));
