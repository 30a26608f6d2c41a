import { ownerPrefix } from "../text-index/analyse.ts";
import { isContracted } from "../text-index/identifiers.ts";
import { english, type Language } from "../text-index/language.ts";
import { type Word, words } from "../text-index/words.ts";
import { anyOf, inTitle, literally, quote } from "./expression.ts";
import { type Alternatives, nameOf, type Query, type Term } from "./query.ts";
import { functionWords, SENTENCE } from "./stop-words.ts";
import {
  isVague,
  type Lookup,
  lookups,
  nearExpression,
  olderExpression,
  type Place,
  wholesIn,
  wordExpression,
} from "./word-terms.ts";

/** One thing that a result should contain. */
export type Unit = {
  /** normalized (folded), for corrections */
  readonly text: string;
  /** as shown in the answer (`pre*`, `title:word`) */
  readonly names: readonly string[];
  /** any one of `names` is enough (`a OR b`) */
  readonly either: boolean;
  /** how often it occurs in the query; less for a correction in a long query */
  readonly weight: number;
  /** the word as typed, if only a correction of it is searched for */
  readonly typed?: string | undefined;
  readonly phrase: boolean;
  /** every result must contain it */
  readonly required: boolean;
  /** a single plain word, which may contain a typo */
  readonly correctable: boolean;
  /** an FTS5 expression; a record that matches it contains the unit */
  readonly expression: string;
  /** the additional expression for entries of an older version of the analysis */
  readonly older?: string;
  /** whether its terms tell how many records contain it; otherwise the expression must be matched to count them */
  readonly countable: boolean;
  readonly terms: readonly Lookup[];
};

/**
 * What makes a record that contains units score higher: adjacent words of the query close together, or a word exactly as
 * typed where the unit matches others too (those with the same beginning, or that contain its characters).
 */
export type Bonus = {
  readonly kind: "near" | "exact";
  readonly units: readonly number[];
  readonly expression: string;
};

/** What to look for. */
export type Plan = {
  readonly units: readonly Unit[];
  readonly bonuses: readonly Bonus[];
  /** excludes the records that match this */
  readonly unwanted: string | undefined;
};

/** How to read a query. */
export type Reading = {
  /** maps words (folded) to their replacements */
  readonly corrections?: ReadonlyMap<string, string>;
  /** no phrase is required, because with them nothing was found */
  readonly relaxed?: boolean;
};

const MAX_UNWANTED = 16;
/** In a longer query an unknown word is more likely a new word than a typo, and the others find the record anyway. */
export const SURE_WORDS = 3;

type Draft = {
  readonly prefix: string;
  readonly language: Language;
  /** function words to ignore */
  readonly dropped: ReadonlySet<string>;
  readonly corrections: ReadonlyMap<string, string>;
  /** the weight of a corrected word */
  readonly correctedWeight: number;
  /** whether phrases are required */
  readonly strict: boolean;
  readonly units: Unit[];
  readonly bonuses: Bonus[];
  /** the number of each unit by its expression, and the word of each that can have neighbours */
  readonly numbers: Map<string, number>;
  readonly words: Map<number, Word>;
};

/** Turns a query into terms of one owner's index. */
export function planMatch(owner: number, query: Query, reading: Reading = {}): Plan {
  const texts = plainWords(query).map((word) => word.text);
  const dropped = functionWords(texts);
  const draft: Draft = {
    prefix: ownerPrefix(owner),
    language: english(query.wanted.flat().flatMap(({ text }) => words(text).map((word) => word.text))),
    dropped,
    corrections: reading.corrections ?? new Map(),
    correctedWeight: Math.min(1, SURE_WORDS / texts.filter((word) => !dropped.has(word)).length),
    // In a sentence a phrase is a quotation from somewhere; alone or with a few words it is what is looked for.
    strict: !reading.relaxed && texts.length < SENTENCE,
    units: [],
    bonuses: [],
    numbers: new Map(),
    words: new Map(),
  };
  let before: number | undefined;
  for (const terms of query.wanted) before = addWanted(draft, terms, before);
  const unwanted = query.unwanted.slice(0, MAX_UNWANTED).map((term) => literally(draft.prefix, term));
  return {
    units: draft.units,
    bonuses: draft.bonuses,
    unwanted: unwanted.length === 0 ? undefined : unwanted.map((one) => `(${one})`).join(" OR "),
  };
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
  if (terms.length > 1) addAlternatives(draft, terms);
  else if (term.kind === "text") addTitleWords(draft, term);
  else addOne(draft, term);
  return undefined;
}

