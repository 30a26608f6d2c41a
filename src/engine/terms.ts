import type { DateTerm } from "../shared/query/dates.ts";
import type { Term } from "../shared/query/query.ts";
import { baseLetter, splitWords, type Word } from "../shared/text/words.ts";
import { FORMS_VERSION, SIGNS_VERSION } from "./analyse.ts";
import { type IsEnglish, irregularPastForms } from "./english.ts";
import {
  CHARACTER_MARK,
  camelCaseParts,
  distinctiveForms,
  findCompounds,
  isStemmable,
  lookupForms,
  PREFIX_MARK,
  STEM_MARK,
  stem,
  transliteratedForms,
  UNSURE_STEM_MARK,
  wordPrefix,
} from "./forms.ts";
import type { Boost, Candidate, FactVocabulary, TermLookup } from "./plan.ts";
import { findPhoneNumbers, phoneNumberForms, transliterate } from "./spellings.ts";

// Builds FTS5 expressions (https://sqlite.org/fts5.html, "Full-text Query Syntax") from analysed words. User input
// reaches MATCH only through these functions.

/** Words contain only letters, digits, marks and emoji, so escaping quotation marks is only a safeguard. */
export const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;

export const phraseExpression = (tokens: readonly string[]) => quote(tokens.join(" "));

export const anyOf = (expressions: readonly string[]) => [...new Set(expressions)].join(" OR ");

export const inTitle = (expression: string) => `{title} : (${expression})`;

/** Matches two tokens in either order, at most one word apart. */
export const near = (left: string, right: string) => `NEAR(${quote(left)} ${quote(right)}, 1)`;

/** Matches words of a script without spaces as a substring. */
export function substringExpression(prefix: string, found: readonly Word[]): string {
  const text = found.map((word) => word.text).join("");
  return phraseExpression([...text].map((character) => prefix + CHARACTER_MARK + character));
}

/** Matches a term literally: its words in order, the last one as a prefix for `pre*`. */
export function literalExpression(prefix: string, term: Term): string {
  const found = splitWords(term.text);
  const star = term.kind === "prefix" ? " *" : "";
  // In scripts without spaces word boundaries are a guess, so match the characters as typed.
  const literal = found.every((word) => word.unspaced)
    ? substringExpression(prefix, found)
    : phraseExpression(found.map((word) => prefix + word.text)) + star;
  return term.title ? inTitle(literal) : literal;
}

export type QueryWord = Word & {
  /** the second likely correction */
  readonly alternative?: string | undefined;
  /** the word with its umlauts transliterated: `oeztuerk` */
  readonly transliterated?: string | undefined;
};

export const parseQueryWords = (text: string): QueryWord[] =>
  splitWords(text).map((word) => ({
    ...word,
    transliterated: transliterate(text.slice(word.start, word.end)),
  }));

export type TermContext = {
  readonly prefix: string;
  readonly isEnglish: IsEnglish;
  /** verbs also match their past forms */
  readonly includesPast: boolean;
  /** the facts of records that a word stands for; none if only documents are searched */
  readonly factsOf: (word: string) => readonly string[];
};

export type WordContext = { readonly text: string; readonly compoundForms?: readonly string[] | undefined };

/** Whether a word is looked up by its first letters or its characters, so that other words match too. */
export function matchesOtherWords({ isEnglish }: TermContext, { text, unspaced }: Word): boolean {
  if (unspaced) return [...text].length > 1;
  return (isEnglish !== "yes" || !isStemmable(text)) && wordPrefix(text) !== text;
}

export const candidateWords = ({ text, alternative }: QueryWord) =>
  alternative === undefined ? [text] : [text, alternative];

const variants = ({ includesPast }: TermContext, word: QueryWord) => [
  ...candidateWords(word).flatMap((one) => [one, ...(includesPast ? irregularPastForms(one) : [])]),
  ...(word.transliterated === undefined ? [] : [word.transliterated]),
];

/** The forms of a word, grouped as in `lookupForms`. */
const formGroups = (target: TermContext, word: QueryWord): string[][] => [
  ...variants(target, word).flatMap((one) => lookupForms(one, target.isEnglish)),
  ...candidateWords(word).flatMap((one) => transliteratedForms(one).map((form) => [form])),
];

const factsOfCandidates = ({ factsOf }: TermContext, word: QueryWord) =>
  candidateWords(word).flatMap((one) => factsOf(one));

/** The terms that match a word or show that it occurs. */
export function termLookups(target: TermContext, word: QueryWord): TermLookup[] {
  const { prefix } = target;
  const facts = factsOfCandidates(target, word);
  const groups = [...formGroups(target, word), ...facts.map((fact) => [fact])];
  const groupOf = new Map(groups.flatMap((forms, group) => forms.map((form) => [form, group] as const)));
  const own = [
    ...variants(target, word).flatMap(distinctiveForms),
    ...candidateWords(word).flatMap(transliteratedForms),
    ...facts,
  ];
  const others = own.filter((form) => !groups.flat().includes(form)).map((form) => [form, null] as const);
  return [...groupOf, ...others].map(([form, group]) => ({
    term: prefix + form,
    group,
    isKnown: own.includes(form),
  }));
}

/** The term of a word as typed, for its document frequency only. */
export const exactLookup = ({ prefix }: TermContext, word: string): TermLookup => ({
  term: prefix + word,
  group: null,
  isKnown: false,
});

