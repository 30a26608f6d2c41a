import { type Dated, datesIn, isMay } from "../contract/query/dates.ts";
import {
  type Alternatives,
  isPlain,
  joinPlain,
  nameOf,
  type Query,
  type Term,
} from "../contract/query/query.ts";
import { words } from "../contract/text/words.ts";
import { SURE_WORDS } from "./correct.ts";
import { addSaid, addSimplified, addText, addUnit, canBegin, canMatch, type Draft } from "./draft.ts";
import { asksForPast, english, functionWords, SENTENCE } from "./english.ts";
import { isContracted, ownerPrefix } from "./forms.ts";
import type { Plan, Reading } from "./plan.ts";
import {
  anyOf,
  dateBonus,
  factsOfWords,
  inTitle,
  literally,
  type Meant,
  olderExpression,
  readWords,
  sinceOf,
  wordExpression,
} from "./terms.ts";

/** Plans a query against one owner's index. */
export function planMatch(owner: number, query: Query, options: Reading = {}): Plan {
  const plain = plainWords(query);
  const texts = plain.map((word) => word.text);
  const dates = queryDates(query, options);
  const factsOf = factsOfWords(dates, options.meanings);
  const dropped = functionWords(texts, (word) => factsOf(word).length > 0);
  if (plain.some((_, index) => isMay(plain, index))) dropped.delete("may");
  const builder: Draft = {
    prefix: ownerPrefix(owner),
    language: english(query.wanted.flat().flatMap(({ text }) => words(text).map((word) => word.text))),
    past: asksForPast(texts),
    factsOf,
    dropped,
    corrections: options.corrections ?? new Map(),
    correctedWeight: Math.min(1, SURE_WORDS / texts.filter((word) => !dropped.has(word)).length),
    short: texts.length < SENTENCE,
    // In a sentence a phrase is probably a quotation; alone or with a few words it is the search itself.
    strict: !options.relaxed && texts.length < SENTENCE,
    units: [],
    bonuses: [],
    numbers: new Map(),
    simplified: [],
    matched: new Set(),
    beginnings: [],
    words: new Map(),
  };
  let before: number | undefined;
  for (const terms of joinPlain(query.wanted)) before = addTerms(builder, terms, before);
  if (builder.units.length === 1) addSaid(builder);
  builder.bonuses.push(...dates.map((date) => dateBonus(builder.prefix, date, options.meanings)));
  const unwanted = query.unwanted.map((term) => literally(builder.prefix, term));
  return {
    units: builder.units,
    bonuses: builder.bonuses,
    dropped,
    simplified: builder.simplified,
    unwanted: unwanted.length === 0 ? undefined : unwanted.map((one) => `(${one})`).join(" OR "),
  };
}

const MAX_DATES = 4;

/** The dates in a query's plain text; the app's `May OR May*` counts as `May`. Without facts, only dates with spellings. */
function queryDates({ wanted }: Query, { today, meanings: vocabulary }: Reading): Dated[] {
  const text = wanted.map((terms) => (isPlain(terms.slice(0, 1)) ? terms[0]?.text : ";")).join(" ");
  const dates = datesIn(text, today).filter(({ spellings }) => vocabulary || spellings.length > 0);
  return dates.slice(0, MAX_DATES);
}

const plainWords = ({ wanted }: Query) =>
  wanted.filter(isPlain).flatMap(([term]) => {
    const text = term?.text ?? "";
    return words(text).filter((word) => !isContracted(text, word));
  });

/** Adds one group of the query. Returns the number of its last word, to pair it with the next one. */
function addTerms(builder: Draft, terms: Alternatives, before: number | undefined): number | undefined {
  const [term] = terms;
  if (term === undefined) return before;
  if (isPlain(terms)) return addText(builder, term.text, before);
  if (!canMatch(builder) || !canBegin(builder, terms)) for (const one of terms) addSimplified(builder, one);
  else if (terms.length > 1) addAlternatives(builder, terms);
  else if (term.kind === "text") addTitleWords(builder, term);
  else addPhraseOrPrefix(builder, term);
  return undefined;
}

function addTitleWords(builder: Draft, { text }: Term): void {
  for (const word of readWords(text)) {
    if (!canMatch(builder)) {
      addSimplified(builder, { kind: "text", text: word.text, title: true });
      continue;
    }
    const expression = inTitle(wordExpression(builder, word, { text }));
    addUnit(builder, {
      text: word.text,
      names: [`title:${word.text}`],
      expression,
      older: inTitle(olderExpression(builder, word)),
      since: sinceOf(word),
      required: true,
    });
  }
}

/** Adds a phrase or a prefix. The words of a phrase are also added as plain words. */
function addPhraseOrPrefix(builder: Draft, term: Term): void {
  const phrase = term.kind === "phrase";
  const text = foldedText(term);
  if (text === "") return;
  addUnit(builder, {
    text,
    names: [nameOf({ ...term, text })],
    expression: literally(builder.prefix, term),
    phrase: phrase && !term.title,
    required: term.title || (phrase && builder.strict),
  });
  if (!phrase) return;
  const spoken = words(term.text).map((word) => word.text);
  const dropped = new Set(spoken.every((word) => builder.dropped.has(word)) ? [] : functionWords(spoken));
  addText({ ...builder, dropped, corrections: new Map(), factsOf: () => [] }, term.text, undefined);
}

const foldedText = ({ text }: Pick<Term, "text">) =>
  words(text)
    .map((word) => word.text)
    .join(" ");

function addAlternatives(builder: Draft, terms: Alternatives): void {
  const names = [...new Set(terms.map((term) => nameOf({ ...term, text: foldedText(term) })))];
  const expressionOf = (term: Term, ofWord: (word: Meant) => string) => {
    const found = readWords(term.text);
    const [word] = found;
    if (term.kind !== "text" || found.length !== 1 || word === undefined)
      return literally(builder.prefix, term);
    return term.title ? inTitle(ofWord(word)) : ofWord(word);
  };
  addUnit(builder, {
    text: names.join(" OR "),
    names,
    either: true,
    facts: terms.flatMap(({ kind, text }) => (kind === "text" ? builder.factsOf(foldedText({ text })) : [])),
    expression: anyOf(terms.map((term) => expressionOf(term, (word) => wordExpression(builder, word, term)))),
    older: anyOf(terms.map((term) => expressionOf(term, (word) => olderExpression(builder, word)))),
  });
}
