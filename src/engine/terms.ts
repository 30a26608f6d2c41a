import type { Dated } from "../contract/query/dates.ts";
import type { Term } from "../contract/query/query.ts";
import { letterOf, type Word, words } from "../contract/text/words.ts";
import { SIGNS_VERSION } from "./analyse.ts";
import { type Language, pastFormsOf } from "./english.ts";
import {
  BEGINNING,
  beginning,
  CHARACTER,
  compounds,
  formsToFind,
  humps,
  isStemmed,
  ownForms,
  STEM,
  spelledForms,
  stem,
  UNSURE_STEM,
} from "./forms.ts";
import type { Bonus, Lookup, Meanings } from "./plan.ts";
import { formsOfNumber, numbersIn, spelledOut } from "./spellings.ts";

// Builds FTS5 expressions (https://sqlite.org/fts5.html, "Full-text Query Syntax") from analysed words. User input
// reaches MATCH only through these functions.

/** Words contain only letters, digits, marks and emoji, so escaping quotation marks is only a safeguard. */
export const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** Matches adjacent tokens in this order. */
export const sequence = (tokens: readonly string[]) => quote(tokens.join(" "));

export const anyOf = (expressions: readonly string[]) => [...new Set(expressions)].join(" OR ");

export const inTitle = (expression: string) => `{title} : (${expression})`;

/** Matches two tokens in either order, at most one word apart. */
export const near = (left: string, right: string) => `NEAR(${quote(left)} ${quote(right)}, 1)`;

/** Matches words of a script without spaces as a substring. */
export function characters(prefix: string, found: readonly Word[]): string {
  const text = found.map((word) => word.text).join("");
  return sequence([...text].map((character) => prefix + CHARACTER + character));
}

/** Matches a term literally: its words in order, the last one as a prefix for `pre*`. */
export function literally(prefix: string, term: Term): string {
  const found = words(term.text);
  const star = term.kind === "prefix" ? " *" : "";
  // In scripts without spaces word boundaries are a guess, so match the characters as typed.
  const literal = found.every((word) => word.unspaced)
    ? characters(prefix, found)
    : sequence(found.map((word) => prefix + word.text)) + star;
  return term.title ? inTitle(literal) : literal;
}

/** A word of a query, after correction. */
export type Meant = Word & {
  /** the second likely correction */
  readonly or?: string | undefined;
  /** the word with its umlauts transliterated: `oeztuerk` */
  readonly also?: string | undefined;
};

export const readWords = (text: string): Meant[] =>
  words(text).map((word) => ({ ...word, also: spelledOut(text.slice(word.start, word.end)) }));

type TermContext = {
  /** the owner's token prefix */
  readonly prefix: string;
  readonly language: Language;
  /** verbs also match their past forms */
  readonly past: boolean;
  readonly factsOf: (word: string) => readonly string[];
};

/** The text that a query word comes from, and the forms of its compound. */
export type Place = { readonly text: string; readonly whole?: readonly string[] | undefined };

/** Whether a word is looked up by its first letters or its characters, so that other words match too. */
export function isVague({ language: isEnglish }: TermContext, { text, unspaced }: Word): boolean {
  if (unspaced) return [...text].length > 1;
  return (isEnglish !== "yes" || !isStemmed(text)) && beginning(text) !== text;
}

/** The word, or both of its likely corrections. */
export const meantWords = ({ text, or: alternative }: Meant) =>
  alternative === undefined ? [text] : [text, alternative];

const variants = ({ past: includesPast }: TermContext, word: Meant) => [
  ...meantWords(word).flatMap((one) => [one, ...(includesPast ? pastFormsOf(one) : [])]),
  ...(word.also === undefined ? [] : [word.also]),
];

/** The forms of a word, grouped as in `lookupForms`. */
const formGroups = (target: TermContext, word: Meant): string[][] => [
  ...variants(target, word).flatMap((one) => formsToFind(one, target.language)),
  ...meantWords(word).flatMap((one) => spelledForms(one).map((form) => [form])),
];

const factsOfCandidates = ({ factsOf }: TermContext, word: Meant) =>
  meantWords(word).flatMap((one) => factsOf(one));

/** The terms that match a word or show that it occurs. */
export function lookups(target: TermContext, word: Meant): Lookup[] {
  const { prefix } = target;
  const facts = factsOfCandidates(target, word);
  const groups = [...formGroups(target, word), ...facts.map((fact) => [fact])];
  const groupOf = new Map(groups.flatMap((forms, group) => forms.map((form) => [form, group] as const)));
  const found = [...groupOf];
  const own = [
    ...variants(target, word).flatMap(ownForms),
    ...meantWords(word).flatMap(spelledForms),
    ...facts,
  ];
  const others = own.filter((form) => !groups.flat().includes(form)).map((form) => [form, null] as const);
  return [...found, ...others].map(([form, group]) => [prefix + form, group, own.includes(form) ? 1 : 0]);
}

/** The term of a word as typed, for its document frequency only. */
export const ownLookup = ({ prefix }: TermContext, word: string): Lookup => [prefix + word, null, 0];

/** The terms that match a word of a script without spaces: all of its characters. */
export const characterLookups = ({ prefix }: TermContext, word: string): Lookup[] =>
  [...new Set(word)].map((character, group) => [prefix + CHARACTER + character, group, 0]);

