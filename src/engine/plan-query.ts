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
import { SHORT_QUERY_WORDS } from "./correct.ts";
import { asksForPast, detectEnglish, ignoredFunctionWords, MIN_SENTENCE_WORDS } from "./english.ts";
import { isContractionEnding, ownerPrefix } from "./forms.ts";
import type { PlanOptions, QueryPlan } from "./plan.ts";
import {
  addAsPlainText,
  addClause,
  addLiteralBoost,
  addPlainText,
  canAddPrefixes,
  canCountByMatching,
  type PlanBuilder,
} from "./plan-builder.ts";
import {
  anyOf,
  createFactLookup,
  dateBoost,
  inTitle,
  legacyExpression,
  literalExpression,
  minIndexVersion,
  parseQueryWords,
  type QueryWord,
  wordExpression,
} from "./terms.ts";

/** Plans a query against one owner's index. */
export function planQuery(owner: number, query: Query, options: PlanOptions = {}): QueryPlan {
  const plain = plainWords(query);
  const texts = plain.map((word) => word.text);
  const dates = queryDates(query, options);
  const factsOf = createFactLookup(dates, options.vocabulary);
  const dropped = ignoredFunctionWords(texts, (word) => factsOf(word).length > 0);
  if (plain.some((_, index) => isMonthOfMay(plain, index))) dropped.delete("may");
  const builder: PlanBuilder = {
    prefix: ownerPrefix(owner),
    isEnglish: detectEnglish(
      query.wanted.flat().flatMap(({ text }) => splitWords(text).map((word) => word.text)),
    ),
    includesPast: asksForPast(texts),
    factsOf,
    ignoredWords: dropped,
    corrections: options.corrections ?? new Map(),
    correctedWeight: Math.min(1, SHORT_QUERY_WORDS / texts.filter((word) => !dropped.has(word)).length),
    isShortQuery: texts.length < MIN_SENTENCE_WORDS,
    // In a sentence a phrase is probably a quotation; alone or with a few words it is the search itself.
    requiresPhrases: !options.relaxed && texts.length < MIN_SENTENCE_WORDS,
    clauses: [],
    boosts: [],
    clauseNumbers: new Map(),
    simplified: [],
    countedByMatching: new Set(),
    prefixTerms: [],
    clauseWords: new Map(),
  };
  let before: number | undefined;
  for (const terms of joinPlainTerms(query.wanted)) before = addTerms(builder, terms, before);
  if (builder.clauses.length === 1) addLiteralBoost(builder);
  builder.boosts.push(...dates.map((date) => dateBoost(builder.prefix, date, options.vocabulary)));
  const unwanted = query.unwanted.map((term) => literalExpression(builder.prefix, term));
  return {
    clauses: builder.clauses,
    boosts: builder.boosts,
    ignoredWords: dropped,
    simplified: builder.simplified,
    excluded: unwanted.length === 0 ? undefined : unwanted.map((one) => `(${one})`).join(" OR "),
  };
}

const MAX_DATES = 4;

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
    const expression = inTitle(wordExpression(builder, word, { text }));
    addClause(builder, {
      text: word.text,
      labels: [`title:${word.text}`],
      expression,
      legacyExpression: inTitle(legacyExpression(builder, word)),
      minIndexVersion: minIndexVersion(word),
      isRequired: true,
    });
  }
}

/** Adds a phrase or a prefix. The words of a phrase are also added as plain words. */
function addPhraseOrPrefix(builder: PlanBuilder, term: Term): void {
  const phrase = term.kind === "phrase";
  const text = foldedText(term);
  if (text === "") return;
  addClause(builder, {
    text,
    labels: [termText({ ...term, text })],
    expression: literalExpression(builder.prefix, term),
    isPhrase: phrase && !term.title,
    isRequired: term.title || (phrase && builder.requiresPhrases),
  });
  if (!phrase) return;
  const spoken = splitWords(term.text).map((word) => word.text);
  const dropped = new Set(
    spoken.every((word) => builder.ignoredWords.has(word)) ? [] : ignoredFunctionWords(spoken),
  );
  addPlainText(
    { ...builder, ignoredWords: dropped, corrections: new Map(), factsOf: () => [] },
    term.text,
    undefined,
  );
}

const foldedText = ({ text }: Pick<Term, "text">) =>
  splitWords(text)
    .map((word) => word.text)
    .join(" ");

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
