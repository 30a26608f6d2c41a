import type { Finding } from "./kinds.ts";
import type { Mark } from "./mark.ts";
import { shared } from "./sketch.ts";

/** With how many earlier ones of the same topic, and of each word of it, a record is compared. */
const BEFORE = 4;
const BEFORE_BY_WORD = 12;
const RAREST = 3;
/** Which part of the shorter text's words the other has when both are about the same thing. */
const SAME_MATTER = 0.6;
const RELATED = 0.3;

/** These may stand beside each other under one topic. */
const MANY_OF_A_TOPIC = ["commitment", "blocker"];

const overlap = (one: Mark, other: Mark): number =>
  shared(one.words, other.words).both / Math.max(1, Math.min(one.words.length, other.words.length));

/** Whether a later record of the same topic says otherwise: by its words, a negation, or another thing in the same place. */
function contradicts(later: Mark, earlier: Mark): boolean {
  if (later.supersedes === earlier.id || later.same === earlier.same) return false;
  const alike = overlap(later, earlier);
  // Under one word there may be much that has nothing to do with each other.
  if (later.turn !== "" && (later.topics.length > 1 || alike >= RELATED)) return true;
  if (later.negations !== earlier.negations && alike >= RELATED) return true;
  const { mine, theirs } = shared(later.words, earlier.words);
  return alike >= SAME_MATTER && mine > 0 && theirs > 0;
}

const isPreference = ({ memory_type }: Mark) => memory_type === "preference";

function pair(later: Mark, earlier: Mark): Finding {
  const kind =
    isPreference(later) && isPreference(earlier) && later.turn !== "" ? "old_preference" : "contradiction";
  return { kind, items: [later, earlier].map(({ type, id }) => ({ type, id })), detail: later.turn };
}

function grouped(
  marks: readonly Mark[],
  keysOf: (mark: Mark) => (string | number)[],
): Map<string | number, Mark[]> {
  const groups = new Map<string | number, Mark[]>();
  for (const mark of marks)
    for (const key of keysOf(mark)) {
      const group = groups.get(key);
      if (group) group.push(mark);
      else groups.set(key, [mark]);
    }
  return groups;
}

function* ofSameTopic(marks: readonly Mark[]): Generator<[Mark, Mark]> {
  for (const group of grouped(marks, ({ project, topic }) => [`${project}|${topic}`]).values())
    for (const [place, later] of group.entries())
      for (const earlier of group.slice(Math.max(0, place - BEFORE), place).reverse())
        if (contradicts(later, earlier)) yield [later, earlier];
}

/** How many words of one's topic the other does not have at all. */
const strange = ({ topics }: Mark, { topics: known, words }: Mark): number => {
  const all = new Set([...known, ...words]);
  return topics.filter((word) => !all.has(word)).length;
};

/** Whether two are about the same: with something else in the same place, they are about two people or things. */
const topicShared = (one: Mark, other: Mark): boolean =>
  2 * shared(one.topics, other.topics).both >= Math.min(one.topics.length, other.topics.length) &&
  (strange(one, other) === 0 || strange(other, one) === 0);

/** Preferences that a later one with a topic like theirs replaces by its words. */
function* ofLikeTopic(marks: readonly Mark[]): Generator<[Mark, Mark]> {
  const preferences = marks.filter(isPreference);
  const keysOf = ({ project, topics }: Mark) => [...topics].map((topic) => `${project}|${topic}`);
  const groups = grouped(preferences, keysOf);
  const groupOf = (key: string) => groups.get(key) ?? [];
  const places = new Map(preferences.map((mark, place) => [mark, place]));
  const isReplaced = (later: Mark, earlier: Mark) =>
    later.supersedes !== earlier.id && topicShared(later, earlier) && overlap(later, earlier) >= RELATED;
  for (const later of preferences.filter(({ turn }) => turn !== "")) {
    const rarest = keysOf(later)
      .map(groupOf)
      .sort((a, b) => a.length - b.length)
      .slice(0, RAREST);
    const earlier = rarest.flatMap((group) => earlierIn(group, places.get(later) ?? 0, places));
    for (const one of earlier) if (isReplaced(later, one)) yield [later, one];
  }
}

/** The last few of an ordered group before a place. */
function earlierIn(group: readonly Mark[], place: number, places: ReadonlyMap<Mark, number>): Mark[] {
  const end = lowerBound(group, place, places);
  return group.slice(Math.max(0, end - BEFORE_BY_WORD), end).reverse();
}

/** How many of an ordered group come before a place. */
function lowerBound(group: readonly Mark[], place: number, places: ReadonlyMap<Mark, number>): number {
  let [from, to] = [0, group.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((places.get(group[middle] as Mark) ?? 0) < place) from = middle + 1;
    else to = middle;
  }
  return from;
}

const inOrder = (a: Mark, b: Mark) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0);

/**
 * Records that a later one contradicts, each once, with the nearest later one. Those in `doubles` say the same as another
 * and are left out. In n log n of their number.
 */
export function findContradictions(marks: readonly Mark[], doubles: ReadonlySet<string>): Finding[] {
  const isAsked = ({ type, memory_type, id }: Mark) =>
    type === "memory" && !MANY_OF_A_TOPIC.includes(memory_type ?? "") && !doubles.has(id);
  const asked = marks.filter(isAsked).sort(inOrder);
  const replaced = new Set(asked.flatMap(({ supersedes }) => supersedes ?? []));
  const found = new Map<string, Finding>();
  for (const [later, earlier] of [...ofSameTopic(asked), ...ofLikeTopic(asked)])
    if (!found.has(earlier.id) && !replaced.has(earlier.id)) found.set(earlier.id, pair(later, earlier));
  return [...found.values()];
}
