import { firstOf, fold } from "../contract/text/fold.ts";
import type { Word } from "../contract/text/words.ts";

/** Characters that join words into one name: `gen-itgc`, `foo_bar`, `don’t`, `e-mail`. */
const TIE = /^[-_'’‐‑]$/u;
/** A point or a comma also joins digits: `1.2.3`, `0,5`. */
const NUMBER_TIE = /^[.,]$/;
const ENDS_IN_DIGIT = /[0-9]$/;
const DIGITS = /^[0-9]+$/;
const HUMP = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const HAS_HUMP = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;

/** The endings of English contractions: `it's`, `don't`, `I'd`, `I'm`, `we'll`, `you're`, `I've`. */
const CONTRACTED = new Set("s t d m ll re ve".split(" "));
const APOSTROPHE = /^['’]$/;

/** A sequence of more words than this is not a name. */
const MAX_PARTS = 8;
/** Length of the longest name that is split, in UTF-16 units. */
const MAX_NAME = 256;

/** A name made of several words: `whole` as one word, and the positions of its words in the list. */
export type Compound = { readonly whole: string; readonly from: number; readonly to: number };

/**
 * Finds names written with hyphens, underscores, apostrophes or points in a list of words.
 * The whole is its words without the joining characters (`e-mail` is `email`), but numbers keep their points (`v1.2.3`).
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

/** Whether a word of a text is only the ending of a contraction. */
export const isContracted = (text: string, { text: word, start }: Word) =>
  CONTRACTED.has(word) && APOSTROPHE.test(text.charAt(start - 1));

function tieBetween(text: string, before: Word | undefined, after: Word | undefined): "" | "." | undefined {
  if (before === undefined || after === undefined || after.start - before.end !== 1) return undefined;
  const between = text.charAt(before.end);
  if (TIE.test(between)) return "";
  return NUMBER_TIE.test(between) && ENDS_IN_DIGIT.test(before.text) && DIGITS.test(after.text)
    ? "."
    : undefined;
}

/**
 * The parts of a camel-case name such as `getUserById`, folded; none for other words or those too long to be a name.
 */
export function humps(raw: string): string[] {
  if (raw.length > MAX_NAME || !HAS_HUMP.test(raw)) return [];
  const parts = raw.split(HUMP, MAX_PARTS + 1).flatMap(fold);
  return parts.length > 1 && parts.length <= MAX_PARTS ? parts : [];
}
