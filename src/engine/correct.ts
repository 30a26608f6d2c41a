import { acceptedErrors, MIN_LETTERS, typingErrors } from "../shared/text/likeness.ts";
import { ownerPrefix, PREFIX_MARK, stem, UNSURE_PREFIX_MARK, wordPrefix } from "./forms.ts";
import type { Clause, Corrections, FactVocabulary, QueryPlan } from "./plan.ts";

// Spelling correction. The search statement itself finds similar words, so a query with a typo takes one more call.

export type VocabularyWord = { readonly text: string; readonly records: number };

/** Words of at least this many letters may have two typos. */
const LONG_WORD = 7;

/** Whether a word is long enough for a similar word to be a reliable correction. Short words resemble others by chance. */
export const isReliablyCorrectable = (word: string) => word.length >= LONG_WORD;
const MAX_LETTERS = 32;

/** Alphabets of scripts that are typed letter by letter; a typo stays within the alphabet of its word. */
const ALPHABETS = [
  "abcdefghijklmnopqrstuvwxyz",
  "абвгдежзийклмнопрстуфхцчшщъыьэюя",
  "αβγδεζηθικλμνξοπρστυφχψω",
  "אבגדהוזחטיכלמנסעפצקרשתםןףץ",
  "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأإؤئ",
];

const isCorrectable = (word: string) =>
  word.length >= MIN_LETTERS && word.length <= MAX_LETTERS && /^\p{L}+$/u.test(word);

const alphabetForWord = (word: string): string[] => [
  ...(ALPHABETS.find((one) => [...word].some((letter) => one.includes(letter))) ?? ""),
];

/**
 * The one or two likeliest corrections: other forms of the word (`owed` for `owes`), else those with the fewest typos, then
 * the same first letter, then the most records. A second correction must be as close and not another form of the first.
 */
export function likeliestCorrections(word: string, vocabulary: readonly VocabularyWord[]): string[] {
  const accepted = acceptedErrors(word.length, LONG_WORD);
  // The first letter is rarely wrong, but may have changed places with the second.
  const isSwapped = (text: string) => text[0] === word[1] && text[1] === word[0];
  const begins = (text: string) => Number(text[0] === word[0] || isSwapped(text));
  const isForm = (text: string) => stem(text) === stem(word);
  const near = vocabulary
    .map(({ text, records }) => ({
      text,
      records,
      errors: typingErrors(word, text),
      begins: begins(text),
      form: isForm(text),
    }))
    .filter((known) => known.errors <= accepted && known.text !== word);
  near.sort(
    (a, b) =>
      Number(b.form) - Number(a.form) ||
      a.errors - b.errors ||
      b.begins - a.begins ||
      b.records - a.records ||
      (a.text < b.text ? -1 : 1),
  );
  const [best, ...others] = near;
  if (best === undefined) return [];
  const second = others.find(({ text, errors, begins, form }) =>
    best.form ? form : errors === best.errors && begins === best.begins && stem(text) !== stem(best.text),
  );
  return second === undefined ? [best.text] : [best.text, second.text];
}

/** In a longer query an unknown word is more likely new than misspelt, and the other words find the record anyway. */
export const SHORT_QUERY_WORDS = 3;
const MAX_CORRECTED_WORDS = 8;
export const MAX_SCANNED = 2000;
export const LAST_CHARACTER = "\u{10ffff}";

/** What the statement needs to find words similar to one. */
type CorrectionProbe = {
  word: string;
  prefix: string;
  places: number[];
  letters: string[];
  /** what terms at distance 2 begin with; absent for short words */
  start?: string;
  /** terms whose presence shows that the word is a form of a known word, not a typo */
  forms: string[];
};

export function correctionProbe(
  { text, isCorrectable: correctable }: Clause,
  prefix: string,
  isLong: boolean,
): CorrectionProbe | undefined {
  if (!correctable || !isCorrectable(text)) return undefined;
  const marks = isLong ? [PREFIX_MARK, UNSURE_PREFIX_MARK] : [];
  return {
    word: text,
    prefix,
    places: [...Array(text.length + 1).keys()],
    letters: alphabetForWord(text),
    ...(isReliablyCorrectable(text) && { start: prefix + text.slice(0, 2) }),
    forms: marks.map((mark) => prefix + mark + wordPrefix(text)),
  };
}

