import { stemmer } from "stemmer";
import { foldWord, truncateWord } from "../shared/text/fold.ts";
import type { Word } from "../shared/text/words.ts";
import type { IsEnglish } from "./english.ts";

/** The prefix of every token of an owner: digits and `x`, so that no owner's range of terms includes another's. */
export function ownerPrefix(owner: number): string {
  return `${owner}x`;
}

/** Marks before forms that are not words of the text: ASCII punctuation, which no word can begin with. */
export const STEM_MARK = "~";
export const PREFIX_MARK = "+";
export const CHARACTER_MARK = ".";
const FACT = ":";
/** A word with its umlauts transliterated: `oeztuerk`. Marked, or `Öztürk` would count twice. */
export const TRANSLITERATED_MARK = "^";
/** The two forms of a word in a text that may or may not be English. */
export const UNSURE_STEM_MARK = "=";
export const UNSURE_PREFIX_MARK = "-";

/** The token of a fact: a property of a record, such as its type. Not counted in the length of its text. */
export const factToken = (name: string) => FACT + name;

const LATIN = /^[a-z]+$/;
const MAX_STEMMED = 32;
const HANGUL = /^\p{sc=Hangul}/u;
const DIGIT = /[0-9]/;
const ARABIC = /^\p{sc=Arabic}{4,}$/u;

/** Length of a word prefix. A Hangul syllable consists of two or three letters. */
const PREFIX_LETTERS = 5;
const PREFIX_SYLLABLES = 2;

/** The Porter stem of an English word or the Light10 stem of an Arabic one; the word itself if nothing is stripped. */
export function stem(word: string): string {
  if (LATIN.test(word)) return word.length < 3 || word.length > MAX_STEMMED ? word : stemmer(word);
  return ARABIC.test(word) ? arabicStem(word) : word;
}

/** The first letters of a word, which inflected and compound words of most languages share; all of a short word. */
export function wordPrefix(word: string): string {
  if (LATIN.test(word)) return word.slice(0, PREFIX_LETTERS);
  if (DIGIT.test(word)) return word;
  const size = HANGUL.test(word) ? PREFIX_SYLLABLES : PREFIX_LETTERS;
  return word.length <= size ? word : [...word].slice(0, size).join("");
}

/** The indexed forms of a word: its stem in an English text, its prefix in others, and both, marked, if unsure. */
export function indexedForms(word: string, language: IsEnglish): string[] {
  if (!LATIN.test(word)) return [PREFIX_MARK + wordPrefix(stem(word))];
  if (language === "no") return [PREFIX_MARK + wordPrefix(word)];
  if (language === "yes") return [STEM_MARK + stem(word)];
  return [UNSURE_STEM_MARK + stem(word), UNSURE_PREFIX_MARK + wordPrefix(word)];
}

/**
 * The forms that a query looks up for a word, grouped by the kind of text that contains them. If the query's language is
 * known, only one form of unsure texts is looked up: `computer` and `computation` share a prefix but no stem.
 */
export function lookupForms(word: string, language: IsEnglish): string[][] {
  if (!LATIN.test(word)) return [indexedForms(word, "no")];
  const [stemForm, prefixForm] = [stem(word), wordPrefix(word)];
  const unsure = {
    yes: [UNSURE_STEM_MARK + stemForm],
    no: [UNSURE_PREFIX_MARK + prefixForm],
    unsure: [UNSURE_STEM_MARK + stemForm, UNSURE_PREFIX_MARK + prefixForm],
  };
  return [[STEM_MARK + stemForm], unsure[language], [PREFIX_MARK + prefixForm]];
}

const MAY_BE_TRANSLITERATED = /[aou]e|aa/;

/** The marked form of a word that may be typed with transliterated umlauts; none if it has no such letters. */
export const transliteratedForms = (word: string) =>
  LATIN.test(word) && MAY_BE_TRANSLITERATED.test(word) ? [TRANSLITERATED_MARK + word] : [];

export const isStemmable = (word: string) => LATIN.test(word);

/** Forms that show that a word itself occurs in a text, not just another word with the same prefix. */
export const distinctiveForms = (word: string) =>
  LATIN.test(word) ? [STEM_MARK + stem(word), UNSURE_STEM_MARK + stem(word), word] : [word];

