import { distance } from "fastest-levenshtein";
import { ownerPrefix, PREFIX_MARK, stem, UNSURE_PREFIX_MARK, wordPrefix } from "./forms.ts";
import type { Clause, Corrections, FactVocabulary, QueryPlan, SqlFragment } from "./plan.ts";

// Spelling correction. The search statement itself finds similar words, so a query with a typo takes one more call.

export type VocabularyWord = { readonly text: string; readonly records: number };

/** Shorter words have too many similar words to guess from. */
const MIN_LETTERS = 4;
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

export const isCorrectable = (word: string) =>
  word.length >= MIN_LETTERS && word.length <= MAX_LETTERS && /^\p{L}+$/u.test(word);

export const alphabetForWord = (word: string): string[] => [
  ...(ALPHABETS.find((one) => [...word].some((letter) => one.includes(letter))) ?? ""),
];

/** All words at Damerau distance 1 (Damerau 1964): about 54 per letter in the Latin alphabet. */
export function oneEditAway(word: string): string[] {
  const letters = [...word];
  const alphabet = alphabetForWord(word);
  const join = (...parts: string[][]) => parts.flat().join("");
  const near = new Set<string>();
  for (let position = 0; position <= letters.length; position++) {
    const [before, after] = [letters.slice(0, position), letters.slice(position)];
    const [first = "", second = ""] = after;
    near.add(join(before, after.slice(1)));
    near.add(join(before, [second, first], after.slice(2)));
    for (const letter of alphabet) {
      near.add(join(before, [letter], after));
      near.add(join(before, [letter], after.slice(1)));
    }
  }
  near.delete(word);
  return [...near];
}

/** The prefix to scan in the vocabulary for words at distance 2. Undefined for short words. */
export const prefixForTwoEdits = (word: string) =>
  isReliablyCorrectable(word) ? word.slice(0, 2) : undefined;

/**
 * The one or two likeliest corrections: other forms of the word (`owed` for `owes`), else those with the fewest typos, then
 * the same first letter, then the most records. A second correction must be as close and not another form of the first.
 */
export function likeliestCorrections(word: string, vocabulary: readonly VocabularyWord[]): string[] {
  const slips = (text: string) => (oneSlip.has(text) ? 1 : distance(word, text));
  const oneSlip = new Set(oneEditAway(word));
  const allowed = isReliablyCorrectable(word) ? 2 : 1;
  // The first letter is rarely wrong, but may have changed places with the second.
  const isSwapped = (text: string) => text[0] === word[1] && text[1] === word[0];
  const begins = (text: string) => Number(text[0] === word[0] || isSwapped(text));
  const isForm = (text: string) => stem(text) === stem(word);
  const near = vocabulary
    .map(({ text, records }) => ({
      text,
      records,
      slips: slips(text),
      begins: begins(text),
      form: isForm(text),
    }))
    .filter((known) => known.slips <= allowed && known.text !== word);
  near.sort(
    (a, b) =>
      Number(b.form) - Number(a.form) ||
      a.slips - b.slips ||
      b.begins - a.begins ||
      b.records - a.records ||
      (a.text < b.text ? -1 : 1),
  );
  const [best, ...others] = near;
  if (best === undefined) return [];
  const second = others.find(({ text, slips, begins, form }) =>
    best.form ? form : slips === best.slips && begins === best.begins && stem(text) !== stem(best.text),
  );
  return second === undefined ? [best.text] : [best.text, second.text];
}

/** In a longer query an unknown word is more likely new than misspelt, and the other words find the record anyway. */
export const SHORT_QUERY_WORDS = 3;
const MAX_CORRECTED_WORDS = 8;
const MAX_SCANNED = 2000;
const LAST_CHARACTER = "\u{10ffff}";

/**
 * What the statement needs to find words similar to one. `start`: prefix to scan for distance 2. `forms`: terms whose
 * presence shows that the word is a form of a known word, not a typo.
 */
type CorrectionProbe = {
  word: string;
  places: number[];
  letters: string[];
  start: string | null;
  forms: string[];
};

export function correctionProbe(
  { text, isCorrectable: correctable }: Clause,
  prefix: string,
  isLong: boolean,
): CorrectionProbe | undefined {
  if (!correctable || !isCorrectable(text)) return undefined;
  const forms = isLong
    ? [PREFIX_MARK, UNSURE_PREFIX_MARK].map((mark) => prefix + mark + wordPrefix(text))
    : [];
  const start = prefixForTwoEdits(text) ?? null;
  return {
    word: text,
    places: [...Array(text.length + 1).keys()],
    letters: alphabetForWord(text),
    start,
    forms,
  };
}

/** SQL condition: every word is known or cannot be corrected. */
export const ALL_KNOWN = "NOT EXISTS (SELECT 1 FROM unknown)";

