import { joinPlainTerms, type Query, type Term } from "../shared/query/query.ts";
import { splitWords, type Word } from "../shared/text/words.ts";
import { asksForPast, irregularPastForms } from "./english.ts";
import { findCompounds, isContractionEnding, PREFIX_MARK, STEM_MARK, stem, wordPrefix } from "./forms.ts";
import type { Corrections } from "./plan.ts";
import {
  findPhoneNumbers,
  phoneNumberForms,
  reversedEnding,
  reversedForms,
  transliterate,
} from "./spellings.ts";

// The terms of a query that snippets highlight, in every form that a text may contain.

export type HighlightTerm = {
  readonly text: string;
  readonly forms: ReadonlySet<string>;
  /** what the reversed form of a compound that ends in this word begins with */
  readonly reversedEnding?: string | undefined;
  /** `pre*`: all words with this prefix match */
  readonly isPrefix: boolean;
};

const formsOfWord = (word: string) => [
  word,
  stem(word),
  STEM_MARK + stem(word),
  PREFIX_MARK + wordPrefix(word),
];

/** Shorter words rarely contain transliterated umlauts. */
const MIN_TRANSLITERATED = 5;
/** The word as `Öztürk` is folded in a text: `ozturk` for `oeztuerk`. */
const withoutUmlautE = (text: string) =>
  text.length < MIN_TRANSLITERATED ? text : text.replace(/([aou])e|aa/g, (_, letter = "a") => letter);

function highlightTerm(text: string, prefix: boolean, others: readonly string[]): HighlightTerm {
  const ending = reversedEnding(text);
  return {
    text,
    isPrefix: prefix,
    reversedEnding: ending,
    forms: new Set([...[text, ...others].flatMap(formsOfWord), withoutUmlautE(text)]),
  };
}

const queryTerms = ({ wanted }: Query): Term[] => joinPlainTerms(wanted).flat();

const compoundTerms = (text: string, found: readonly Word[]): HighlightTerm[] => [
  ...findCompounds(text, found).map(({ whole }) => highlightTerm(whole, false, [])),
  ...findPhoneNumbers(text, found).map(
    (number): HighlightTerm => ({
      text: number.digits,
      isPrefix: false,
      forms: new Set([number.digits, ...phoneNumberForms(number)]),
    }),
  ),
];

export type HighlightQuery = { readonly terms: readonly HighlightTerm[]; readonly pairs: AdjacentPairs };

/** Words in `dropped` are highlighted only inside phrases. */
export function buildHighlightQuery(
  query: Query,
  corrections: Corrections,
  dropped: ReadonlySet<string>,
): HighlightQuery {
  const needles = highlightTerms(query, corrections, dropped);
  return { terms: needles, pairs: adjacentPairs(query, needles) };
}

function highlightTerms(
  query: Query,
  corrections: Corrections,
  dropped: ReadonlySet<string>,
): HighlightTerm[] {
  const pieces = queryTerms(query);
  const spoken = pieces.filter(({ kind }) => kind === "text").flatMap(({ text }) => splitWords(text));
  const past = asksForPast(spoken.map(({ text }) => text)) ? irregularPastForms : () => [];
  const needles = pieces.flatMap(({ kind, text }) => {
    const found = splitWords(text);
    const typed = found.filter((word) => !isContractionEnding(text, word));
    const read = typed.flatMap((word) => {
      const spelled = transliterate(text.slice(word.start, word.end)) ?? [];
      return (corrections.get(word.text) ?? [word.text]).map((one) => ({ one, others: [spelled].flat() }));
    });
    const kept = read.filter(({ one }) => kind !== "text" || !dropped.has(one));
    return [
      ...kept.map(({ one, others }) => highlightTerm(one, kind === "prefix", [...past(one), ...others])),
      ...compoundTerms(text, found),
    ];
  });
  return [...new Map(needles.map((one) => [`${one.isPrefix}${one.text}`, one])).values()];
}

