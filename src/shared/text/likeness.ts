import { distance } from "fastest-levenshtein";
import { nameKey } from "../../contract/name-key.ts";

// How alike two words are. Corrections of a query (engine/correct.ts), hints and warnings about names all count errors in the
// same way. They differ in how many they accept, because a wrong hint costs less than a wrong correction. Unknown fields of
// the API have their own rules with synonyms (contract/nearest-name.ts), and longer texts are compared by the words that they
// share (similar-topics.ts, shared/tidy/sketch.ts).

/** Typing errors between two words: letters that are missing, added, wrong, or swapped with their neighbour (Damerau 1964). */
export function typingErrors(one: string, other: string): number {
  const errors = distance(one, other);
  return errors === 2 && hasSwappedNeighbours(one, other) ? 1 : errors;
}

function hasSwappedNeighbours(one: string, other: string): boolean {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return one.slice(at) === other.charAt(at + 1) + other.charAt(at) + other.slice(at + 2);
}

/** Shorter words have too many similar words to guess from. */
export const MIN_LETTERS = 4;

/** Errors after which a word is still taken for another one. `long`: from how many letters on it may have two. */
export const acceptedErrors = (letters: number, long: number): number =>
  letters >= long ? 2 : letters >= MIN_LETTERS ? 1 : 0;

/** Whether a word is worth a "did you mean": at most two of five letters are wrong. */
export const isWorthHint = (word: string, requested: string): boolean =>
  typingErrors(word, requested) <= (requested.length + 1) / 2.5;

/** Maximum number and length of the names compared for a hint. */
const MAX_NAMES = 1000;
const MAX_LENGTH = 60;

/** The name most similar to an unknown one, for a hint; undefined if there is none. */
export function mostSimilarName(names: readonly string[], requested: string): string | undefined {
  if (requested.length > MAX_LENGTH) return undefined;
  const key = nameKey(requested);
  const near = names
    .slice(0, MAX_NAMES)
    .filter((name) => name.length <= MAX_LENGTH && isWorthHint(nameKey(name), key));
  return near.toSorted((a, b) => typingErrors(nameKey(a), key) - typingErrors(nameKey(b), key))[0];
}

const MAX_COMPARED = 100;
const LONG_NAME = 8;

/** Numbers and words of one or two characters, which distinguish names: `2026`, `Team B`. */
const DISTINCTIVE = /(?<![\p{L}\p{N}])[\p{L}\p{N}]{1,2}(?![\p{L}\p{N}])|\p{N}+/gu;

const onlyLetters = (name: string) =>
  name
    .slice(0, MAX_COMPARED)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
const sortLetters = (text: string) => [...text].sort().join("");

/**
 * Whether a name may be a typo of another: other spaces or accents, one or two wrong letters, or any two letters swapped,
 * also in a short name and also if they are not neighbours.
 */
export function isLikelyTypo(one: string, other: string): boolean {
  const distinctive = (name: string) => (name.toLowerCase().match(DISTINCTIVE) ?? []).join(" ");
  if (distinctive(one) !== distinctive(other)) return false;
  const [a, b] = [onlyLetters(one), onlyLetters(other)];
  const errors = typingErrors(a, b);
  if (errors <= 2 && a.length === b.length && sortLetters(a) === sortLetters(b)) return true;
  return errors <= acceptedErrors(Math.min(a.length, b.length), LONG_NAME);
}
