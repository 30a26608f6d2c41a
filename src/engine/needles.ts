import { joinPlain, type Query, type Term } from "../contract/query/query.ts";
import { type Word, words } from "../contract/text/words.ts";
import { asksForPast, pastFormsOf } from "./english.ts";
import { BEGINNING, beginning, compounds, isContracted, STEM, stem } from "./forms.ts";
import type { Corrections } from "./plan.ts";
import { endingToFind, formBackwards, formsOfNumber, numbersIn, spelledOut } from "./spellings.ts";

// What a snippet shows of a query: its words, in every form in which a text may have them.

/** A word of a query with every form that a word of a text may match (see forms.ts). */
export type Needle = {
  readonly text: string;
  readonly forms: ReadonlySet<string>;
  /** with what the reversed form of a compound begins that ends in this word */
  readonly ending?: string | undefined;
  /** `pre*`: every word with this prefix matches */
  readonly prefix: boolean;
};

const formsOfWord = (word: string) => [word, stem(word), STEM + stem(word), BEGINNING + beginning(word)];

/** A shorter word is rarely one with umlauts in two letters. */
const MIN_TRANSLITERATED = 5;
/** `oeztuerk` as `Öztürk` is read in a text. */
const withoutUmlautE = (text: string) =>
  text.length < MIN_TRANSLITERATED ? text : text.replace(/([aou])e|aa/g, (_, letter = "a") => letter);

function highlightTerm(text: string, prefix: boolean, others: readonly string[]): Needle {
  const ending = endingToFind(text);
  return {
    text,
    prefix,
    ending,
    forms: new Set([...[text, ...others].flatMap(formsOfWord), withoutUmlautE(text)]),
  };
}

const queryTerms = ({ wanted }: Query): Term[] => joinPlain(wanted).flat();

/** The names of several words in a text, as one: `xray` for `x ray`, and telephone numbers. */
const compoundTerms = (text: string, found: readonly Word[]): Needle[] => [
  ...compounds(text, found).map(({ whole }) => highlightTerm(whole, false, [])),
  ...numbersIn(text, found).map((number) => ({
    ...{ text: number.digits, prefix: false },
    forms: new Set([number.digits, ...formsOfNumber(number)]),
  })),
];

/** What is looked for in a text: words, and which of them are next to each other in the query. */
export type Sought = { readonly needles: readonly Needle[]; readonly pairs: Pairs };

/** What to show of a query. Words in `dropped` count only inside phrases. */
export function soughtOf(query: Query, corrections: Corrections, dropped: ReadonlySet<string>): Sought {
  const needles = highlightTerms(query, corrections, dropped);
  return { needles, pairs: adjacentPairs(query, needles) };
}

/** The words to show, each once. */
function highlightTerms(query: Query, corrections: Corrections, dropped: ReadonlySet<string>): Needle[] {
  const pieces = queryTerms(query);
  const spoken = pieces.filter(({ kind }) => kind === "text").flatMap(({ text }) => words(text));
  const past = asksForPast(spoken.map(({ text }) => text)) ? pastFormsOf : () => [];
  const needles = pieces.flatMap(({ kind, text }) => {
    const found = words(text);
    const typed = found.filter((word) => !isContracted(text, word));
    const read = typed.flatMap((word) => {
      const spelled = spelledOut(text.slice(word.start, word.end)) ?? [];
      return (corrections.get(word.text) ?? [word.text]).map((one) => ({ one, others: [spelled].flat() }));
    });
    const kept = read.filter(({ one }) => kind !== "text" || !dropped.has(one));
    return [
      ...kept.map(({ one, others }) => highlightTerm(one, kind === "prefix", [...past(one), ...others])),
      ...compoundTerms(text, found),
    ];
  });
  return [...new Map(needles.map((one) => [`${one.prefix}${one.text}`, one])).values()];
}