export const characterLookups = ({ prefix }: TermContext, word: string): TermLookup[] =>
  [...new Set(word)].map((character, group) => ({
    term: prefix + CHARACTER_MARK + character,
    group,
    isKnown: false,
  }));

const formTokens = (target: TermContext, word: QueryWord) =>
  [...formGroups(target, word).flat(), ...factsOfCandidates(target, word)].map(
    (form) => target.prefix + form,
  );

/** Matches the compound that a word is part of: its forms as one word, and its camel-case parts side by side. */
export function compoundExpression(
  { prefix }: TermContext,
  word: Word,
  { text, compoundForms = [] }: WordContext,
): string | undefined {
  const parts = camelCaseParts(text.slice(word.start, word.end)).map((part) => prefix + part);
  const names = [
    ...compoundForms.map((form) => quote(prefix + form)),
    ...(parts.length > 0 ? [phraseExpression(parts)] : []),
  ];
  return names.length > 0 ? anyOf(names) : undefined;
}

export function wordExpression(target: TermContext, word: QueryWord, context: WordContext): string {
  if (word.unspaced) return substringExpression(target.prefix, [word]);
  const name = compoundExpression(target, word, context);
  return anyOf([...formTokens(target, word).map(quote), ...(name === undefined ? [] : [name])]);
}

export function candidateExpressions(target: TermContext, word: QueryWord): Candidate[] | undefined {
  if (word.alternative === undefined) return undefined;
  return candidateWords(word).map((text) => {
    const forms = formTokens(target, { ...word, text, alternative: undefined });
    return { word: text, expression: anyOf(forms.map(quote)) };
  });
}

export const minIndexVersion = (word: QueryWord): number =>
  candidateWords(word).some((text) => baseLetter(text) !== undefined) ? SIGNS_VERSION : FORMS_VERSION;

/** Matches one word in entries before version 3, which contain a form only where it differs from the word. */
export function legacyExpression({ prefix }: TermContext, word: QueryWord): string {
  const read = candidateWords(word).map((text) => baseLetter(text) ?? text);
  const forms = read.flatMap((text) =>
    word.unspaced
      ? [text]
      : [text, stem(text), STEM_MARK + stem(text), wordPrefix(text), PREFIX_MARK + wordPrefix(text)],
  );
  return anyOf(forms.map((form) => quote(prefix + form)));
}

/**
 * For each word of a compound or a telephone number, by its position, the forms of the whole: a record with `email`
 * matches both words of `e-mail`. Forms of the first word are excluded, or `Apollo` would match both words of
 * `Apollo-Programm`.
 */
export function compoundFormsByWord(
  { isEnglish }: TermContext,
  text: string,
  found: readonly Word[],
): Map<number, string[]> {
  const wholes = new Map<number, string[]>();
  for (const { whole, from, to } of findCompounds(text, found)) {
    const first = lookupForms(found[from]?.text ?? "", isEnglish).flat();
    const forms = lookupForms(whole, isEnglish)
      .flat()
      .filter((form) => !first.includes(form));
    for (let index = from; index < to; index++) wholes.set(index, forms);
  }
  for (const number of findPhoneNumbers(text, found)) {
    const forms = phoneNumberForms(number);
    for (let index = number.from; index < number.to && forms.length > 0; index++)
      wholes.set(index, [...(wholes.get(index) ?? []), ...forms]);
  }
  return wholes;
}

export function nearExpression({ prefix }: TermContext, first: QueryWord, second: QueryWord): string {
  const expressions = [STEM_MARK, UNSURE_STEM_MARK, ""].flatMap((mark) =>
    formsWithMark(first, mark).flatMap((left) =>
      formsWithMark(second, mark).map((right) => near(prefix + left, prefix + right)),
    ),
  );
  return anyOf(expressions);
}

/** The forms of a word with a given mark; without a mark, the word and its stem, which often is a word too. */
function formsWithMark(word: QueryWord, mark: string): string[] {
  return candidateWords(word).flatMap((text) => {
    const root = stem(text);
    if (mark === "") return word.unspaced || root === text ? [text] : [text, root];
    return word.unspaced || !isStemmable(text) ? [] : [mark + root];
  });
}

/** Returns a function that gives the facts that a word of the query stands for, by itself or as part of a date. */
export function createFactLookup(
  dates: readonly DateTerm[],
  vocabulary: FactVocabulary | undefined,
): (word: string) => readonly string[] {
  if (vocabulary === undefined) return () => [];
  const dated = new Map<string, string[]>();
  for (const { typed, digits } of dates) {
    for (const word of typed)
      dated.set(word, [...(dated.get(word) ?? []), ...digits.map(vocabulary.factOfDate)]);
  }
  return (word) => [...vocabulary.factsOfWord(word), ...(dated.get(word) ?? [])];
}

export function dateBoost(prefix: string, date: DateTerm, vocabulary: FactVocabulary | undefined): Boost {
  const { name, digits, spellings, weight } = date;
  const spelled = spellings.map(({ words, apart }) => {
    const tokens = words.map((word) => prefix + word);
    return apart ? near(tokens[0] ?? "", tokens[1] ?? "") : phraseExpression(tokens);
  });
  const facts = vocabulary ? digits.map(vocabulary.factOfDate) : [];
  const expression = anyOf([...spelled, ...facts.map((one) => quote(prefix + one))]);
  return { kind: "date", clauses: [], weight, label: name, facts, expression };
}