/** Adds plain words, each as its own unit; returns the number of the last one, to pair it with the next. */
function addText(draft: Draft, text: string, before: number | undefined): number | undefined {
  const found = words(text);
  const wholes = wholesIn(draft, text, found);
  let last = before;
  for (const [place, typed] of found.entries()) {
    const meant = draft.corrections.get(typed.text) ?? typed.text;
    if (draft.dropped.has(meant) || isContracted(text, typed)) continue;
    const word = { ...typed, text: meant };
    const number = addWord(draft, word, { text, whole: wholes.get(place), typed: typed.text });
    if (last !== undefined && last !== number) addNear(draft, last, number);
    last = number;
  }
  return last;
}

/** Adds a word as its own unit, or counts a repetition; returns its number. */
function addWord(draft: Draft, word: Word, place: Place & { typed: string }): number {
  const expression = wordExpression(draft, word, place);
  const corrected = place.typed === word.text ? undefined : place.typed;
  const weight = corrected === undefined ? 1 : draft.correctedWeight;
  const known = draft.numbers.get(expression);
  const unit = draft.units[known ?? -1];
  if (known !== undefined && unit !== undefined) {
    const names = [...new Set([...unit.names, word.text])];
    const typed = corrected && unit.typed;
    draft.units[known] = { ...unit, weight: unit.weight + weight, names, typed };
    return known;
  }
  const number = addUnit(draft, {
    text: word.text,
    weight,
    typed: corrected,
    expression,
    older: olderExpression(draft, word),
    correctable: !word.unspaced,
    countable: !word.unspaced && place.whole === undefined,
    terms: lookups(draft, word.text),
  });
  draft.words.set(number, word);
  if (isVague(draft, word)) {
    draft.bonuses.push({ kind: "exact", units: [number], expression: quote(draft.prefix + word.text) });
  }
  return number;
}

type NewUnit = Pick<Unit, "text" | "expression"> & Partial<Unit>;

function addUnit(draft: Draft, unit: NewUnit): number {
  const number = draft.units.length;
  draft.numbers.set(unit.expression, number);
  draft.units.push({
    names: [unit.text],
    either: false,
    weight: 1,
    phrase: false,
    required: false,
    correctable: false,
    countable: false,
    terms: [],
    ...unit,
  });
  return number;
}

/** `title:word`: each word must be in the title. */
function addTitleWords(draft: Draft, { text }: Term): void {
  for (const word of words(text)) {
    const expression = inTitle(wordExpression(draft, word, { text }));
    const older = inTitle(olderExpression(draft, word));
    addUnit(draft, { text: word.text, names: [`title:${word.text}`], expression, older, required: true });
  }
}

/** A phrase or the beginning of a word. The words of a phrase are also scored as words. */
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
  addText({ ...draft, dropped, corrections: new Map() }, term.text, undefined);
}

const folded = ({ text }: Term) =>
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
    expression: anyOf(terms.map((term) => expressionOf(term, (word) => wordExpression(draft, word, term)))),
    older: anyOf(terms.map((term) => expressionOf(term, (word) => olderExpression(draft, word)))),
  });
}

/** Two adjacent words of the query close together, as stems or as typed. */
function addNear(draft: Draft, first: number, second: number): void {
  const [a, b] = [draft.words.get(first), draft.words.get(second)];
  if (a === undefined || b === undefined) return;
  const isKnown = draft.bonuses.some(
    ({ kind, units }) => kind === "near" && units[0] === first && units[1] === second,
  );
  if (isKnown) return;
  draft.bonuses.push({ kind: "near", units: [first, second], expression: nearExpression(draft, a, b) });
}