/** Light10 (Larkey, Ballesteros, Connell 2002): strips article, conjunction and suffixes, leaving at least two letters. */
function arabicStem(word: string): string {
  const withoutArticle = word.replace(/^و(?=.{3})/u, "").replace(/^(?:ال|بال|كال|فال|لل)(?=.{2})/u, "");
  return withoutArticle.replace(/(?<=.{2})(?:ها|ان|ات|ون|ين|يه|ه|ي)$/u, "");
}

/** Characters that join words into a compound: `gen-itgc`, `foo_bar`, `don’t`, `e-mail`. */
const JOINER = /^[-_'’‐‑]$/u;
/** A point or a comma also joins digits: `1.2.3`, `0,5`. */
const NUMBER_JOINER = /^[.,]$/;
const ENDS_IN_DIGIT = /[0-9]$/;
const DIGITS = /^[0-9]+$/;
const CASE_BOUNDARY = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const HAS_CASE_BOUNDARY = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;

/** The endings of English contractions: `it's`, `don't`, `I'd`, `I'm`, `we'll`, `you're`, `I've`. */
const CONTRACTION_ENDINGS = new Set("s t d m ll re ve".split(" "));
const APOSTROPHE = /^['’]$/;

/** A letter that may belong to the next word: `x ray` is `x-ray`. Without letters that are words in many languages. */
const SEPARATE_LETTER = /^[b-hj-np-tv-xz]$/;

const MAX_PARTS = 8;
/** Length of the longest camel-case name that is split, in UTF-16 units. */
const MAX_NAME = 256;

/** A compound: `whole` as one word, and the positions of its words, `to` excluded. */
export type Compound = { readonly whole: string; readonly from: number; readonly to: number };

/**
 * Finds compounds: words joined by hyphens, underscores, apostrophes or points, or a letter and a word. `whole` omits
 * the joiners (`email`), except between digits (`v1.2.3`).
 */
export function findCompounds(text: string, words: readonly Word[]): Compound[] {
  const found: Compound[] = [];
  for (let from = 0; from < words.length; ) {
    let whole = words[from]?.text ?? "";
    let to = from + 1;
    for (
      let joiner = joinerAtStart(text, words, from);
      joiner !== undefined;
      joiner = joinerAfter(text, words, to - 1)
    ) {
      whole += joiner + words[to]?.text;
      to += 1;
    }
    if (to - from > 1 && to - from <= MAX_PARTS) found.push({ whole: truncateWord(whole), from, to });
    from = to;
  }
  return found;
}

export const isContractionEnding = (text: string, { text: word, start }: Word) =>
  CONTRACTION_ENDINGS.has(word) && APOSTROPHE.test(text.charAt(start - 1));

function joinerAfter(text: string, words: readonly Word[], index: number): "" | "." | undefined {
  const [before, after] = [words[index], words[index + 1]];
  if (before === undefined || after === undefined || after.start - before.end !== 1) return undefined;
  const between = text.charAt(before.end);
  if (JOINER.test(between)) return "";
  return NUMBER_JOINER.test(between) && ENDS_IN_DIGIT.test(before.text) && DIGITS.test(after.text)
    ? "."
    : undefined;
}

function joinerAtStart(text: string, words: readonly Word[], index: number): "" | "." | undefined {
  const [before, after] = [words[index], words[index + 1]];
  const isApart =
    before && after && text.slice(before.end, after.start) === " " && SEPARATE_LETTER.test(before.text);
  return isApart && after.text.length > 1 && LATIN.test(after.text) ? "" : joinerAfter(text, words, index);
}

/** The folded parts of a camel-case name such as `getUserById`; none for other words and for very long ones. */
export function camelCaseParts(raw: string): string[] {
  if (raw.length > MAX_NAME || !HAS_CASE_BOUNDARY.test(raw)) return [];
  const parts = raw.split(CASE_BOUNDARY, MAX_PARTS + 1).flatMap(foldWord);
  return parts.length > 1 && parts.length <= MAX_PARTS ? parts : [];
}
