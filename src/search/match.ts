import { ownerPrefix } from "../engine/analyse.ts";
import { isContracted } from "../text-index/identifiers.ts";
import { english, type Language } from "../text-index/language.ts";
import { type Word, words } from "../contract/text/words.ts";
import { dateBonus } from "./date-bonus.ts";
import { type Dated, datesIn, isMay } from "../contract/query/dates.ts";
import { anyOf, inTitle, literally, quote } from "./expression.ts";
import { type FactsOfWord, factWords } from "./fact-words.ts";
import { asksForPast } from "./past-forms.ts";
import type { Bonus, Corrections, Plan, Reading, Unit } from "../engine/plan.ts";
import { type Alternatives, nameOf, type Query, type Term } from "../contract/query/query.ts";
import { functionWords, SENTENCE } from "./stop-words.ts";
import {
  characterLookups,
  eachMeant,
  isVague,
  lookups,
  type Meant,
  meantWords,
  nameExpression,
  nearExpression,
  olderExpression,
  ownLookup,
  type Place,
  wholesIn,
  wordExpression,
} from "../engine/terms.ts";

/**
 * How many units are counted by matching them, which reads a row for each record. Beyond that, phrases, beginnings and
 * title words are read as plain words, and a word of a script without spaces counts as frequent as its rarest character.
 */
const MAX_MATCHED = 32;
/**
 * How many beginnings of words are looked up: each means merging all words of the index that begin so. Those of one or two
 * letters are so many words that there can be only one of them, and no other.
 */
const MAX_BEGINNINGS = 4;
const SHORT_BEGINNING = 2;
/**
 * How many pairs of neighbours are looked for close together: more than a question of 500 characters has. Among 41 texts of
 * 1 MB they take most of the time of a search.
 */
const MAX_NEAR = 48;
/** In a longer query an unknown word is more likely a new word than a typo, and the others find the record anyway. */
export const SURE_WORDS = 3;

type Draft = {
  readonly prefix: string;
  readonly language: Language;
  /** whether its verbs stand for their past forms */
  readonly past: boolean;
  /** the facts of records that its words stand for; none if only documents are searched */
  readonly factsOf: FactsOfWord;
  /** function words to ignore */
  readonly dropped: ReadonlySet<string>;
  readonly corrections: Corrections;
  /** the weight of a corrected word */
  readonly correctedWeight: number;
  /** whether phrases are required */
  readonly strict: boolean;
  readonly units: Unit[];
  readonly bonuses: Bonus[];
  /** the number of each unit by its expression, and the word of each that can have neighbours */
  readonly numbers: Map<string, number>;
  readonly simplified: string[];
  /** the units that are counted by matching them */
  readonly matched: Set<number>;
  /** the beginnings of words that are looked up */
  readonly beginnings: Term[];
  readonly words: Map<number, Meant>;
};

/** Turns a query into terms of one owner's index. */
export function planMatch(owner: number, query: Query, reading: Reading = {}): Plan {
  const plain = plainWords(query);
  const texts = plain.map((word) => word.text);
  const dates = datesOf(query, reading);
  const factsOf = reading.records ? factWords(dates) : () => [];
  const dropped = functionWords(texts, (word) => factsOf(word).length > 0);
  if (plain.some((_, place) => isMay(plain, place))) dropped.delete("may");
  const draft: Draft = {
    prefix: ownerPrefix(owner),
    language: english(query.wanted.flat().flatMap(({ text }) => words(text).map((word) => word.text))),
    past: asksForPast(texts),
    factsOf,
    dropped,
    corrections: reading.corrections ?? new Map(),
    correctedWeight: Math.min(1, SURE_WORDS / texts.filter((word) => !dropped.has(word)).length),
    // In a sentence a phrase is a quotation from somewhere; alone or with a few words it is what is looked for.
    strict: !reading.relaxed && texts.length < SENTENCE,
    units: [],
    bonuses: [],
    numbers: new Map(),
    simplified: [],
    matched: new Set(),
    beginnings: [],
    words: new Map(),
  };
  let before: number | undefined;
  for (const terms of query.wanted) before = addWanted(draft, terms, before);
  if (draft.units.length === 1) addSaid(draft);
  draft.bonuses.push(...dates.map((date) => dateBonus(draft.prefix, date, reading.records)));
  const unwanted = query.unwanted.map((term) => literally(draft.prefix, term));
  return {
    units: draft.units,
    bonuses: draft.bonuses,
    dropped,
    simplified: draft.simplified,
    unwanted: unwanted.length === 0 ? undefined : unwanted.map((one) => `(${one})`).join(" OR "),
  };
}