/** SQL condition: every word is known or cannot be corrected. */
export const ALL_KNOWN = "NOT EXISTS (SELECT 1 FROM unknown)";

/** The indexed words at Damerau distance 1 from an unknown one: a letter is missing, swapped, added or wrong. */
const ALIKE = [
  ["", "substr(u.word, p.value + 2)"],
  ["", "substr(u.word, p.value + 2, 1) || substr(u.word, p.value + 1, 1) || substr(u.word, p.value + 3)"],
  ["CROSS JOIN json_each(u.letters) l", "l.value || substr(u.word, p.value + 1)"],
  ["CROSS JOIN json_each(u.letters) l", "l.value || substr(u.word, p.value + 2)"],
].map(
  ([letters, rest]) => `
  SELECT u.word, v.term, v.doc FROM unknown u CROSS JOIN json_each(u.places) p ${letters}
  CROSS JOIN search_words v ON v.term = u.prefix || substr(u.word, 1, p.value) || ${rest}`,
);

/** The steps after `counted`: find the words to correct, and what they may mean. */
export const correctionSteps = `
-- words that no record has, in any form if the query is long
unknown AS MATERIALIZED (
  SELECT probe ->> 'word' word, probe ->> 'prefix' prefix, probe -> 'places' places, probe -> 'letters' letters,
    probe ->> 'start' start FROM counted
  WHERE known = 0 AND probe IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM json_each(probe -> 'forms') f CROSS JOIN search_words w ON w.term = f.value)
  LIMIT ${MAX_CORRECTED_WORDS}),
-- the words that are like them but for one typing error
alike AS MATERIALIZED (${ALIKE.join(" UNION ALL ")})`;

/**
 * SQL expression for words similar to unknown ones, as JSON; null if every word is known. `alike`: the terms at distance 1.
 * `beginnings`: for each word without any, the terms that share its first letters.
 */
export function similarWordsJson(meanings?: FactVocabulary): string {
  const facts = JSON.stringify([...(meanings?.wordsByFact.keys() ?? [])]);
  const named = `UNION ALL SELECT u.word, v.term, v.doc FROM unknown u CROSS JOIN json_each('${facts}') f
    CROSS JOIN search_words v ON v.term = u.prefix || f.value`;
  return `CASE WHEN ${ALL_KNOWN} THEN NULL ELSE json_object(
  'alike', (SELECT json_group_array(json_object('word', word, 'term', term, 'records', doc))
    FROM (SELECT * FROM alike ${meanings ? named : ""})),
  'beginnings', (SELECT json_group_array(json_object('word', word, 'terms', (SELECT json_group_object(term, doc) FROM (
    SELECT term, doc FROM search_words
    WHERE term >= u.start AND term < u.start || '${LAST_CHARACTER}' LIMIT ${MAX_SCANNED}))))
    FROM unknown u WHERE start IS NOT NULL AND word NOT IN (SELECT word FROM alike))) END`;
}

/** `records`: how many contain a term. */
type SimilarWords = {
  alike: { word: string; term: string; records: number }[];
  beginnings: { word: string; terms: Record<string, number> }[];
};

export function chooseCorrections(
  { clauses }: QueryPlan,
  similar: string,
  { owner, meanings }: { owner: number; meanings?: FactVocabulary | undefined },
): Corrections {
  const { alike, beginnings } = JSON.parse(similar) as SimilarWords;
  const { length } = ownerPrefix(owner);
  const found = [
    ...alike,
    ...beginnings.flatMap(({ word, terms }) =>
      Object.entries(terms).map(([term, records]) => ({ word, term, records })),
    ),
  ];
  // A term that is a fact stands for the words that name it.
  const wordsOf = (text: string) => meanings?.wordsByFact.get(text) ?? [text];
  const queryWords = new Set(clauses.flatMap(({ labels }) => labels));
  const corrections = [...Map.groupBy(found, ({ word }) => word)].map(([word, terms]) => {
    const vocabulary = terms.flatMap(({ term, records }) =>
      wordsOf(term.slice(length)).map((text) => ({ text, records })),
    );
    const meant = likeliestCorrections(word, vocabulary);
    // The query already searches for a correction that is one of its own words.
    return [word, meant.some((other) => queryWords.has(other)) ? meant.slice(0, 1) : meant] as const;
  });
  return new Map(corrections.filter(([, meant]) => meant.length > 0));
}
