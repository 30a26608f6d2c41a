import type { TidyFinding } from "../../contract/tidy-kinds.ts";
import type { Steps } from "../text/steps.ts";
import type { Fingerprint } from "./fingerprint.ts";
import { countShared, isCompleteSketch, likeness } from "./sketch.ts";

/** Minimum likeness of duplicates. A lower one is enough if one text only adds words to the other. */
const MIN_LIKENESS = 0.85;
const MIN_LIKENESS_OF_EXTENSION = 0.65;
const MIN_WORDS = 4;
/** Identical documents of at least this many words are duplicates, whatever their titles. */
const LONG = 20;

/** Number of smallest hashes by which a text is looked up, and of other texts compared for each hash. */
const LOOKED_UP = 16;
const NEIGHBOURS = 6;
/** Maximum number of items in a finding besides the one to keep. */
const MAX_OTHERS = 10;

/** Whether each contains at least half of the other's title. */
function titlesFit(one: Fingerprint, other: Fingerprint): boolean {
  if (one.topic === other.topic) return true;
  const fits = (a: Fingerprint, b: Fingerprint) => {
    const inTitle = countShared(a.topics, b.topics).both;
    const titleLength = a.topics.length;
    return (
      2 * inTitle >= titleLength ||
      (isCompleteSketch(b) && 2 * Math.max(inTitle, countShared(a.topics, b.words).both) >= titleLength)
    );
  };
  return fits(one, other) && fits(other, one);
}

/** Whether two can be duplicates at all: same type, project, numbers and negations, different series, compatible due dates. */
const isComparable = (one: Fingerprint, other: Fingerprint): boolean =>
  one.type === other.type &&
  one.project === other.project &&
  one.numbers === other.numbers &&
  one.negations === other.negations &&
  (one.series === null || one.series !== other.series) &&
  (one.due_date === null || other.due_date === null || one.due_date === other.due_date);

const isLinked = (one: Fingerprint, other: Fingerprint): boolean =>
  one.supersedes === other.id || other.supersedes === one.id;

const isLong = ({ type, length }: Fingerprint): boolean => type === "document" && length >= LONG;

/** The likeness of two texts if it is high enough; otherwise 0. */
function sufficientLikeness(one: Fingerprint, other: Fingerprint): number {
  if (one.memory_type !== other.memory_type || Math.min(one.length, other.length) < MIN_WORDS) return 0;
  const alike = likeness(one, other);
  const apart = countShared(one.words, other.words);
  const isExtension =
    isCompleteSketch(one) && isCompleteSketch(other) && (apart.mine === 0 || apart.theirs === 0);
  return alike >= (isExtension ? MIN_LIKENESS_OF_EXTENSION : MIN_LIKENESS) ? Math.min(alike, 0.99) : 0;
}

/** The likeness of two duplicates, up to 1; 0 if they are not duplicates. */
export function duplicateLikeness(one: Fingerprint, other: Fingerprint): number {
  if (!isComparable(one, other) || isLinked(one, other)) return 0;
  const isSame = one.same === other.same;
  if (isSame && (one.topic === other.topic || isLong(one))) return 1;
  if (one.length === 0 || !titlesFit(one, other)) return 0;
  return isSame ? 1 : sufficientLikeness(one, other);
}

/** Sorts duplicates: longer text first, then newer. */
const byPreference = (a: Fingerprint, b: Fingerprint) =>
  b.size - a.size || (a.at < b.at ? 1 : a.at > b.at ? -1 : a.id < b.id ? 1 : -1);

/** Pairs of indexes of fingerprints that are worth comparing: a bounded number for each. */
function* candidates(fingerprints: readonly Fingerprint[]): Generator<[number, number]> {
  const entries: number[] = [];
  for (const [index, { words, pairs }] of fingerprints.entries()) {
    for (const hash of [...pairs.slice(0, LOOKED_UP), ...words.slice(0, LOOKED_UP / 4)])
      entries.push(hash * fingerprints.length + index);
  }
  const sorted = Float64Array.from(entries).sort();
  const hashAt = (at: number) => Math.floor((sorted[at] ?? -1) / fingerprints.length);
  const markAt = (at: number) => (sorted[at] ?? 0) % fingerprints.length;
  for (let at = 0; at < sorted.length; at++)
    for (let next = at + 1; next <= at + NEIGHBOURS && hashAt(next) === hashAt(at); next++)
      yield [markAt(at), markAt(next)];
}

function groupIdentical(fingerprints: readonly Fingerprint[]): Fingerprint[][] {
  const groups = Map.groupBy(fingerprints, ({ type, project, same, topic, due_date, numbers, series }) =>
    [type, project, same, topic, due_date, numbers, series].join("|"),
  );
  return [...groups.values()];
}

type Neighbours = Map<number, Map<number, number>>;

/** Number of comparisons per step, which take a few milliseconds. */
const COMPARISONS_PER_STEP = 2_000;

function* compareNeighbours(firsts: readonly Fingerprint[]): Steps<Neighbours> {
  const found: Neighbours = new Map();
  const remember = (one: number, other: number, alike: number) =>
    found.set(one, (found.get(one) ?? new Map<number, number>()).set(other, alike));
  const compared = new Set<number>();
  for (const [one, other] of candidates(firsts)) {
    const pair = Math.min(one, other) * firsts.length + Math.max(one, other);
    if (one === other || compared.has(pair)) continue;
    if (compared.add(pair).size % COMPARISONS_PER_STEP === 0) yield;
    const alike = duplicateLikeness(firsts[one] as Fingerprint, firsts[other] as Fingerprint);
    if (alike === 0) continue;
    remember(one, other, alike);
    remember(other, one, alike);
  }
  return found;
}

const percent = (part: number) => `${Math.round(100 * part)} %`;

function findingOf(members: Fingerprint[], alike: number): TidyFinding {
  const kind = members[0]?.type === "document" ? "double_document" : "double_record";
  const detail =
    alike === 1 ? "in the same words" : `with at least ${percent(alike)} of their words in common`;
  return { kind, items: members.map(({ type, id }) => ({ type, id })), detail };
}

/** The findings of a group: ten items each, besides the one to keep. */
function groupFindings(members: readonly Fingerprint[], alike: number): TidyFinding[] {
  const [first, ...others] = [...members].sort(byPreference);
  if (first === undefined) return [];
  return Array.from({ length: Math.ceil(others.length / MAX_OTHERS) }, (_, part) => {
    const start = part * MAX_OTHERS;
    return findingOf([first, ...others.slice(start, start + MAX_OTHERS)], alike);
  });
}

/** Finds duplicates. Each item is in one finding, with the longest one first. Takes n log n time. */
export function* findDuplicates(fingerprints: readonly Fingerprint[]): Steps<TidyFinding[]> {
  const groups = groupIdentical(fingerprints).sort(([a], [b]) =>
    byPreference(a as Fingerprint, b as Fingerprint),
  );
  const near = yield* compareNeighbours(groups.map(([first]) => first as Fingerprint));
  const taken = new Set<number>();
  return groups.flatMap((group, index) => {
    if (taken.has(index)) return [];
    const others = [...(near.get(index) ?? [])].filter(([other]) => !taken.has(other));
    for (const other of [index, ...others.map(([other]) => other)]) taken.add(other);
    const members = [...group, ...others.flatMap(([other]) => groups[other] ?? [])];
    return members.length > 1 ? groupFindings(members, Math.min(1, ...others.map(([, alike]) => alike))) : [];
  });
}
