import { type DateTerm, datesIn, isMonthOfMay } from "../shared/query/dates.ts";
import {
  type Alternatives,
  isPlainTerm,
  joinPlainTerms,
  type Query,
  type Term,
  termText,
} from "../shared/query/query.ts";
import { splitWords } from "../shared/text/words.ts";
import { FORMS_VERSION } from "./analyse.ts";
import { SHORT_QUERY_WORDS } from "./correct.ts";
import { asksForPast, detectEnglish, ignoredFunctionWords, MIN_SENTENCE_WORDS } from "./english.ts";
import { isContractionEnding, ownerPrefix } from "./forms.ts";
import type { Boost, Clause, Corrections, PlanOptions, QueryPlan } from "./plan.ts";
import { reversedEnding } from "./spellings.ts";
import {
  anyOf,
  candidateExpressions,
  candidateWords,
  characterLookups,
  compoundExpression,
  compoundFormsByWord,
  createFactLookup,
  dateBoost,
  exactLookup,
  inTitle,
  legacyExpression,
  literalExpression,
  matchesOtherWords,
  minIndexVersion,
  nearExpression,
  parseQueryWords,
  type QueryWord,
  quote,
  type TermContext,
  termLookups,
  type WordContext,
  wordExpression,
} from "./terms.ts";

// Plans a query within the limits of one search: words become clauses, pairs of neighbouring words become boosts.

// Clauses whose document frequency is counted by matching, which reads a row per record. Beyond this limit, phrases,
// prefixes and title words become plain words, and a word of a script without spaces counts as its rarest character.
const MAX_COUNTED_BY_MATCHING = 32;
/** Each prefix merges all its words in the index. A prefix of one or two letters must be the only one. */
const MAX_PREFIX_TERMS = 4;
const SHORT_PREFIX = 2;
/** Enough for most queries of 500 characters. In 41 texts of 1 MB, pairs take most of the time of a search. */
const MAX_NEAR_BOOSTS = 48;
/** Each ending merges all words of the index that end in it. */
const MAX_ENDING_BOOSTS = 4;
const MAX_DATES = 4;

type PlanBuilder = TermContext & {
  readonly ignoredWords: ReadonlySet<string>;
  readonly corrections: Corrections;
  readonly correctedWeight: number;
  /** the query is shorter than a sentence */
  readonly isShortQuery: boolean;
  readonly requiresPhrases: boolean;
  readonly clauses: Clause[];
  readonly boosts: Boost[];
  readonly clauseNumbers: Map<string, number>;
  readonly simplified: string[];
  readonly prefixTerms: Term[];
  readonly clauseWords: Map<number, QueryWord>;
};

/** Plans a query against one owner's index. */
export function planQuery(owner: number, query: Query, options: PlanOptions = {}): QueryPlan {
  const plain = plainWords(query);
  const texts = plain.map((word) => word.text);
  const dates = queryDates(query, options);
  const factsOf = createFactLookup(dates, options.vocabulary);
  const ignoredWords = ignoredFunctionWords(texts, (word) => factsOf(word).length > 0);
  if (plain.some((_, index) => isMonthOfMay(plain, index))) ignoredWords.delete("may");
  const isShortQuery = texts.length < MIN_SENTENCE_WORDS;
  const builder: PlanBuilder = {
    prefix: ownerPrefix(owner),
    isEnglish: detectEnglish(query.wanted.flat().flatMap(({ text }) => wordTexts(text))),
    includesPast: asksForPast(texts),
    factsOf,
    ignoredWords,
    corrections: options.corrections ?? new Map(),
    correctedWeight: Math.min(1, SHORT_QUERY_WORDS / texts.filter((word) => !ignoredWords.has(word)).length),
    isShortQuery,
    // In a sentence a phrase is probably a quotation; alone or with a few words it is the search itself.
    requiresPhrases: !options.relaxed && isShortQuery,
    clauses: [],
    boosts: [],
    clauseNumbers: new Map(),
    simplified: [],
    prefixTerms: [],
    clauseWords: new Map(),
  };
  let before: number | undefined;
  for (const terms of joinPlainTerms(query.wanted)) before = addTerms(builder, terms, before);
  if (builder.clauses.length === 1) addLiteralBoost(builder);
  builder.boosts.push(...dates.map((date) => dateBoost(builder.prefix, date, options.vocabulary)));
  const { clauses, boosts, simplified } = builder;
  const unwanted = query.unwanted.map((term) => `(${literalExpression(builder.prefix, term)})`);
  return { clauses, boosts, ignoredWords, simplified, excluded: unwanted.join(" OR ") || undefined };
}

/** The dates in a query's plain text; the app's `May OR May*` counts as `May`. Without facts, only dates with spellings. */
function queryDates({ wanted }: Query, { today, vocabulary }: PlanOptions): DateTerm[] {
  const text = wanted.map((terms) => (isPlainTerm(terms.slice(0, 1)) ? terms[0]?.text : ";")).join(" ");
  const dates = datesIn(text, today).filter(({ spellings }) => vocabulary || spellings.length > 0);
  return dates.slice(0, MAX_DATES);
}