/**
 * If the only word also names what a record is, more of the texts that say it: whoever asks for `decision` alone is more
 * likely to mean a text of this name than any of a hundred decisions.
 */
function addSaid(draft: Draft): void {
  const word = draft.words.get(0);
  if (word === undefined || draft.factsOf(word.text).length === 0) return;
  const expression = wordExpression({ ...draft, factsOf: () => [] }, word, word);
  draft.bonuses.push({ kind: "said", units: [0], expression });
}

const MAX_DATES = 4;

/**
 * The dates in a query's plain text, which the app's `May OR May*` continues. Without records, those that texts can have.
 */
function datesOf({ wanted }: Query, { today, records }: Reading): Dated[] {
  const text = wanted.map((terms) => (isPlain(terms.slice(0, 1)) ? terms[0]?.text : ";")).join(" ");
  const dates = datesIn(text, today).filter(({ spellings }) => records || spellings.length > 0);
  return dates.slice(0, MAX_DATES);
}

/** The words of a query's plain text, without the endings of contractions. */
const plainWords = ({ wanted }: Query) =>
  wanted.filter(isPlain).flatMap(([term]) => {
    const text = term?.text ?? "";
    return words(text).filter((word) => !isContracted(text, word));
  });

function isPlain(terms: Alternatives): boolean {
  const [term] = terms;
  return terms.length === 1 && term?.kind === "text" && !term.title;
}

/** Adds one piece of the query; returns the number of its last word, to pair it with the next one. */
function addWanted(draft: Draft, terms: Alternatives, before: number | undefined): number | undefined {
  const [term] = terms;
  if (term === undefined) return before;
  if (isPlain(terms)) return addText(draft, term.text, before);
  if (!canMatch(draft) || !canBegin(draft, terms)) for (const one of terms) addSimplified(draft, one);
  else if (terms.length > 1) addAlternatives(draft, terms);
  else if (term.kind === "text") addTitleWords(draft, term);
  else addOne(draft, term);
  return undefined;
}

/** Adds the words of a term for which there are too many others. */
function addSimplified(draft: Draft, term: Term): void {
  draft.simplified.push(nameOf(term));
  addText(draft, term.text, undefined);
}

/** Adds plain words, each as its own unit; returns the number of the last one, to pair it with the next. */
function addText(draft: Draft, text: string, before: number | undefined): number | undefined {
  const found = words(text);
  const wholes = wholesIn(draft, text, found);
  let last = before;
  for (const [place, typed] of found.entries()) {
    const [meant = typed.text, or] = draft.corrections.get(typed.text) ?? [];
    if (draft.dropped.has(meant) || isContracted(text, typed)) continue;
    const word = { ...typed, text: meant, or };
    const number = addWord(draft, word, { text, whole: wholes.get(place), typed: typed.text });
    if (last !== undefined && last !== number) addNear(draft, last, number);
    last = number;
  }
  return last;
}

/** Adds a word as its own unit, or counts a repetition; returns its number. */
function addWord(draft: Draft, word: Meant, place: Place & { typed: string }): number {
  const expression = wordExpression(draft, word, place);
  const corrected = place.typed === word.text ? undefined : place.typed;
  const weight = corrected === undefined ? 1 : draft.correctedWeight;
  const known = draft.numbers.get(expression);
  const unit = draft.units[known ?? -1];
  if (known !== undefined && unit !== undefined) {
    const names = [...new Set([...unit.names, ...meantWords(word)])];
    const typed = corrected && unit.typed;
    draft.units[known] = { ...unit, weight: unit.weight + weight, names, typed };
    return known;
  }
  const number = addUnit(draft, {
    text: word.text,
    names: meantWords(word),
    either: word.or !== undefined,
    weight,
    typed: corrected,
    meant: eachMeant(draft, word),
    expression,
    besides: nameExpression(draft, word, place),
    facts: meantWords(word).flatMap(draft.factsOf),
    older: olderExpression(draft, word),
    correctable: !word.unspaced,
    ...countingOf(draft, word, place),
  });
  draft.words.set(number, word);
  for (const text of meantWords(word)) {
    if (!isVague(draft, { ...word, text })) continue;
    const term = draft.prefix + text;
    draft.bonuses.push({ kind: "exact", units: [number], expression: quote(term), term });
  }
  return number;
}

