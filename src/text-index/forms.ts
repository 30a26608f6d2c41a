import { stemmer } from "stemmer";
import type { Language } from "./language.ts";

/** Prefixes of forms that are not words of the text itself; ASCII punctuation, with which no word can begin. */
export const STEM = "~";
export const BEGINNING = "+";
export const CHARACTER = ".";
/** Both forms of a word in a text that may or may not be English. */
export const UNSURE_STEM = "=";
export const UNSURE_BEGINNING = "-";

const LATIN = /^[a-z]+$/;
const MAX_STEMMED = 32;
const HANGUL = /^\p{sc=Hangul}/u;
const DIGIT = /[0-9]/;
const ARABIC = /^\p{sc=Arabic}{4,}$/u;

/** How many letters a beginning has. A Hangul syllable consists of two or three letters. */
const LETTERS = 5;
const SYLLABLES = 2;

/** Porter's stem of an English word, or Light10's of an Arabic one; the word itself if there is nothing to strip. */
export function stem(word: string): string {
  if (LATIN.test(word)) return word.length < 3 || word.length > MAX_STEMMED ? word : stemmer(word);
  return ARABIC.test(word) ? arabicStem(word) : word;
}

/** The first letters of a word, which inflected and compound words of most languages share; a short word is its own. */
export function beginning(word: string): string {
  if (DIGIT.test(word)) return word;
  const size = HANGUL.test(word) ? SYLLABLES : LETTERS;
  return word.length <= size ? word : [...word].slice(0, size).join("");
}

/**
 * The forms under which each occurrence of a word is indexed: its stem in an English text, its beginning in another one,
 * and both, marked as such, if the language is unsure.
 */
export function formsOf(word: string, language: Language): string[] {
  if (!LATIN.test(word)) return [BEGINNING + beginning(stem(word))];
  if (language === "no") return [BEGINNING + beginning(word)];
  if (language === "yes") return [STEM + stem(word)];
  return [UNSURE_STEM + stem(word), UNSURE_BEGINNING + beginning(word)];
}

/**
 * The forms by which a query looks up a word, in texts of any language; forms that occur in the same text are a group.
 * If the query's language is known, only one form of an unsure text counts, because the beginnings of `computer` and
 * `computation` are the same, and their stems are not.
 */
export function formsToFind(word: string, language: Language): string[][] {
  if (!LATIN.test(word)) return [formsOf(word, "no")];
  const [stemmed, begun] = [stem(word), beginning(word)];
  const unsure = {
    yes: [UNSURE_STEM + stemmed],
    no: [UNSURE_BEGINNING + begun],
    unsure: [UNSURE_STEM + stemmed, UNSURE_BEGINNING + begun],
  };
  return [[STEM + stemmed], unsure[language], [BEGINNING + begun]];
}

/** Whether texts can have stems of a word. */
export const isStemmed = (word: string) => LATIN.test(word);

/** Terms that show that a word itself occurs in a text, not only another one with the same beginning. */
export const ownForms = (word: string) =>
  LATIN.test(word) ? [STEM + stem(word), UNSURE_STEM + stem(word), word] : [word];

/**
 * Light10 (Larkey, Ballesteros, Connell 2002): strips article, conjunction and common endings, leaving at least two
 * letters.
 */
function arabicStem(word: string): string {
  const open = word.replace(/^و(?=.{3})/u, "").replace(/^(?:ال|بال|كال|فال|لل)(?=.{2})/u, "");
  return open.replace(/(?<=.{2})(?:ها|ان|ات|ون|ين|يه|ه|ي)$/u, "");
}
