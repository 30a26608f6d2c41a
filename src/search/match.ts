import { ownerPrefix } from "../text-index/analyse.ts";
import { BEGINNING, beginning, CHARACTER, STEM, stem } from "../text-index/forms.ts";
import { compounds, humps } from "../text-index/identifiers.ts";
import { type Word, words } from "../text-index/words.ts";
import { type Alternatives, nameOf, type Query, type Term } from "./query.ts";
import { functionWords } from "./stop-words.ts";

/** How a term of the index matches a word of the query: its position in the counts that `rank.ts` packs. */
const Form = { exact: 0, stem: 1, beginning: 2 } as const;
type FormClass = (typeof Form)[keyof typeof Form];

/** A term of the index to look up: how it matches its unit, the term, 1 = only in the title. */
type Lookup = readonly [form: FormClass, term: string, title: 0 | 1];

/** One thing that a result should contain. */
export type Unit = {
  /** normalized (folded), for pairs and for corrections */
  readonly text: string;
  /** as shown in the answer (`pre*`, `title:word`); several when any one is enough */
  readonly names: readonly string[];
  /** how often it occurs in the query, 1 to 3; a little more for a long word, less for a correction in a long query */
  weight: number;
  /** every result must contain it (phrases, `title:`) */
  readonly required: boolean;
  /** a single plain word, which may contain a typo */
  readonly correctable: boolean;
  readonly terms: readonly Lookup[];
  /** FTS5 expressions; a record that matches one contains the unit */
  readonly expressions: readonly string[];
};

/** What to look for. Its terms are built here, and user input reaches MATCH in no other way. */
export type Plan = {
  readonly units: readonly Unit[];
  /** adjacent words of the query; they score higher when close together in a record */
  readonly pairs: readonly (readonly [first: number, second: number, expression: string])[];
  /** excludes the records that match this */
  readonly unwanted: string | undefined;
};

/** How many distinct words of a query are looked up; further ones are ignored. */
const MAX_UNITS = 24;
/** SQLite refuses expressions that are deeper than 100. */
const MAX_PAIRS = 24;
const MAX_WEIGHT = 3;
/** Words of at least this many letters count a little more. */
const LONG_WORD = 8;
const LONG_WEIGHT = 1.1;
const MAX_UNWANTED = 16;
/** In a longer query an unknown word is more likely a new word than a typo, and the others find the record anyway. */
export const SURE_WORDS = 3;

type DraftUnit = Unit & { readonly terms: Lookup[]; readonly expressions: string[] };

type Draft = {
  readonly prefix: string;
  /** function words to ignore */
  readonly dropped: ReadonlySet<string>;
  readonly corrections: ReadonlyMap<string, string>;
  /** the weight of a corrected word */
  readonly correctedWeight: number;
  readonly units: DraftUnit[];
  readonly pairs: (readonly [number, number, string])[];
  readonly numbers: Map<string, number>;
};

/** Turns a query into terms of one owner's index. `corrections` maps words (folded) to their replacements. */
export function planMatch(
  owner: number,
  query: Query,
  corrections: ReadonlyMap<string, string> = new Map(),
): Plan {
  const texts = query.wanted.filter((terms) => isPlain(terms)).flatMap(([term]) => words(term?.text ?? ""));
  const dropped = functionWords(texts.map((word) => word.text));
  const draft: Draft = {
    prefix: ownerPrefix(owner),
    dropped,
    corrections,
    correctedWeight: Math.min(1, SURE_WORDS / texts.filter((word) => !dropped.has(word.text)).length),
    units: [],
    pairs: [],
    numbers: new Map(),
  };
  let before: number | undefined;
  for (const terms of query.wanted) before = addWanted(draft, terms, before);
  const unwanted = query.unwanted.slice(0, MAX_UNWANTED).map((term) => expression(draft.prefix, term));
  return {
    units: draft.units,
    pairs: draft.pairs,
    unwanted: unwanted.length === 0 ? undefined : unwanted.map((one) => `(${one})`).join(" OR "),
  };
}