const plainWords = ({ wanted }: Query) =>
  wanted.filter(isPlainTerm).flatMap(([term]) => {
    const text = term?.text ?? "";
    return splitWords(text).filter((word) => !isContractionEnding(text, word));
  });

/** Adds one group of the query. Returns the number of its last word, to pair it with the next one. */
function addTerms(builder: PlanBuilder, terms: Alternatives, before: number | undefined): number | undefined {
  const [term] = terms;
  if (term === undefined) return before;
  if (isPlainTerm(terms)) return addPlainText(builder, term.text, before);
  if (!canCountByMatching(builder) || !canAddPrefixes(builder, terms))
    for (const one of terms) addAsPlainText(builder, one);
  else if (terms.length > 1) addAlternatives(builder, terms);
  else if (term.kind === "text") addTitleWords(builder, term);
  else addPhraseOrPrefix(builder, term);
  return undefined;
}

function addTitleWords(builder: PlanBuilder, { text }: Term): void {
  for (const word of parseQueryWords(text)) {
    if (!canCountByMatching(builder)) {
      addAsPlainText(builder, { kind: "text", text: word.text, title: true });
      continue;
    }
    addClause(builder, {
      text: word.text,
      labels: [`title:${word.text}`],
      expression: inTitle(wordExpression(builder, word, { text })),
      legacyExpression: inTitle(legacyExpression(builder, word)),
      minIndexVersion: minIndexVersion(word),
      isRequired: true,
    });
  }
}

/** Adds a phrase or a prefix. The words of a phrase are also added as plain words. */
function addPhraseOrPrefix(builder: PlanBuilder, term: Term): void {
  const isPhrase = term.kind === "phrase";
  const text = foldedText(term);
  if (text === "") return;
  addClause(builder, {
    text,
    labels: [termText({ ...term, text })],
    expression: literalExpression(builder.prefix, term),
    isPhrase: isPhrase && !term.title,
    isRequired: term.title || (isPhrase && builder.requiresPhrases),
  });
  if (!isPhrase) return;
  const spoken = wordTexts(term.text);
  const isAllIgnored = spoken.every((word) => builder.ignoredWords.has(word));
  const ignoredWords = new Set(isAllIgnored ? [] : ignoredFunctionWords(spoken));
  addPlainText({ ...builder, ignoredWords, corrections: new Map(), factsOf: () => [] }, term.text, undefined);
}

const wordTexts = (text: string) => splitWords(text).map((word) => word.text);

const foldedText = ({ text }: Pick<Term, "text">) => wordTexts(text).join(" ");

function addAlternatives(builder: PlanBuilder, terms: Alternatives): void {
  const names = [...new Set(terms.map((term) => termText({ ...term, text: foldedText(term) })))];
  const expressionOf = (term: Term, ofWord: (word: QueryWord) => string) => {
    const found = parseQueryWords(term.text);
    const [word] = found;
    if (term.kind !== "text" || found.length !== 1 || word === undefined)
      return literalExpression(builder.prefix, term);
    return term.title ? inTitle(ofWord(word)) : ofWord(word);
  };
  addClause(builder, {
    text: names.join(" OR "),
    labels: names,
    isAlternative: true,
    facts: terms.flatMap(({ kind, text }) => (kind === "text" ? builder.factsOf(foldedText({ text })) : [])),
    expression: anyOf(terms.map((term) => expressionOf(term, (word) => wordExpression(builder, word, term)))),
    legacyExpression: anyOf(
      terms.map((term) => expressionOf(term, (word) => legacyExpression(builder, word))),
    ),
  });
}

/** Adds a term as plain words because the query has too many operators. */
function addAsPlainText(builder: PlanBuilder, term: Term): void {
  builder.simplified.push(termText(term));
  addPlainText(builder, term.text, undefined);
}

/** Adds plain words, each as its own clause. Returns the number of the last one, to pair it with the next word. */
function addPlainText(builder: PlanBuilder, text: string, before: number | undefined): number | undefined {
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
function canAddPrefixes({ prefixTerms }: PlanBuilder, terms: Alternatives): boolean {
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

const canCountByMatching = ({ clauses }: PlanBuilder) =>
  clauses.filter(({ counting }) => counting === undefined).length < MAX_COUNTED_BY_MATCHING;

type NewClause = Pick<Clause, "text" | "expression"> & Partial<Clause>;

function addClause(builder: PlanBuilder, clause: NewClause): number {
  const number = builder.clauses.length;
  builder.clauseNumbers.set(clause.expression, number);
  builder.clauses.push({
    labels: [clause.text],
    isAlternative: false,
    weight: 1,
    isPhrase: false,
    isRequired: false,
    isCorrectable: false,
    minIndexVersion: FORMS_VERSION,
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
function addLiteralBoost(builder: PlanBuilder): void {
  const word = builder.clauseWords.get(0);
  if (word === undefined || builder.factsOf(word.text).length === 0) return;
  const expression = wordExpression({ ...builder, factsOf: () => [] }, word, word);
  builder.boosts.push({ kind: "literal", clauses: [0], expression });
}
