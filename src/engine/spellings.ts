import { foldWord } from "../shared/text/fold.ts";
import type { Word } from "../shared/text/words.ts";
import { PREFIX_MARK } from "./forms.ts";

// Words with several spellings: transliterated umlauts, endings of compounds, telephone numbers.

const TWO_LETTER_SPELLINGS: Readonly<Record<string, string>> = {
  ä: "ae",
  ö: "oe",
  ü: "ue",
  ø: "oe",
  å: "aa",
};
const ACCENTED = /[äöüøåÄÖÜØÅ]|[aouAOU]\u0308|[aA]\u030a/;
const ACCENTED_LETTERS = new RegExp(`[${Object.keys(TWO_LETTER_SPELLINGS).join("")}]`, "g");
/** Length of the longest word that is transliterated, in UTF-16 units. */
const MAX_TRANSLITERATED = 64;

/** A word with its umlauts transliterated, folded: `oeztuerk` for `Öztürk`. Undefined for a word without any. */
export function transliterate(raw: string): string | undefined {
  if (raw.length > MAX_TRANSLITERATED || !ACCENTED.test(raw)) return undefined;
  const lower = raw.normalize("NFC").toLowerCase();
  return foldWord(lower.replace(ACCENTED_LETTERS, (letter) => TWO_LETTER_SPELLINGS[letter] ?? letter))[0];
}

/** The mark of a reversed word. A prefix of a reversed word is a suffix of the word: `Handwerkerrechnung`. */
const REVERSED_MARK = "<";
const LATIN = /^[a-z]+$/;
/** Minimum lengths of a compound, and of a word that is looked up as the ending of compounds. */
const [MIN_COMPOUND, MIN_ENDING] = [8, 5];
/** Inflectional suffixes of German nouns, after at least four letters. */
const INFLECTION = /(?<=.{4})(?:ern|en|er|e|n)$/;
const reverseStem = (word: string) => [...word.replace(INFLECTION, "")].reverse().join("");

/** Minimum letters of a compound before its last part, so that no word is its own ending. */
const MIN_BEFORE_ENDING = 3;

/** The reversed token that finds a long word by its last part. */
export const reversedForms = (word: string): string[] =>
  LATIN.test(word) && word.length >= MIN_COMPOUND
    ? [REVERSED_MARK + reverseStem(word.slice(MIN_BEFORE_ENDING))]
    : [];

/** The prefix of the reversed tokens of words that end in this one; undefined for a short word. */
export const reversedEnding = (word: string): string | undefined =>
  LATIN.test(word) && word.length >= MIN_ENDING ? REVERSED_MARK + reverseStem(word) : undefined;

/** A telephone number: its digits, and the positions of its words, `to` excluded. */
export type PhoneNumber = { readonly digits: string; readonly from: number; readonly to: number };

const DIGITS = /^\d+$/;
/** Separators between the digit groups of a telephone number (DIN 5008, E.123). */
const GROUP_SEPARATOR = /^(?: ?[-‑–/. ()] ?|\) ?[-/]? ?| ?\()$/;
/** A country or area code begins with one of these. Other groups of digits are not a telephone number. */
const CODE_START = /[+(]/;
/** More groups than this are a list of numbers. */
const MAX_GROUPS = 8;
/** Lengths in digits: the shortest and longest telephone number (E.164: at most 15), and the shortest written as one word. */
const [SHORTEST, LONGEST, SHORTEST_WORD] = [7, 15, 9];

/** The last digits are the same with and without country code, which replaces a zero: `+49 170`, `0170`. */
const LAST_DIGITS = 8;

/** The tokens that find a telephone number: as one word, if it has several, and by its last digits. */
export const phoneNumberForms = ({ digits, from, to }: PhoneNumber): string[] => [
  ...(to - from > 1 ? [digits, PREFIX_MARK + digits] : []),
  ...(digits.length > LAST_DIGITS ? [PREFIX_MARK + digits.slice(-LAST_DIGITS)] : []),
];

/**
 * Finds the telephone numbers in a text, in linear time: `+49 (0)170 1234567` is 491701234567. The end of a number is a
 * guess, so each group that may be the last one yields a number.
 */
export function findPhoneNumbers(text: string, words: readonly Word[]): PhoneNumber[] {
  const found: PhoneNumber[] = [];
  for (let from = 0; from < words.length; ) {
    const first = words[from];
    const isBegun = first !== undefined && DIGITS.test(first.text);
    const { numbers, read } = isBegun ? phoneNumbersAt(text, words, from) : NO_PHONE_NUMBER;
    found.push(...numbers);
    from += read;
  }
  return found;
}

const NO_PHONE_NUMBER: PhoneNumberScan = { numbers: [], read: 1 };

type PhoneNumberScan = { readonly numbers: readonly PhoneNumber[]; readonly read: number };

function phoneNumbersAt(text: string, words: readonly Word[], from: number): PhoneNumberScan {
  const { text: first, start } = words[from] as Word;
  if (!first.startsWith("0") && !CODE_START.test(text.charAt(start - 1))) {
    const isLong = first.length >= SHORTEST_WORD && first.length <= LONGEST;
    return isLong ? { numbers: [{ digits: first, from, to: from + 1 }], read: 1 } : NO_PHONE_NUMBER;
  }
  const groups = digitGroupsAt(text, words, from);
  let digits = "";
  const numbers = groups.flatMap((group, index) => {
    // `(0)` is not dialled after a country code.
    if (index === 0 || group.text !== "0") digits += group.text;
    const isNumber = digits.length >= SHORTEST && digits.length <= LONGEST;
    return isNumber ? [{ digits, from, to: from + index + 1 }] : [];
  });
  return { numbers, read: groups.length };
}

function digitGroupsAt(text: string, words: readonly Word[], from: number): Word[] {
  const some = words.slice(from, from + MAX_GROUPS);
  const end = some.findIndex(
    (word, index) => !DIGITS.test(word.text) || !isNextGroup(text, some[index - 1], word),
  );
  return end < 0 ? some : some.slice(0, end);
}

const isNextGroup = (text: string, before: Word | undefined, after: Word) =>
  before === undefined ||
  (after.start - before.end <= 3 && GROUP_SEPARATOR.test(text.slice(before.end, after.start)));
