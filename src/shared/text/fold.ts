/** Number of code points of a word that are compared. Limits a token to 256 bytes. */
export const MAX_WORD_LENGTH = 64;

/** Diacritics of Latin, Greek, Cyrillic, Hebrew and Arabic, variation selectors, and invisible characters. */
const MARKS =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: this class is meant to contain single marks.
  /[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0640\u00ad\u200c-\u200f\u2060\ufe00-\ufe0f\u{1f3fb}-\u{1f3ff}]/gu;

const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ħ: "h",
  ŧ: "t",
  ı: "i",
  ς: "σ",
  ٱ: "ا",
  ى: "ي",
  ی: "ي",
  ة: "ه",
  ک: "ك",
  ھ: "ه",
  ہ: "ه",
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "gu");
const PLAIN = /^[0-9A-Za-z]+$/;
const DECIMAL = /\p{Nd}/u;
const DIGIT = /[^\P{Nd}0-9]/gu;

/** Characters that words do not contain. Folding can produce them: U+037A becomes a space and a mark, ½ 1⁄2, ⑴ (1). */
const NON_WORD = /[^\p{L}\p{N}\p{M}\p{ExtPict}\p{RI}]+/u;
const PICTOGRAPH = /^\p{ExtPict}/u;

/**
 * Normalizes a word for comparison: NFKC, lower case, no diacritics, at most `MAX_WORD_LENGTH` code points. Several words if
 * folding produces non-word characters.
 */
export function foldWord(word: string): string[] {
  if (isPlainWord(word)) return [word.toLowerCase()];
  const known = word.slice(0, MAX_WORD_LENGTH * 4);
  const folded = known
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFKD")
    .replace(MARKS, "")
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter)
    .replace(DIGIT, toAsciiDigit)
    .normalize("NFC");
  const found = truncateWord(folded)
    .split(NON_WORD)
    .filter((part) => part !== "");
  // NFKC turns ‼ into two exclamation marks, but people search for it as an emoji.
  if (found.length === 0 && PICTOGRAPH.test(known)) return [truncateWord(known.replace(MARKS, ""))];
  return found;
}

export const isPlainWord = (word: string) => word.length <= MAX_WORD_LENGTH && PLAIN.test(word);

export function truncateWord(word: string): string {
  return word.length <= MAX_WORD_LENGTH ? word : [...word].slice(0, MAX_WORD_LENGTH).join("");
}

/** Unicode encodes each set of ten decimal digits consecutively, starting at a code point that ends in 0 or 6. */
function toAsciiDigit(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digitValue = code & 15;
  return String(DECIMAL.test(String.fromCodePoint(code - digitValue)) ? digitValue : digitValue - 6);
}