/** Adds one piece of the query; returns the number of its last word, to pair it with the next one. */
function addWanted(draft: Draft, terms: Alternatives, before: number | undefined): number | undefined {
  const [term] = terms;
  if (term === undefined) return before;
  if (isPlain(terms)) return addText(draft, term, before);
  if (terms.length > 1) addAlternatives(draft, terms);
  else if (term.kind === "text") addTitleWords(draft, term);
  else addOne(draft, term);
  return undefined;
}

function isPlain(terms: Alternatives): boolean {
  const [term] = terms;
  return terms.length === 1 && term?.kind === "text" && !term.title;
}

/** Adds plain words, each as its own unit; returns the number of the last one, to pair it with the next. */
function addText(draft: Draft, term: Term, before: number | undefined): number | undefined {
  const found = words(term.text);
  const wholes = wholeOf(term.text, found);
  let last = before;
  for (const [place, typed] of found.entries()) {
    const word = { ...typed, text: draft.corrections.get(typed.text) ?? typed.text };
    if (draft.dropped.has(word.text)) continue;
    const corrected = word.text !== typed.text;
    const number = addWord(draft, word, { text: term.text, whole: wholes.get(place), corrected });
    if (number === undefined) return last;
    if (last !== undefined && last !== number) addPair(draft, last, number);
    last = number;
  }
  return last;
}

/** Adds a word as its own unit, or counts a repetition; returns its number, or undefined when there are too many. */
function addWord(draft: Draft, word: Word, place: Place & { corrected: boolean }): number | undefined {
  const known = draft.numbers.get(word.text);
  const number = known ?? newUnit(draft, { text: word.text, correctable: !word.unspaced });
  const unit = draft.units[number ?? -1];
  if (number === undefined || unit === undefined) return undefined;
  if (known !== undefined) repeat(unit);
  else {
    addForms(draft, number, word, place);
    unit.weight = place.corrected ? draft.correctedWeight : weightOf(word);
  }
  return number;
}

/** Frequent words are short (Zipf 1935): with few texts, a word's length indicates its rarity better than its count. */
function weightOf({ text, unspaced }: Word): number {
  return !unspaced && text.length >= LONG_WORD ? LONG_WEIGHT : 1;
}

/** `title:word`: each word must be in the title. */
function addTitleWords(draft: Draft, term: Term): void {
  for (const word of words(term.text)) {
    const number = newUnit(draft, { text: word.text, required: true, names: [`title:${word.text}`] });
    if (number === undefined) return;
    addForms(draft, number, word, { text: term.text, title: 1 });
  }
}

/** A phrase or the beginning of a word. A phrase is required, and its words are also scored as words. */
function addOne(draft: Draft, term: Term): void {
  const phrase = term.kind === "phrase";
  const text = folded(term);
  const names = [nameOf({ ...term, text })];
  const number = text === "" ? undefined : newUnit(draft, { text, names, required: phrase || term.title });
  if (number === undefined) return;
  draft.units[number]?.expressions.push(expression(draft.prefix, term));
  if (phrase) addText({ ...draft, dropped: new Set(), corrections: new Map() }, term, undefined);
}

const folded = (term: Term) =>
  words(term.text)
    .map((word) => word.text)
    .join(" ");

/** `a OR b`: one unit that matches if any alternative does. */
function addAlternatives(draft: Draft, terms: Alternatives): void {
  const names = [...new Set(terms.map((term) => nameOf({ ...term, text: folded(term) })))];
  const number = newUnit(draft, { text: names.join(" OR "), names });
  if (number === undefined) return;
  for (const term of terms) {
    const found = words(term.text);
    const [word] = found;
    if (term.kind === "text" && found.length === 1 && word !== undefined) {
      addForms(draft, number, word, { text: term.text, title: term.title ? 1 : 0 });
    } else draft.units[number]?.expressions.push(expression(draft.prefix, term));
  }
}

