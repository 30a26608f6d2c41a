import { type Alternatives, type Term, termText } from "../shared/query/query.ts";
import { splitWords } from "../shared/text/words.ts";
import type { IsEnglish } from "./english.ts";
import { isContractionEnding } from "./forms.ts";
import type { Boost, Clause, Corrections } from "./plan.ts";
import { reversedEnding } from "./spellings.ts";
import {
  candidateExpressions,
  candidateWords,
  characterLookups,
  compoundExpression,
  compoundFormsByWord,
  exactLookup,
  legacyExpression,
  matchesOtherWords,
  minIndexVersion,
  nearExpression,
  parseQueryWords,
  type QueryWord,
  quote,
  termLookups,
  type WordContext,
  wordExpression,
} from "./terms.ts";

// Builds a query plan within the limits of one search: words become clauses, pairs of neighbouring words become boosts.

/**
 * Clauses whose document frequency is counted by matching, which reads a row per record. Beyond this limit, phrases,
 * prefixes and title words become plain words, and a word of a script without spaces counts as its rarest character.
 */
const MAX_COUNTED_BY_MATCHING = 32;
/** Each prefix merges all its words in the index. A prefix of one or two letters must be the only one. */
const MAX_PREFIX_TERMS = 4;
const SHORT_PREFIX = 2;
/** Enough for most queries of 500 characters. In 41 texts of 1 MB, pairs take most of the time of a search. */
const MAX_NEAR_BOOSTS = 48;

export type PlanBuilder = {
  readonly prefix: string;
  readonly isEnglish: IsEnglish;
  /** verbs also match their past forms */
  readonly includesPast: boolean;
  /** the facts of records that a word stands for; none if only documents are searched */
  readonly factsOf: (word: string) => readonly string[];
  /** function words to ignore */
  readonly ignoredWords: ReadonlySet<string>;
  readonly corrections: Corrections;
  readonly correctedWeight: number;
  /** the query is shorter than a sentence */
  readonly isShortQuery: boolean;
  /** phrases are required */
  readonly requiresPhrases: boolean;
  readonly clauses: Clause[];
  readonly boosts: Boost[];
  /** number of each clause by its expression */
  readonly clauseNumbers: Map<string, number>;
  readonly simplified: string[];
  /** clauses whose document frequency is counted by matching */
  readonly countedByMatching: Set<number>;
  readonly prefixTerms: Term[];
  /** word of each plain clause, by the clause's number */
  readonly clauseWords: Map<number, QueryWord>;
};

/** Adds a term as plain words because the query has too many operators. */
export function addAsPlainText(builder: PlanBuilder, term: Term): void {
  builder.simplified.push(termText(term));
  addPlainText(builder, term.text, undefined);
}

/** Adds plain words, each as its own clause. Returns the number of the last one, to pair it with the next word. */
export function addPlainText(
  builder: PlanBuilder,
  text: string,
  before: number | undefined,
): number | undefined {
  const found = parseQueryWords(text);
  const wholes = compoundFormsByWord(builder, text, found);
  let last = before;
  for (const [index, typed] of found.entries()) {
    const [meant = typed.text, or] = builder.corrections.get(typed.text) ?? [];
    if (builder.ignoredWords.has(meant) || isContractionEnding(text, typed)) continue;
    const word =
      meant === typed.text ? typed : { ...typed, text: meant, alternative: or, transliterated: undefined };
    const number = addWord(builder, word, { text, compoundForms: wholes.get(index), typed: typed.text });
    if (last !== undefined && last !== number) addNearBoost(builder, last, number);
    last = number;
  }
  return last;
}

/** Adds a word as a clause, or adds to the weight of the clause that has it already. Returns the clause's number. */
function addWord(builder: PlanBuilder, word: QueryWord, context: WordContext & { typed: string }): number {
  const expression = wordExpression(builder, word, context);
  const corrected = context.typed === word.text ? undefined : context.typed;
  const weight = corrected === undefined ? 1 : builder.correctedWeight;
  const known = builder.clauseNumbers.get(expression);
  const clause = builder.clauses[known ?? -1];
  if (known !== undefined && clause !== undefined) {
    const names = [...new Set([...clause.labels, ...candidateWords(word)])];
    const typed = corrected && clause.typed;
    builder.clauses[known] = { ...clause, weight: clause.weight + weight, labels: names, typed };
    return known;
  }
  const number = addClause(builder, {
    text: word.text,
    labels: candidateWords(word),
    isAlternative: word.alternative !== undefined,
    weight,
    typed: corrected,
    candidates: candidateExpressions(builder, word),
    expression,
    compoundExpression: compoundExpression(builder, word, context),
    facts: candidateWords(word).flatMap(builder.factsOf),
    legacyExpression: legacyExpression(builder, word),
    minIndexVersion: minIndexVersion(word),
    isCorrectable: !word.unspaced,
    ...countingFor(builder, word, context),
  });
  builder.clauseWords.set(number, word);
  for (const text of candidateWords(word)) {
    if (!matchesOtherWords(builder, { ...word, text })) continue;
    const term = builder.prefix + text;
    builder.boosts.push({ kind: "exact", clauses: [number], expression: quote(term), term });
  }
  addEndingBoost(builder, word, number);
  return number;
}

