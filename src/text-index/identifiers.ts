import { firstOf, fold } from "./fold.ts";
import type { Word } from "./words.ts";

/** Characters that tie words to one name: `gen-itgc`, `foo_bar`, `don’t`, `e-mail`. */
const TIE = /^[-_'’‐‑]$/u;
/** Between digits a point or a comma ties too: `1.2.3`, `0,5`. */
const NUMBER_TIE = /^[.,]$/;
const ENDS_IN_DIGIT = /[0-9]$/;
const DIGITS = /^[0-9]+$/;
const HUMP = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const HAS_HUMP = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;

/** More words than this are no name. */
const MAX_PARTS = 8;
/** UTF-16 units of the longest name that is taken apart. */
const MAX_NAME = 256;

/** A name made of several words: `whole` as one word, and the places of its words in the list. */
export type Compound = { readonly whole: string; readonly from: number; readonly to: number };

/**
 * The names that are written with hyphens, underscores, apostrophes or points in a list of words.
 * The whole is the words without what ties them (`e-mail` is `email`), numbers with points (`v1.2.3`).
 */
export function compounds(text: string, words: readonly Word[]): Compound[] {
  const found: Compound[] = [];
  for (let from = 0; from < words.length; ) {
    let whole = words[from]?.text ?? "";
    let to = from + 1;
    for (; to < words.length; to++) {
      const tie = tieBetween(text, words[to - 1], words[to]);
      if (tie === undefined) break;
      whole += tie + words[to]?.text;
    }
    if (to - from > 1 && to - from <= MAX_PARTS) found.push({ whole: firstOf(whole), from, to });
    from = to;
  }
  return found;
}

function tieBetween(text: string, before: Word | undefined, after: Word | undefined): "" | "." | undefined {
  if (before === undefined || after === undefined || after.start - before.end !== 1) return undefined;
  const between = text.charAt(before.end);
  if (TIE.test(between)) return "";
  return NUMBER_TIE.test(between) && ENDS_IN_DIGIT.test(before.text) && DIGITS.test(after.text)
    ? "."
    : undefined;
}

/** The parts of `getUserById`, folded; nothing for a word without humps, or for one that is too long to be a name. */
export function humps(raw: string): string[] {
  if (raw.length > MAX_NAME || !HAS_HUMP.test(raw)) return [];
  const parts = raw.split(HUMP, MAX_PARTS + 1).flatMap(fold);
  return parts.length > 1 && parts.length <= MAX_PARTS ? parts : [];
}