/** How to count the records of a word. */
function countingOf(draft: Draft, word: Meant, { whole }: Place): Pick<Unit, "counting" | "terms"> {
  // A record with a fact may have the word as well, so that their counts do not add up.
  const isVaguelyCounted =
    word.unspaced || whole !== undefined || meantWords(word).some((one) => draft.factsOf(one).length > 0);
  const isMatched = canMatch(draft) && isVaguelyCounted;
  if (!word.unspaced) return { counting: isMatched ? undefined : "any", terms: lookups(draft, word) };
  const terms = [ownLookup(draft, word.text)];
  return isMatched
    ? { counting: undefined, terms }
    : { counting: "all", terms: [...characterLookups(draft, word.text), ...terms] };
}

/** Whether the beginnings of words among the terms may be looked up; counts them if so. */
function canBegin({ beginnings }: Draft, terms: Alternatives): boolean {
  const all = [...beginnings, ...terms.filter(({ kind }) => kind === "prefix")];
  const isFew = all.length <= (all.some(isShort) ? 1 : MAX_BEGINNINGS);
  if (isFew) beginnings.splice(0, beginnings.length, ...all);
  return isFew;
}

/** Whether a beginning is that of very many words. A character of a script without spaces is not. */
function isShort({ text }: Term): boolean {
  const [word] = words(text);
  return word !== undefined && !word.unspaced && [...word.text].length <= SHORT_BEGINNING;
}

const canMatch = ({ matched }: Draft) => matched.size < MAX_MATCHED;

type NewUnit = Pick<Unit, "text" | "expression"> & Partial<Unit>;

function addUnit(draft: Draft, unit: NewUnit): number {
  const number = draft.units.length;
  draft.numbers.set(unit.expression, number);
  if (unit.counting === undefined) draft.matched.add(number);
  draft.units.push({
    names: [unit.text],
    either: false,
    weight: 1,
    phrase: false,
    required: false,
    correctable: false,
    terms: [],
    ...unit,
  });
  return number;
}

/** `title:word`: each word must be in the title. */
function addTitleWords(draft: Draft, { text }: Term): void {
  for (const word of words(text)) {
    if (!canMatch(draft)) {
      addSimplified(draft, { kind: "text", text: word.text, title: true });
      continue;
    }
    const expression = inTitle(wordExpression(draft, word, { text }));
    const older = inTitle(olderExpression(draft, word));
    addUnit(draft, { text: word.text, names: [`title:${word.text}`], expression, older, required: true });
  }
}

/** A phrase or the beginning of a word. The words of a phrase are also scored as words of the text. */
function addOne(draft: Draft, term: Term): void {
  const phrase = term.kind === "phrase";
  const text = folded(term);
  if (text === "") return;
  addUnit(draft, {
    text,
    names: [nameOf({ ...term, text })],
    expression: literally(draft.prefix, term),
    phrase: phrase && !term.title,
    required: term.title || (phrase && draft.strict),
  });
  if (!phrase) return;
  const spoken = words(term.text).map((word) => word.text);
  const dropped = new Set(spoken.every((word) => draft.dropped.has(word)) ? [] : functionWords(spoken));
  addText({ ...draft, dropped, corrections: new Map(), factsOf: () => [] }, term.text, undefined);
}

const folded = ({ text }: Pick<Term, "text">) =>
  words(text)
    .map((word) => word.text)
    .join(" ");

/** `a OR b`: one unit that matches if any alternative does. */
function addAlternatives(draft: Draft, terms: Alternatives): void {
  const names = [...new Set(terms.map((term) => nameOf({ ...term, text: folded(term) })))];
  const expressionOf = (term: Term, ofWord: (word: Word) => string) => {
    const found = words(term.text);
    const [word] = found;
    if (term.kind !== "text" || found.length !== 1 || word === undefined)
      return literally(draft.prefix, term);
    return term.title ? inTitle(ofWord(word)) : ofWord(word);
  };
  addUnit(draft, {
    text: names.join(" OR "),
    names,
    either: true,
    facts: terms.flatMap(({ kind, text }) => (kind === "text" ? draft.factsOf(folded({ text })) : [])),
    expression: anyOf(terms.map((term) => expressionOf(term, (word) => wordExpression(draft, word, term)))),
    older: anyOf(terms.map((term) => expressionOf(term, (word) => olderExpression(draft, word)))),
  });
}

/** Two adjacent words of the query close together, as stems or as typed. */
function addNear(draft: Draft, first: number, second: number): void {
  const [a, b] = [draft.words.get(first), draft.words.get(second)];
  if (a === undefined || b === undefined) return;
  const pairs = draft.bonuses.filter(({ kind }) => kind === "near");
  if (pairs.length >= MAX_NEAR) return;
  if (pairs.some(({ units }) => units[0] === first && units[1] === second)) return;
  draft.bonuses.push({ kind: "near", units: [first, second], expression: nearExpression(draft, a, b) });
}
