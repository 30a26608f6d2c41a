import { distance } from "fastest-levenshtein";
import { stem } from "../text-index/forms.ts";

/** A word of the owner's vocabulary and the number of records that contain it. */
export type Known = { readonly text: string; readonly records: number };

/** Shorter words have too many similar words to guess which was meant. */
const MIN_LETTERS = 4;
/** Words of at least this many letters may have two typos. */
const LONG = 7;

/** Whether a word is so long that a similar one is what was meant: short words resemble others by chance. */
export const isSurelyTypo = (word: string) => word.length >= LONG;
const MAX_LETTERS = 32;

/** Alphabets of scripts that are typed letter by letter; a typo stays within the alphabet of its word. */
const ALPHABETS = [
  "abcdefghijklmnopqrstuvwxyz",
  "абвгдежзийклмнопрстуфхцчшщъыьэюя",
  "αβγδεζηθικλμνξοπρστυφχψω",
  "אבגדהוזחטיכלמנסעפצקרשתםןףץ",
  "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأإؤئ",
];

/** Whether a word may be corrected at all: letters only, neither too short nor too long. */
export const isCorrectable = (word: string) =>
  word.length >= MIN_LETTERS && word.length <= MAX_LETTERS && /^\p{L}+$/u.test(word);

/**
 * Every word that one typo could have turned into this one: a letter inserted, missing or replaced, or two
 * transposed (Damerau 1964). About 54 per letter in the Latin alphabet.
 */
export function oneSlipAway(word: string): string[] {
  const letters = [...word];
  const alphabet = [...(ALPHABETS.find((one) => letters.some((letter) => one.includes(letter))) ?? "")];
  const join = (...parts: string[][]) => parts.flat().join("");
  const near = new Set<string>();
  for (let place = 0; place <= letters.length; place++) {
    const [before, after] = [letters.slice(0, place), letters.slice(place)];
    const [first = "", second = ""] = after;
    near.add(join(before, after.slice(1)));
    near.add(join(before, [second, first], after.slice(2)));
    for (const letter of alphabet) {
      near.add(join(before, [letter], after));
      near.add(join(before, [letter], after.slice(1)));
    }
  }
  near.delete(word);
  return [...near];
}

/**
 * The range of the vocabulary to search for words with two typos: those with the same beginning. Undefined for short
 * words.
 */
export const beginningOfTwoSlips = (word: string) => (isSurelyTypo(word) ? word.slice(0, 2) : undefined);

/**
 * The words that were most likely meant, the likeliest first: with the fewest typos, then the same first letter, then in
 * the most records, then first alphabetically. A second one has as few typos and as good a first letter, and is not
 * another form of the first. None when none is close enough.
 */
export function likelyMeant(word: string, vocabulary: readonly Known[]): string[] {
  const slips = (text: string) => (oneSlip.has(text) ? 1 : distance(word, text));
  const oneSlip = new Set(oneSlipAway(word));
  const allowed = isSurelyTypo(word) ? 2 : 1;
  // The first letter is rarely wrong, but may have changed places with the second.
  const isSwapped = (text: string) => text[0] === word[1] && text[1] === word[0];
  const begins = (text: string) => Number(text[0] === word[0] || isSwapped(text));
  const near = vocabulary
    .map(({ text, records }) => ({ text, records, slips: slips(text), begins: begins(text) }))
    .filter((known) => known.slips <= allowed && known.text !== word);
  near.sort(
    (a, b) => a.slips - b.slips || b.begins - a.begins || b.records - a.records || (a.text < b.text ? -1 : 1),
  );
  const [best, ...others] = near;
  if (best === undefined) return [];
  const second = others.find(
    ({ text, slips, begins }) =>
      slips === best.slips && begins === best.begins && stem(text) !== stem(best.text),
  );
  return second === undefined ? [best.text] : [best.text, second.text];
}