type NewUnit = Pick<Unit, "text"> & Partial<Pick<Unit, "names" | "required" | "correctable">>;

function newUnit(
  draft: Draft,
  { text, names = [text], required = false, correctable = false }: NewUnit,
): number | undefined {
  const number = draft.units.length;
  if (number >= MAX_UNITS) return undefined;
  draft.units.push({ text, names, weight: 1, required, correctable, terms: [], expressions: [] });
  if (!required) draft.numbers.set(text, number);
  return number;
}

function repeat(unit: Unit): void {
  unit.weight = Math.min(MAX_WEIGHT, unit.weight + 1);
}

/** The context of a query word: the text that it came from, its compound, and whether it must be in the title. */
type Place = { readonly text: string; readonly whole?: string | undefined; readonly title?: 0 | 1 };

/**
 * All terms that match one word. The query's language is irrelevant: the index already reflects the texts' languages.
 */
function addForms(draft: Draft, unit: number, word: Word, place: Place): void {
  const { text, whole, title = 0 } = place;
  const { prefix } = draft;
  const target = draft.units[unit];
  const add = (form: FormClass, term: string) => target?.terms.push([form, prefix + term, title]);
  add(Form.exact, word.text);
  if (whole !== undefined) add(Form.exact, whole);
  if (word.unspaced) {
    target?.expressions.push(inColumns(characters(prefix, [word]), title === 1));
    return;
  }
  const root = stem(word.text);
  add(Form.stem, STEM + root);
  if (root !== word.text) add(Form.stem, root);
  const letters = beginning(word.text);
  if (letters !== undefined) add(Form.beginning, BEGINNING + letters);
  if (letters !== undefined && letters !== word.text) add(Form.beginning, letters);
  const parts = humps(text.slice(word.start, word.end));
  if (parts.length > 0)
    target?.expressions.push(inColumns(sequence(parts.map((part) => prefix + part)), title === 1));
}

/** For each word of a compound, the whole: a record that contains `email` contains both words of `e-mail`. */
function wholeOf(text: string, found: readonly Word[]): Map<number, string> {
  const wholes = new Map<number, string>();
  for (const { whole, from, to } of compounds(text, found)) {
    for (let place = from; place < to; place++) wholes.set(place, whole);
  }
  return wholes;
}

/** Two adjacent words at most one word apart, in either order, as typed or as stems. */
function addPair(draft: Draft, first: number, second: number): void {
  const spellings = (unit: number) => {
    const text = draft.units[unit]?.text ?? "";
    return [...new Set([text, stem(text)])].map((one) => quote(draft.prefix + one));
  };
  const near = spellings(first).flatMap((a) => spellings(second).map((b) => `NEAR(${a} ${b}, 1)`));
  const isKnown = draft.pairs.some(
    ([a, b]) => (a === first && b === second) || (a === second && b === first),
  );
  if (!isKnown && draft.pairs.length < MAX_PAIRS) draft.pairs.push([first, second, near.join(" OR ")]);
}

/** One term as an FTS5 expression. */
function expression(prefix: string, term: Term): string {
  const found = words(term.text);
  const tokens = found.map((word) => prefix + word.text);
  const star = term.kind === "prefix" ? " *" : "";
  const spoken = sequence(tokens) + star;
  if (!found.every((word) => word.unspaced)) return inColumns(spoken, term.title);
  // In these scripts the end of a word is a guess, so match the run of characters that was typed.
  return inColumns(characters(prefix, found), term.title);
}

/** The characters of words written without spaces, matched as a substring of the text. */
function characters(prefix: string, found: readonly Word[]): string {
  return sequence(
    [...found.map((word) => word.text).join("")].map((character) => prefix + CHARACTER + character),
  );
}

function inColumns(match: string, title: boolean): string {
  return title ? `{title} : ${match}` : match;
}

function sequence(tokens: readonly string[]): string {
  return quote(tokens.join(" "));
}

/** Words contain only letters, digits, marks and emoji, so escaping quotation marks is only a safeguard. */
function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