/** The step after `counted`: finds the words to correct. */
export const unknownStep = `
-- words that no record has, in any form if the query is long
unknown AS MATERIALIZED (
  SELECT slip ->> 'word' word, slip -> 'places' places, slip -> 'letters' letters, slip ->> 'start' start FROM counted
  WHERE known = 0 AND slip IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM json_each(slip -> 'forms') f CROSS JOIN search_words w ON w.term = f.value)
  LIMIT ${MAX_CORRECTED_WORDS})`;

/** The step after `unknown`: finds indexed words at Damerau distance 1 from an unknown one. */
export function similarWordsStep(prefix: string): SqlFragment {
  const [before, after] = [
    "substr(u.word, 1, p.value)",
    (from: number) => `substr(u.word, p.value + ${from})`,
  ];
  const letter = (at: number) => `substr(u.word, p.value + ${at}, 1)`;
  const places = "unknown u CROSS JOIN json_each(u.places) p";
  const slips = [
    [places, `${before} || ${after(2)}`],
    [places, `${before} || ${letter(2)} || ${letter(1)} || ${after(3)}`],
    [`${places} CROSS JOIN json_each(u.letters) l`, `${before} || l.value || ${after(1)}`],
    [`${places} CROSS JOIN json_each(u.letters) l`, `${before} || l.value || ${after(2)}`],
  ];
  const one = slips.map(
    ([from, term]) =>
      `SELECT u.word, v.term, v.doc FROM ${from} CROSS JOIN search_words v ON v.term = ? || ${term}`,
  );
  const sql = `
-- the words that are like them but for one typing error
alike AS MATERIALIZED (${one.join(" UNION ALL ")})`;
  return { sql, params: slips.map(() => prefix) };
}

/**
 * SQL expression for words similar to unknown ones, as JSON; null if every word is known. `one`: word, term at distance 1,
 * number of records. `two`: for each word without such a term, the word and the terms that share its first letters.
 */
export function similarWordsJson(prefix: string, meanings?: FactVocabulary): SqlFragment {
  const facts = JSON.stringify([...(meanings?.wordsByFact.keys() ?? [])]);
  const named = `SELECT u.word, v.term, v.doc FROM unknown u CROSS JOIN json_each('${facts}') f
    CROSS JOIN search_words v ON v.term = ? || f.value`;
  const one = meanings ? `SELECT * FROM alike UNION ALL ${named}` : "SELECT * FROM alike";
  const sql = `CASE WHEN ${ALL_KNOWN} THEN NULL ELSE json_object(
  'one', (SELECT json_group_array(json_array(word, term, doc)) FROM (${one})),
  'two', (SELECT json_group_array(json_array(word, (SELECT json_group_array(json_array(term, doc)) FROM (
    SELECT term, doc FROM search_words
    WHERE term >= ? || u.start AND term < ? || u.start || '${LAST_CHARACTER}' LIMIT ${MAX_SCANNED}))))
    FROM unknown u WHERE start IS NOT NULL AND word NOT IN (SELECT word FROM alike))) END`;
  return { sql, params: [...(meanings ? [prefix] : []), prefix, prefix] };
}

type TermCount = [term: string, records: number];
type SimilarWords = { one: [word: string, ...TermCount][]; two: [word: string, terms: [string, number][]][] };

/** The words of a term without its owner prefix. A fact stands for the words that name it. */
const vocabularyWords = ([text, records]: TermCount, vocabulary?: FactVocabulary): VocabularyWord[] =>
  (vocabulary?.wordsByFact.get(text) ?? [text]).map((word) => ({ text: word, records }));

export function chooseCorrections(
  { clauses }: QueryPlan,
  found: string,
  { owner, meanings }: { owner: number; meanings?: FactVocabulary | undefined },
): Corrections {
  const { one, two } = JSON.parse(found) as SimilarWords;
  const { length } = ownerPrefix(owner);
  const known = new Map<string, VocabularyWord[]>();
  const add = (word: string, terms: TermCount[]) => {
    const texts = terms.flatMap(([term, records]) =>
      vocabularyWords([term.slice(length), records], meanings),
    );
    known.set(word, [...(known.get(word) ?? []), ...texts]);
  };
  for (const [word, term, records] of one) add(word, [[term, records]]);
  for (const [word, terms] of two) add(word, terms);
  const queryWords = new Set(clauses.flatMap(({ labels }) => labels));
  const corrections = [...known].map(([word, vocabulary]) => {
    const meant = likeliestCorrections(word, vocabulary);
    // The query already searches for a correction that is one of its own words.
    return [word, meant.some((other) => queryWords.has(other)) ? meant.slice(0, 1) : meant] as const;
  });
  return new Map(corrections.filter(([, meant]) => meant.length > 0));
}
