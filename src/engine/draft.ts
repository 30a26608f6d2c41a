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

// A plan while it is made: its words become units, and pairs of neighbours bonuses, as many as one search may have.

/**
 * Units counted by matching, which reads a row per record. Further phrases, beginnings and title words become plain
 * words, and a word of a script without spaces counts as frequent as its rarest character.
 */
const MAX_COUNTED_BY_MATCHING = 32;
/** Each beginning merges all words of the index that begin so; next to one of one or two letters there can be no other. */
const MAX_PREFIX_TERMS = 4;
const SHORT_PREFIX = 2;
/** More pairs than 500 characters have. Among 41 texts of 1 MB, pairs take most of the time of a search. */
const MAX_NEAR_BOOSTS = 48;

export type Draft = {
  readonly prefix: string;
  readonly language: Language;
  /** whether its verbs stand for their past forms */
  readonly past: boolean;
  /** the facts of records that its words stand for; none if only documents are searched */
  readonly factsOf: (word: string) => readonly string[];
  /** function words to ignore */
  readonly dropped: ReadonlySet<string>;
  readonly corrections: Corrections;
  readonly correctedWeight: number;
  /** whether it is no sentence */
  readonly short: boolean;
  /** whether phrases are required */
  readonly strict: boolean;
  readonly units: Unit[];
  readonly bonuses: Bonus[];
  /** the number of each unit by its expression, and the word of each that can have neighbours */
  readonly numbers: Map<string, number>;
  readonly simplified: string[];
  /** the units that are counted by matching them */
  readonly matched: Set<number>;
  readonly beginnings: Term[];
  readonly words: Map<number, Meant>;
};

/** Adds the words of a term for which there are too many others. */
export function addSimplified(draft: Draft, term: Term): void {
  draft.simplified.push(nameOf(term));
  addText(draft, term.text, undefined);
}

/** Adds plain words, each as its own unit; returns the number of the last one, to pair it with the next. */
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

/** Each of them merges all words that end so. */
const MAX_ENDING_BOOSTS = 4;

/** What ends in a word, as German compounds do. In a sentence the other words find it. */
function addEndingBoost(draft: Draft, { text }: Meant, number: number): void {
  const ending = draft.short && draft.language !== "yes" ? endingToFind(text) : undefined;
  const others = draft.bonuses.filter(({ kind }) => kind === "ending");
  if (ending === undefined || others.length >= MAX_ENDING_BOOSTS) return;
  const expression = `${quote(draft.prefix + ending)} *`;
  draft.bonuses.push({ kind: "ending", units: [number], name: `*${text}`, expression });
}

function countingFor(draft: Draft, word: Meant, { whole }: Place): Pick<Unit, "counting" | "terms"> {
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
export function canBegin({ beginnings }: Draft, terms: Alternatives): boolean {
  const all = [...beginnings, ...terms.filter(({ kind }) => kind === "prefix")];
  const isFew = all.length <= (all.some(isShortPrefix) ? 1 : MAX_PREFIX_TERMS);
  if (isFew) beginnings.splice(0, beginnings.length, ...all);
  return isFew;
}

/** Whether a beginning is that of very many words. A character of a script without spaces is not. */
function isShortPrefix({ text }: Term): boolean {
  const [word] = words(text);
  return word !== undefined && !word.unspaced && [...word.text].length <= SHORT_PREFIX;
}

export const canMatch = ({ matched }: Draft) => matched.size < MAX_COUNTED_BY_MATCHING;

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
  if (pairs.some(({ units }) => units[0] === first && units[1] === second)) return;
  draft.bonuses.push({ kind: "near", units: [first, second], expression: nearExpression(draft, a, b) });
}

/** If the only word names a type, too: `decision` more likely means a text of that name than one of a hundred decisions. */
export function addSaid(draft: Draft): void {
  const word = draft.words.get(0);
  if (word === undefined || draft.factsOf(word.text).length === 0) return;
  const expression = wordExpression({ ...draft, factsOf: () => [] }, word, word);
  draft.bonuses.push({ kind: "said", units: [0], expression });
}