/** Words next to each other in a query, by their needles, and whether they are of a phrase in quotation marks. */
function adjacentPairs(query: Query, needles: readonly Needle[]): Pairs {
  const numberOf = new Map(needles.map(({ text }, number) => [text, number]));
  const pairs = new Map<number, boolean>();
  for (const { kind, text } of queryTerms(query)) {
    const numbers = words(text).flatMap((word) => numberOf.get(word.text) ?? []);
    for (const [place, number] of numbers.slice(1).entries()) {
      const key = pairKey(numbers[place] ?? 0, number);
      pairs.set(key, kind === "phrase" || pairs.get(key) === true);
    }
  }
  return pairs;
}

export type Pairs = ReadonlyMap<number, boolean>;

/** A query of 500 characters has fewer words than this. */
const MAX_TERMS = 1000;
export const pairKey = (first: number, second: number) => first * MAX_TERMS + second;

/** Gives the index of the needle that a word of a text matches, or -1. */
export type Matcher = (word: Word) => number;

const isLetter = (code: number) => code >= 0x61 && code <= 0x7a;

/** The letters a to z with which a needle or one of its forms begins, apart from the mark of a form. */
function initialLetters({ text, forms }: Needle): number[] {
  const codes = [text, ...forms].flatMap((form) => [form.charCodeAt(0), form.charCodeAt(1)]);
  return codes.filter(isLetter);
}

export function matcherOf(needles: readonly Needle[]): Matcher {
  const initials = new Set(needles.flatMap(initialLetters));
  const known = new Map<string, number>();
  return (word) => {
    // Neither a stem nor a beginning of such a word begins with another letter, and most words need neither.
    const initial = word.text.charCodeAt(0);
    if (!word.unspaced && isLetter(initial) && !initials.has(initial)) return -1;
    const found = known.get(word.text) ?? findTerm(word, needles);
    known.set(word.text, found);
    return found;
  };
}

function findTerm(word: Word, needles: readonly Needle[]): number {
  const root = STEM + stem(word.text);
  const letters = BEGINNING + beginning(word.text);
  return needles.findIndex(({ text, forms, prefix }) => {
    if (prefix && word.text.startsWith(text)) return true;
    if (word.unspaced) return word.text.includes(text) || (word.text.length > 1 && text.includes(word.text));
    return forms.has(word.text) || forms.has(root) || forms.has(letters);
  });
}

/** The names of several words in a text, and those that end in a word, that match a needle as a whole, each with where it is. */
export function namesMatching(text: string, found: readonly Word[], needles: readonly Needle[]) {
  const whole = compounds(text, found).map(({ whole, from, to }) => ({
    forms: formsOfWord(whole),
    from,
    to,
  }));
  const numbers = numbersIn(text, found).map((number) => ({
    forms: [number.digits, ...formsOfNumber(number)],
    ...{ from: number.from, to: number.to },
  }));
  const ends = found.flatMap(({ text: word }, from) =>
    formBackwards(word).map((form) => ({ forms: [form], from, to: from + 1 })),
  );
  // In the order of the text: what comes after what, a passage is made of.
  const named = [...whole, ...numbers, ...ends].toSorted((one, other) => one.from - other.from);
  const numberOf = new Map(
    needles.flatMap((one, number) => [...one.forms].map((form) => [form, number] as const)).toReversed(),
  );
  const endings = needles.flatMap(({ ending }, number) => (ending === undefined ? [] : [{ ending, number }]));
  const numberFor = (form: string) =>
    numberOf.get(form) ?? endings.find(({ ending }) => form.startsWith(ending))?.number ?? needles.length;
  return named.flatMap(({ forms, from, to }) => {
    const least = Math.min(...forms.map(numberFor));
    const number = least === needles.length ? -1 : least;
    const [start, end] = [found[from]?.start ?? 0, found[to - 1]?.end ?? 0];
    return number < 0 ? [] : [{ needle: number, start, end }];
  });
}