function adjacentPairs(query: Query, needles: readonly HighlightTerm[]): AdjacentPairs {
  const numberOf = new Map(needles.map(({ text }, number) => [text, number]));
  const pairs = new Map<number, boolean>();
  for (const { kind, text } of queryTerms(query)) {
    const numbers = splitWords(text).flatMap((word) => numberOf.get(word.text) ?? []);
    for (const [index, number] of numbers.slice(1).entries()) {
      const key = pairKey(numbers[index] ?? 0, number);
      pairs.set(key, kind === "phrase" || pairs.get(key) === true);
    }
  }
  return pairs;
}

/** Pairs of adjacent terms by `pairKey`; true if they are part of a quoted phrase. */
export type AdjacentPairs = ReadonlyMap<number, boolean>;

/** A query of 500 characters has fewer words than this. */
const MAX_TERMS = 1000;
export const pairKey = (first: number, second: number) => first * MAX_TERMS + second;

/** Returns the index of the highlight term that a word matches, or -1. */
export type TermMatcher = (word: Word) => number;

const isLetter = (code: number) => code >= 0x61 && code <= 0x7a;

/** The letters a to z that a term or one of its forms begins with, after the form's mark. */
function initialLetters({ text, forms }: HighlightTerm): number[] {
  const codes = [text, ...forms].flatMap((form) => [form.charCodeAt(0), form.charCodeAt(1)]);
  return codes.filter(isLetter);
}

export function createMatcher(needles: readonly HighlightTerm[]): TermMatcher {
  const initials = new Set(needles.flatMap(initialLetters));
  const known = new Map<string, number>();
  return (word) => {
    // Stem and prefix of a Latin word begin with its first letter, so most words can be rejected without computing them.
    const initial = word.text.charCodeAt(0);
    if (!word.unspaced && isLetter(initial) && !initials.has(initial)) return -1;
    const found = known.get(word.text) ?? findTerm(word, needles);
    known.set(word.text, found);
    return found;
  };
}

function findTerm(word: Word, needles: readonly HighlightTerm[]): number {
  const root = STEM_MARK + stem(word.text);
  const letters = PREFIX_MARK + wordPrefix(word.text);
  return needles.findIndex(({ text, forms, isPrefix }) => {
    if (isPrefix && word.text.startsWith(text)) return true;
    if (word.unspaced) return word.text.includes(text) || (word.text.length > 1 && text.includes(word.text));
    return forms.has(word.text) || forms.has(root) || forms.has(letters);
  });
}

/** Finds compounds, telephone numbers and word endings in a text that match a highlight term, with their ranges. */
export function matchCompounds(text: string, found: readonly Word[], needles: readonly HighlightTerm[]) {
  const whole = findCompounds(text, found).map(({ whole, from, to }) => ({
    forms: formsOfWord(whole),
    from,
    to,
  }));
  const numbers = findPhoneNumbers(text, found).map((number) => ({
    forms: [number.digits, ...phoneNumberForms(number)],
    from: number.from,
    to: number.to,
  }));
  const ends = found.flatMap(({ text: word }, from) =>
    reversedForms(word).map((form) => ({ forms: [form], from, to: from + 1 })),
  );
  // Passages are built from matches in the order of the text.
  const named = [...whole, ...numbers, ...ends].toSorted((one, other) => one.from - other.from);
  const numberOf = new Map(
    needles.flatMap((one, number) => [...one.forms].map((form) => [form, number] as const)).toReversed(),
  );
  const endings = needles.flatMap(({ reversedEnding }, number) =>
    reversedEnding === undefined ? [] : [{ ending: reversedEnding, number }],
  );
  const numberFor = (form: string) =>
    numberOf.get(form) ?? endings.find(({ ending }) => form.startsWith(ending))?.number ?? needles.length;
  return named.flatMap(({ forms, from, to }) => {
    const least = Math.min(...forms.map(numberFor));
    const number = least === needles.length ? -1 : least;
    const [start, end] = [found[from]?.start ?? 0, found[to - 1]?.end ?? 0];
    return number < 0 ? [] : [{ needle: number, start, end }];
  });
}
