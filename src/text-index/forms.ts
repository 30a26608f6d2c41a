import { stemmer } from "stemmer";

/** Marks in front of a form that is not a word of the text itself; ASCII, so that no word can begin with one. */
export const STEM = "~";
export const BEGINNING = "+";
export const CHARACTER = ".";

const LATIN = /^[a-z]{3,32}$/;
const HANGUL = /^\p{sc=Hangul}/u;
const DIGIT = /[0-9]/;
const ARABIC = /^\p{sc=Arabic}{4,}$/u;

/** Letters of a beginning. A Hangul syllable holds two or three letters. */
const LETTERS = 5;
const SYLLABLES = 2;

/** Porter's stem of an English word, and Light10's of an Arabic one; the word itself where there is nothing to take off. */
export function stem(word: string): string {
  if (LATIN.test(word)) return stemmer(word);
  return ARABIC.test(word) ? arabicStem(word) : word;
}

/** The first letters of a longer word, or nothing: what inflected and compound words of most languages share. */
export function beginning(word: string): string | undefined {
  if (DIGIT.test(word)) return undefined;
  const size = HANGUL.test(word) ? SYLLABLES : LETTERS;
  if (word.length < size) return undefined;
  const letters = [...word];
  return letters.length < size ? undefined : letters.slice(0, size).join("");
}

/** Light10 (Larkey, Ballesteros, Connell 2002): article, conjunction and the commonest endings, at least two letters stay. */
function arabicStem(word: string): string {
  const open = word.replace(/^و(?=.{3})/u, "").replace(/^(?:ال|بال|كال|فال|لل)(?=.{2})/u, "");
  return open.replace(/(?<=.{2})(?:ها|ان|ات|ون|ين|يه|ه|ي)$/u, "");
}
