import { type Alternatives, nameOf, type Term } from "../contract/query/query.ts";
import { words } from "../contract/text/words.ts";
import type { Language } from "./english.ts";
import { isContracted } from "./forms.ts";
import type { Bonus, Corrections, Unit } from "./plan.ts";
import { endingToFind } from "./spellings.ts";
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
  quote,
  readWords,
  sinceOf,
  wholesIn,
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

export type Draft = {
  readonly prefix: string;
  readonly language: Language;
  /** verbs also match their past forms */
  readonly past: boolean;
  /** the facts of records that a word stands for; none if only documents are searched */
  readonly factsOf: (word: string) => readonly string[];
  /** function words to ignore */
  readonly dropped: ReadonlySet<string>;
  readonly corrections: Corrections;
  readonly correctedWeight: number;
  /** the query is shorter than a sentence */
  readonly short: boolean;
  /** phrases are required */
  readonly strict: boolean;
  readonly units: Unit[];
  readonly bonuses: Bonus[];
  /** number of each clause by its expression */
  readonly numbers: Map<string, number>;
  readonly simplified: string[];
  /** clauses whose document frequency is counted by matching */
  readonly matched: Set<number>;
  readonly beginnings: Term[];
  /** word of each plain clause, by the clause's number */
  readonly words: Map<number, Meant>;
};

/** Adds a term as plain words because the query has too many operators. */
export function addSimplified(draft: Draft, term: Term): void {
  draft.simplified.push(nameOf(term));
  addText(draft, term.text, undefined);
}

/** Adds plain words, each as its own clause. Returns the number of the last one, to pair it with the next word. */
export function addText(draft: Draft, text: string, before: number | undefined): number | undefined {
  const found = readWords(text);
  const wholes = wholesIn(draft, text, found);
  let last = before;
  for (const [place, typed] of found.entries()) {
    const [meant = typed.text, or] = draft.corrections.get(typed.text) ?? [];
    if (draft.dropped.has(meant) || isContracted(text, typed)) continue;
    const word = meant === typed.text ? typed : { ...typed, text: meant, or, also: undefined };
    const number = addWord(draft, word, { text, whole: wholes.get(place), typed: typed.text });
    if (last !== undefined && last !== number) addNearBoost(draft, last, number);
    last = number;
  }
  return last;
}

/** Adds a word as a clause, or adds to the weight of the clause that has it already. Returns the clause's number. */
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
    since: sinceOf(word),
    correctable: !word.unspaced,
    ...countingFor(draft, word, place),
  });
  draft.words.set(number, word);
  for (const text of meantWords(word)) {
    if (!isVague(draft, { ...word, text })) continue;
    const term = draft.prefix + text;
    draft.bonuses.push({ kind: "exact", units: [number], expression: quote(term), term });
  }
  addEndingBoost(draft, word, number);
  return number;
}

/** Each ending merges all words of the index that end in it. */
const MAX_ENDING_BOOSTS = 4;

/** Boosts words that end in a word of the query, as German compounds do. In a sentence the other words find them. */
function addEndingBoost(draft: Draft, { text }: Meant, number: number): void {
  const ending = draft.short && draft.language !== "yes" ? endingToFind(text) : undefined;
  const others = draft.bonuses.filter(({ kind }) => kind === "ending");
  if (ending === undefined || others.length >= MAX_ENDING_BOOSTS) return;
  const expression = `${quote(draft.prefix + ending)} *`;
  draft.bonuses.push({ kind: "ending", units: [number], name: `*${text}`, expression });
}

function countingFor(draft: Draft, word: Meant, { whole: compoundForms }: Place): Partial<Unit> {
  // A record can have both a fact and the word for it, so their counts do not add up.
  const isVaguelyCounted =
    word.unspaced ||
    compoundForms !== undefined ||
    meantWords(word).some((one) => draft.factsOf(one).length > 0);
  const isMatched = canMatch(draft) && isVaguelyCounted;
  if (!word.unspaced) return { counting: isMatched ? undefined : "any", terms: lookups(draft, word) };
  const terms = [ownLookup(draft, word.text)];
  return isMatched
    ? { counting: undefined, terms }
    : { counting: "all", terms: [...characterLookups(draft, word.text), ...terms] };
}

/** Whether the prefixes among the terms are within the limit; if so, they count towards it. */
export function canBegin({ beginnings: prefixTerms }: Draft, terms: Alternatives): boolean {
  const all = [...prefixTerms, ...terms.filter(({ kind }) => kind === "prefix")];
  const isFew = all.length <= (all.some(isShortPrefix) ? 1 : MAX_PREFIX_TERMS);
  if (isFew) prefixTerms.splice(0, prefixTerms.length, ...all);
  return isFew;
}

/** Whether very many words have a prefix. Not so for a character of a script without spaces. */
function isShortPrefix({ text }: Term): boolean {
  const [word] = words(text);
  return word !== undefined && !word.unspaced && [...word.text].length <= SHORT_PREFIX;
}

export const canMatch = ({ matched: countedByMatching }: Draft) =>
  countedByMatching.size < MAX_COUNTED_BY_MATCHING;

type NewClause = Pick<Unit, "text" | "expression"> & Partial<Unit>;

export function addUnit(draft: Draft, unit: NewClause): number {
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

function addNearBoost(draft: Draft, first: number, second: number): void {
  const [a, b] = [draft.words.get(first), draft.words.get(second)];
  if (a === undefined || b === undefined) return;
  const pairs = draft.bonuses.filter(({ kind }) => kind === "near");
  if (pairs.length >= MAX_NEAR_BOOSTS) return;
  if (pairs.some(({ units: clauses }) => clauses[0] === first && clauses[1] === second)) return;
  draft.bonuses.push({ kind: "near", units: [first, second], expression: nearExpression(draft, a, b) });
}

/** If the only word names a record type, boosts texts with that word: `decision` rarely asks for all decisions. */
export function addSaid(draft: Draft): void {
  const word = draft.words.get(0);
  if (word === undefined || draft.factsOf(word.text).length === 0) return;
  const expression = wordExpression({ ...draft, factsOf: () => [] }, word, word);
  draft.bonuses.push({ kind: "literal", units: [0], expression });
}
