import type { Steps } from "../text/steps.ts";
import type { Finding } from "./kinds.ts";
import type { Mark } from "./mark.ts";
import { isWhole, likeness, shared } from "./sketch.ts";

/** From which likeness on two texts say the same: less is enough where one has only more words than the other. */
const ALIKE = 0.85;
const ALIKE_IN_MORE = 0.65;
const FEWEST_WORDS = 4;
/** A text of so many words that is somewhere else, too, is a double whatever its title is. */
const LONG = 20;

/** By how many of its smallest hashes a text is looked up, and with how many others of each it is compared. */
const LOOKED_UP = 16;
const NEIGHBOURS = 6;
/** How many things one finding has besides the one that stays. */
const MOST = 10;

/** Whether at least half of each one's title is said by the other. */
function titlesFit(one: Mark, other: Mark): boolean {
  if (one.topic === other.topic) return true;
  const fits = (a: Mark, b: Mark) => {
    const inTitle = shared(a.topics, b.topics).both;
    const most = a.topics.length;
    return (
      2 * inTitle >= most || (isWhole(b) && 2 * Math.max(inTitle, shared(a.topics, b.words).both) >= most)
    );
  };
  return fits(one, other) && fits(other, one);
}

/** Whether two can be the same thing at all: what they belong to, and what they say with digits and negations. */
const isComparable = (one: Mark, other: Mark): boolean =>
  one.type === other.type &&
  one.project === other.project &&
  one.numbers === other.numbers &&
  one.negations === other.negations &&
  (one.series === null || one.series !== other.series) &&
  (one.due_date === null || other.due_date === null || one.due_date === other.due_date);

const isLinked = (one: Mark, other: Mark): boolean =>
  one.supersedes === other.id || other.supersedes === one.id;

const isLong = ({ type, length }: Mark): boolean => type === "document" && length >= LONG;

/** How much of two texts is the same, if that is enough; else 0. */
function nearly(one: Mark, other: Mark): number {
  if (one.memory_type !== other.memory_type || Math.min(one.length, other.length) < FEWEST_WORDS) return 0;
  const alike = likeness(one, other);
  const apart = shared(one.words, other.words);
  const isMore = isWhole(one) && isWhole(other) && (apart.mine === 0 || apart.theirs === 0);
  return alike >= (isMore ? ALIKE_IN_MORE : ALIKE) ? Math.min(alike, 0.99) : 0;
}

/** How alike two things that say the same are, up to 1; 0 if they do not say the same. */
export function doubled(one: Mark, other: Mark): number {
  if (!isComparable(one, other) || isLinked(one, other)) return 0;
  const isSame = one.same === other.same;
  if (isSame && (one.topic === other.topic || isLong(one))) return 1;
  if (one.length === 0 || !titlesFit(one, other)) return 0;
  return isSame ? 1 : nearly(one, other);
}

/** Of the same text: more text first, then the newer one. */
const before = (a: Mark, b: Mark) =>
  b.size - a.size || (a.at < b.at ? 1 : a.at > b.at ? -1 : a.id < b.id ? 1 : -1);

/** Pairs of things that are worth comparing: a bounded number for each. Things are named by their places. */
function* candidates(marks: readonly Mark[]): Generator<[number, number]> {
  const places: number[] = [];
  for (const [place, { words, pairs }] of marks.entries()) {
    for (const hash of [...pairs.slice(0, LOOKED_UP), ...words.slice(0, LOOKED_UP / 4)])
      places.push(hash * marks.length + place);
  }
  const sorted = Float64Array.from(places).sort();
  const hashAt = (at: number) => Math.floor((sorted[at] ?? -1) / marks.length);
  const markAt = (at: number) => (sorted[at] ?? 0) % marks.length;
  for (let at = 0; at < sorted.length; at++)
    for (let next = at + 1; next <= at + NEIGHBOURS && hashAt(next) === hashAt(at); next++)
      yield [markAt(at), markAt(next)];
}

/** One of each text that is there word for word, with the others. */
function sameTexts(marks: readonly Mark[]): Mark[][] {
  const groups = new Map<string, Mark[]>();
  for (const mark of marks) {
    const { type, project, same, topic, due_date, numbers, series } = mark;
    const key = [type, project, same, topic, due_date, numbers, series].join("|");
    const group = groups.get(key);
    if (group) group.push(mark);
    else groups.set(key, [mark]);
  }
  return [...groups.values()];
}

type Neighbours = Map<number, Map<number, number>>;

/** After so many comparisons others may run: a few milliseconds. */
const AT_ONCE = 2_000;

/** The others of each, by place: those with which it was found to say the same, and how alike they are. */
function* neighbours(firsts: readonly Mark[]): Steps<Neighbours> {
  const found: Neighbours = new Map();
  const note = (one: number, other: number, alike: number) =>
    found.set(one, (found.get(one) ?? new Map<number, number>()).set(other, alike));
  const compared = new Set<number>();
  for (const [one, other] of candidates(firsts)) {
    const pair = Math.min(one, other) * firsts.length + Math.max(one, other);
    if (one === other || compared.has(pair)) continue;
    if (compared.add(pair).size % AT_ONCE === 0) yield;
    const alike = doubled(firsts[one] as Mark, firsts[other] as Mark);
    if (alike === 0) continue;
    note(one, other, alike);
    note(other, one, alike);
  }
  return found;
}

const percent = (part: number) => `${Math.round(100 * part)} %`;

function findingOf(members: Mark[], alike: number): Finding {
  const kind = members[0]?.type === "document" ? "double_document" : "double_record";
  const detail =
    alike === 1 ? "in the same words" : `with at least ${percent(alike)} of their words in common`;
  return { kind, items: members.map(({ type, id }) => ({ type, id })), detail };
}

/** Those of a group, ten in a finding, each with the one that stays. */
function inParts(members: readonly Mark[], alike: number): Finding[] {
  const [first, ...others] = [...members].sort(before);
  if (first === undefined) return [];
  const starts = Array.from({ length: Math.ceil(others.length / MOST) }, (_, part) => part * MOST);
  return starts.map((start) => findingOf([first, ...others.slice(start, start + MOST)], alike));
}

/** What is said several times: each thing in one finding, with the one that says most. In n log n of their number. */
export function* findDoubles(marks: readonly Mark[]): Steps<Finding[]> {
  const groups = sameTexts(marks).sort(([a], [b]) => before(a as Mark, b as Mark));
  const near = yield* neighbours(groups.map(([first]) => first as Mark));
  const taken = new Set<number>();
  return groups.flatMap((group, place) => {
    if (taken.has(place)) return [];
    const others = [...(near.get(place) ?? [])].filter(([other]) => !taken.has(other));
    for (const other of [place, ...others.map(([other]) => other)]) taken.add(other);
    const members = [...group, ...others.flatMap(([other]) => groups[other] ?? [])];
    return members.length > 1 ? inParts(members, Math.min(1, ...others.map(([, alike]) => alike))) : [];
  });
}