/** Each ending merges all words of the index that end in it. */
const MAX_ENDING_BOOSTS = 4;

/** Boosts words that end in a word of the query, as German compounds do. In a sentence the other words find them. */
function addEndingBoost(builder: PlanBuilder, { text }: QueryWord, number: number): void {
  const ending = builder.isShortQuery && builder.isEnglish !== "yes" ? reversedEnding(text) : undefined;
  const others = builder.boosts.filter(({ kind }) => kind === "ending");
  if (ending === undefined || others.length >= MAX_ENDING_BOOSTS) return;
  const expression = `${quote(builder.prefix + ending)} *`;
  builder.boosts.push({ kind: "ending", clauses: [number], label: `*${text}`, expression });
}

function countingFor(builder: PlanBuilder, word: QueryWord, { compoundForms }: WordContext): Partial<Clause> {
  // A record can have both a fact and the word for it, so their counts do not add up.
  const isVaguelyCounted =
    word.unspaced ||
    compoundForms !== undefined ||
    candidateWords(word).some((one) => builder.factsOf(one).length > 0);
  const isMatched = canCountByMatching(builder) && isVaguelyCounted;
  if (!word.unspaced) return { counting: isMatched ? undefined : "any", lookups: termLookups(builder, word) };
  const terms = [exactLookup(builder, word.text)];
  return isMatched
    ? { counting: undefined, lookups: terms }
    : { counting: "all", lookups: [...characterLookups(builder, word.text), ...terms] };
}

/** Whether the prefixes among the terms are within the limit; if so, they count towards it. */
export function canAddPrefixes({ prefixTerms }: PlanBuilder, terms: Alternatives): boolean {
  const all = [...prefixTerms, ...terms.filter(({ kind }) => kind === "prefix")];
  const isFew = all.length <= (all.some(isShortPrefix) ? 1 : MAX_PREFIX_TERMS);
  if (isFew) prefixTerms.splice(0, prefixTerms.length, ...all);
  return isFew;
}

/** Whether very many words have a prefix. Not so for a character of a script without spaces. */
function isShortPrefix({ text }: Term): boolean {
  const [word] = splitWords(text);
  return word !== undefined && !word.unspaced && [...word.text].length <= SHORT_PREFIX;
}

export const canCountByMatching = ({ countedByMatching }: PlanBuilder) =>
  countedByMatching.size < MAX_COUNTED_BY_MATCHING;

type NewClause = Pick<Clause, "text" | "expression"> & Partial<Clause>;

export function addClause(builder: PlanBuilder, clause: NewClause): number {
  const number = builder.clauses.length;
  builder.clauseNumbers.set(clause.expression, number);
  if (clause.counting === undefined) builder.countedByMatching.add(number);
  builder.clauses.push({
    labels: [clause.text],
    isAlternative: false,
    weight: 1,
    isPhrase: false,
    isRequired: false,
    isCorrectable: false,
    lookups: [],
    ...clause,
  });
  return number;
}

function addNearBoost(builder: PlanBuilder, first: number, second: number): void {
  const [a, b] = [builder.clauseWords.get(first), builder.clauseWords.get(second)];
  if (a === undefined || b === undefined) return;
  const pairs = builder.boosts.filter(({ kind }) => kind === "near");
  if (pairs.length >= MAX_NEAR_BOOSTS) return;
  if (pairs.some(({ clauses }) => clauses[0] === first && clauses[1] === second)) return;
  builder.boosts.push({ kind: "near", clauses: [first, second], expression: nearExpression(builder, a, b) });
}

/** If the only word names a record type, boosts texts with that word: `decision` rarely asks for all decisions. */
export function addLiteralBoost(builder: PlanBuilder): void {
  const word = builder.clauseWords.get(0);
  if (word === undefined || builder.factsOf(word.text).length === 0) return;
  const expression = wordExpression({ ...builder, factsOf: () => [] }, word, word);
  builder.boosts.push({ kind: "literal", clauses: [0], expression });
}
