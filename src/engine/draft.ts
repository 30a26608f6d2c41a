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
export function addSimplified(builder: Draft, term: Term): void {
  builder.simplified.push(nameOf(term));
  addText(builder, term.text, undefined);
}

/** Adds plain words, each as its own clause. Returns the number of the last one, to pair it with the next word. */
export function addText(builder: Draft, text: string, before: number | undefined): number | undefined {
  const found = readWords(text);
  const wholes = wholesIn(builder, text, found);
  let last = before;
  for (const [index, typed] of found.entries()) {
    const [meant = typed.text, or] = builder.corrections.get(typed.text) ?? [];
    if (builder.dropped.has(meant) || isContracted(text, typed)) continue;
    const word = meant === typed.text ? typed : { ...typed, text: meant, or, also: undefined };
    const number = addWord(builder, word, { text, whole: wholes.get(index), typed: typed.text });
    if (last !== undefined && last !== number) addNearBoost(builder, last, number);
    last = number;
  }
  return last;
}

/** Adds a word as a clause, or adds to the weight of the clause that has it already. Returns the clause's number. */
function addWord(builder: Draft, word: Meant, context: Place & { typed: string }): number {
  const expression = wordExpression(builder, word, context);
  const corrected = context.typed === word.text ? undefined : context.typed;
  const weight = corrected === undefined ? 1 : builder.correctedWeight;
  const known = builder.numbers.get(expression);
  const clause = builder.units[known ?? -1];
  if (known !== undefined && clause !== undefined) {
    const names = [...new Set([...clause.names, ...meantWords(word)])];
    const typed = corrected && clause.typed;
    builder.units[known] = { ...clause, weight: clause.weight + weight, names, typed };
    return known;
  }
  const number = addUnit(builder, {
    text: word.text,
    names: meantWords(word),
    either: word.or !== undefined,
    weight,
    typed: corrected,
    meant: eachMeant(builder, word),
    expression,
    besides: nameExpression(builder, word, context),
    facts: meantWords(word).flatMap(builder.factsOf),
    older: olderExpression(builder, word),
    since: sinceOf(word),
    correctable: !word.unspaced,
    ...countingFor(builder, word, context),
  });
  builder.words.set(number, word);
  for (const text of meantWords(word)) {
    if (!isVague(builder, { ...word, text })) continue;
    const term = builder.prefix + text;
    builder.bonuses.push({ kind: "exact", units: [number], expression: quote(term), term });
  }
  addEndingBoost(builder, word, number);
  return number;
}

/** Each ending merges all words of the index that end in it. */
const MAX_ENDING_BOOSTS = 4;

/** Boosts words that end in a word of the query, as German compounds do. In a sentence the other words find them. */
function addEndingBoost(builder: Draft, { text }: Meant, number: number): void {
  const ending = builder.short && builder.language !== "yes" ? endingToFind(text) : undefined;
  const others = builder.bonuses.filter(({ kind }) => kind === "ending");
  if (ending === undefined || others.length >= MAX_ENDING_BOOSTS) return;
  const expression = `${quote(builder.prefix + ending)} *`;
  builder.bonuses.push({ kind: "ending", units: [number], name: `*${text}`, expression });
}

function countingFor(builder: Draft, word: Meant, { whole: compoundForms }: Place): Partial<Unit> {
  // A record can have both a fact and the word for it, so their counts do not add up.
  const isVaguelyCounted =
    word.unspaced ||
    compoundForms !== undefined ||
    meantWords(word).some((one) => builder.factsOf(one).length > 0);
  const isMatched = canMatch(builder) && isVaguelyCounted;
  if (!word.unspaced) return { counting: isMatched ? undefined : "any", terms: lookups(builder, word) };
  const terms = [ownLookup(builder, word.text)];
  return isMatched
    ? { counting: undefined, terms }
    : { counting: "all", terms: [...characterLookups(builder, word.text), ...terms] };
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

export function addUnit(builder: Draft, clause: NewClause): number {
  const number = builder.units.length;
  builder.numbers.set(clause.expression, number);
  if (clause.counting === undefined) builder.matched.add(number);
  builder.units.push({
    names: [clause.text],
    either: false,
    weight: 1,
    phrase: false,
    required: false,
    correctable: false,
    terms: [],
    ...clause,
  });
  return number;
}

function addNearBoost(builder: Draft, first: number, second: number): void {
  const [a, b] = [builder.words.get(first), builder.words.get(second)];
  if (a === undefined || b === undefined) return;
  const pairs = builder.bonuses.filter(({ kind }) => kind === "near");
  if (pairs.length >= MAX_NEAR_BOOSTS) return;
  if (pairs.some(({ units: clauses }) => clauses[0] === first && clauses[1] === second)) return;
  builder.bonuses.push({ kind: "near", units: [first, second], expression: nearExpression(builder, a, b) });
}

/** If the only word names a record type, boosts texts with that word: `decision` rarely asks for all decisions. */
export function addSaid(builder: Draft): void {
  const word = builder.words.get(0);
  if (word === undefined || builder.factsOf(word.text).length === 0) return;
  const expression = wordExpression({ ...builder, factsOf: () => [] }, word, word);
  builder.bonuses.push({ kind: "literal", units: [0], expression });
}
