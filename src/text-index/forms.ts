import { stemmer } from "stemmer";

/** Prefixes of forms that are not words of the text itself; ASCII punctuation, with which no word can begin. */
export const STEM = "~";
export const BEGINNING = "+";
export const CHARACTER = ".";

const LATIN = /^[a-z]{3,32}$/;
const HANGUL = /^\p{sc=Hangul}/u;
const DIGIT = /[0-9]/;
const ARABIC = /^\p{sc=Arabic}{4,}$/u;

/** How many letters a beginning has. A Hangul syllable consists of two or three letters. */
const LETTERS = 5;
const SYLLABLES = 2;

/** Porter's stem of an English word, or Light10's of an Arabic one; the word itself if there is nothing to strip. */
export function stem(word: string): string {
  if (LATIN.test(word)) return stemmer(word);
  return ARABIC.test(word) ? arabicStem(word) : word;
}

/** The first letters of a longer word, or nothing: inflected and compound words share them in most languages. */
export function beginning(word: string): string | undefined {
  if (DIGIT.test(word)) return undefined;
  const size = HANGUL.test(word) ? SYLLABLES : LETTERS;
  if (word.length < size) return undefined;
  const letters = [...word];
  return letters.length < size ? undefined : letters.slice(0, size).join("");
}

/**
 * Light10 (Larkey, Ballesteros, Connell 2002): strips article, conjunction and common endings, leaving at least two
 * letters.
 */
function arabicStem(word: string): string {
  const open = word.replace(/^و(?=.{3})/u, "").replace(/^(?:ال|بال|كال|فال|لل)(?=.{2})/u, "");
  return open.replace(/(?<=.{2})(?:ها|ان|ات|ون|ين|يه|ه|ي)$/u, "");
}