const formTokens = (target: TermContext, word: Meant) =>
  [...formGroups(target, word).flat(), ...factsOfCandidates(target, word)].map(
    (form) => target.prefix + form,
  );

/** Matches the compound that a word is part of: its forms as one word, and its camel-case parts side by side. */
export function nameExpression(
  { prefix }: TermContext,
  word: Word,
  { text, whole: compoundForms = [] }: Place,
): string | undefined {
  const parts = humps(text.slice(word.start, word.end)).map((part) => prefix + part);
  const names = [
    ...compoundForms.map((form) => quote(prefix + form)),
    ...(parts.length > 0 ? [sequence(parts)] : []),
  ];
  return names.length > 0 ? anyOf(names) : undefined;
}

/** Matches one word: its forms, those of its compound, and its camel-case parts side by side. */
export function wordExpression(target: TermContext, word: Meant, context: Place): string {
  if (word.unspaced) return characters(target.prefix, [word]);
  const name = nameExpression(target, word, context);
  return anyOf([...formTokens(target, word).map(quote), ...(name === undefined ? [] : [name])]);
}

/** Both likely corrections, each with its own expression; undefined if there is only one. */
export function eachMeant(
  target: TermContext,
  word: Meant,
): [word: string, expression: string][] | undefined {
  if (word.or === undefined) return undefined;
  return meantWords(word).map((text) => {
    const forms = formTokens(target, { ...word, text, or: undefined });
    return [text, anyOf(forms.map(quote))];
  });
}

/** The index version from which on a word's own expression finds it; undefined for `FORMS_VERSION`. */
export const sinceOf = (word: Meant): number | undefined =>
  meantWords(word).some((text) => letterOf(text) !== undefined) ? SIGNS_VERSION : undefined;

/** Matches one word in entries before version 3, which contain a form only where it differs from the word. */
export function olderExpression({ prefix }: TermContext, word: Meant): string {
  const read = meantWords(word).map((text) => letterOf(text) ?? text);
  const forms = read.flatMap((text) =>
    word.unspaced
      ? [text]
      : [text, stem(text), STEM + stem(text), beginning(text), BEGINNING + beginning(text)],
  );
  return anyOf(forms.map((form) => quote(prefix + form)));
}

/**
 * For each word of a compound or a telephone number, by its position, the forms of the whole: a record with `email`
 * matches both words of `e-mail`. Forms of the first word are excluded, or `Apollo` would match both words of
 * `Apollo-Programm`.
 */
export function wholesIn(
  { language: isEnglish }: TermContext,
  text: string,
  found: readonly Word[],
): Map<number, string[]> {
  const wholes = new Map<number, string[]>();
  for (const { whole, from, to } of compounds(text, found)) {
    const first = formsToFind(found[from]?.text ?? "", isEnglish).flat();
    const forms = formsToFind(whole, isEnglish)
      .flat()
      .filter((form) => !first.includes(form));
    for (let index = from; index < to; index++) wholes.set(index, forms);
  }
  for (const number of numbersIn(text, found)) {
    const forms = formsOfNumber(number);
    for (let index = number.from; index < number.to && forms.length > 0; index++)
      wholes.set(index, [...(wholes.get(index) ?? []), ...forms]);
  }
  return wholes;
}

/** Matches two words close together, as stems or as typed. */
export function nearExpression({ prefix }: TermContext, first: Meant, second: Meant): string {
  const expressions = [STEM, UNSURE_STEM, ""].flatMap((mark) =>
    formsWithMark(first, mark).flatMap((left) =>
      formsWithMark(second, mark).map((right) => near(prefix + left, prefix + right)),
    ),
  );
  return anyOf(expressions);
}

/** The forms of a word with a given mark; without a mark, the word and its stem, which often is a word too. */
function formsWithMark(word: Meant, mark: string): string[] {
  return meantWords(word).flatMap((text) => {
    const root = stem(text);
    if (mark === "") return word.unspaced || root === text ? [text] : [text, root];
    return word.unspaced || !isStemmed(text) ? [] : [mark + root];
  });
}

/** Returns a function that gives the facts that a word of the query stands for, by itself or as part of a date. */
export function factsOfWords(
  dates: readonly Dated[],
  vocabulary: Meanings | undefined,
): (word: string) => readonly string[] {
  if (vocabulary === undefined) return () => [];
  const dated = new Map<string, string[]>();
  for (const { typed, digits } of dates) {
    for (const word of typed) dated.set(word, [...(dated.get(word) ?? []), ...digits.map(vocabulary.ofDate)]);
  }
  return (word) => [...vocabulary.ofWord(word), ...(dated.get(word) ?? [])];
}

/** The boost for a date: its spellings in texts, and records with a fact of that date. */
export function dateBonus(prefix: string, date: Dated, vocabulary: Meanings | undefined): Bonus {
  const { name, digits, spellings, weight } = date;
  const spelled = spellings.map(({ words, apart }) => {
    const tokens = words.map((word) => prefix + word);
    return apart ? near(tokens[0] ?? "", tokens[1] ?? "") : sequence(tokens);
  });
  const facts = vocabulary ? digits.map(vocabulary.ofDate) : [];
  const expression = anyOf([...spelled, ...facts.map((one) => quote(prefix + one))]);
  return { kind: "date", units: [], weight, name, facts, expression };
}
