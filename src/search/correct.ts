import { distance } from "fastest-levenshtein";

/** A word of the owner's vocabulary and in how many records it occurs. */
export type Known = { readonly text: string; readonly records: number };

/** Shorter words have too many neighbours to guess which was meant. */
const MIN_LETTERS = 4;
/** From so many letters on two slips are forgiven. */
const LONG = 7;
const MAX_LETTERS = 32;

/** Alphabets of the scripts that are typed letter by letter; a slip stays in the alphabet of its word. */
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
 * Every word that one slip could have turned into this one: a letter too many, too few, another one, or two
 * that changed places (Damerau 1964). About 54 for each letter of the Latin alphabet.
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

/** A first letter is seldom wrong: in a shorter word another first letter is rather another word (`merlin`, `berlin`). */
const sharesBeginning = (word: string, text: string) => word.length >= LONG || text[0] === word[0];

/** Where in the vocabulary to look for words two slips away: those with the same beginning. Nothing for short words. */
export const beginningOfTwoSlips = (word: string) => (word.length >= LONG ? word.slice(0, 2) : undefined);

/** The likeliest meant word: the fewest slips, then the most records, then the alphabet. Undefined without any near enough. */
export function bestCorrection(word: string, vocabulary: readonly Known[]): string | undefined {
  const slips = (text: string) => (oneSlip.has(text) ? 1 : distance(word, text));
  const oneSlip = new Set(oneSlipAway(word));
  const allowed = word.length >= LONG ? 2 : 1;
  const near = vocabulary
    .map(({ text, records }) => ({ text, records, slips: slips(text) }))
    .filter((known) => known.slips <= allowed && known.text !== word && sharesBeginning(word, known.text));
  near.sort((a, b) => a.slips - b.slips || b.records - a.records || (a.text < b.text ? -1 : 1));
  return near[0]?.text;
}
