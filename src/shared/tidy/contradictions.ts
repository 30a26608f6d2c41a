import type { TidyFinding } from "../../contract/tidy-kinds.ts";
import type { Fingerprint } from "./fingerprint.ts";
import { countShared } from "./sketch.ts";

/** Number of earlier memories with which one is compared: of the same topic, and for each of its rarest topic words. */
const MAX_EARLIER = 4;
const MAX_EARLIER_PER_WORD = 12;
const RAREST_WORDS = 3;
/** Share of the shorter text's words that occur in the other, if both are about the same subject, or related. */
const SAME_SUBJECT = 0.6;
const RELATED = 0.3;

/** Of these types, there may be several memories with one topic. */
const MANY_OF_A_TOPIC = ["commitment", "blocker"];

const overlap = (one: Fingerprint, other: Fingerprint): number =>
  countShared(one.words, other.words).both / Math.max(1, Math.min(one.words.length, other.words.length));

/** Whether a later memory of the same topic contradicts: by saying so, by a negation, or by replacing some words. */
function contradicts(later: Fingerprint, earlier: Fingerprint): boolean {
  if (later.supersedes === earlier.id || later.same === earlier.same) return false;
  const alike = overlap(later, earlier);
  // Memories with the same one-word topic may be unrelated.
  if (later.turn !== "" && (later.topics.length > 1 || alike >= RELATED)) return true;
  if (later.negations !== earlier.negations && alike >= RELATED) return true;
  const { mine, theirs } = countShared(later.words, earlier.words);
  return alike >= SAME_SUBJECT && mine > 0 && theirs > 0;
}

const isPreference = ({ memory_type }: Fingerprint) => memory_type === "preference";

function makeFinding(later: Fingerprint, earlier: Fingerprint): TidyFinding {
  const kind =
    isPreference(later) && isPreference(earlier) && later.turn !== "" ? "old_preference" : "contradiction";
  return { kind, items: [later, earlier].map(({ type, id }) => ({ type, id })), detail: later.turn };
}

function* sameTopicPairs(fingerprints: readonly Fingerprint[]): Generator<[Fingerprint, Fingerprint]> {
  for (const group of Map.groupBy(fingerprints, ({ project, topic }) => `${project}|${topic}`).values())
    for (const [index, later] of group.entries())
      for (const earlier of group.slice(Math.max(0, index - MAX_EARLIER), index).reverse())
        if (contradicts(later, earlier)) yield [later, earlier];
}

const countMissing = ({ topics }: Fingerprint, { topics: known, words }: Fingerprint): number => {
  const all = new Set([...known, ...words]);
  return topics.filter((word) => !all.has(word)).length;
};

/** Whether the topics match. If both contain words that the other lacks, they are about two people or things. */
const haveSameTopic = (one: Fingerprint, other: Fingerprint): boolean =>
  2 * countShared(one.topics, other.topics).both >= Math.min(one.topics.length, other.topics.length) &&
  (countMissing(one, other) === 0 || countMissing(other, one) === 0);

/** Pairs of preferences with similar topics, of which the later one says that something has changed. */
function* replacedPreferences(fingerprints: readonly Fingerprint[]): Generator<[Fingerprint, Fingerprint]> {
  const preferences = fingerprints.filter(isPreference);
  const keysOf = ({ project, topics }: Fingerprint) => [...topics].map((topic) => `${project}|${topic}`);
  const keyed = preferences.flatMap((one) => keysOf(one).map((key) => ({ key, one })));
  const groups = new Map(
    [...Map.groupBy(keyed, ({ key }) => key)].map(([key, all]) => [key, all.map(({ one }) => one)]),
  );
  const groupOf = (key: string) => groups.get(key) ?? [];
  const positions = new Map(preferences.map((fingerprint, index) => [fingerprint, index]));
  const isReplaced = (later: Fingerprint, earlier: Fingerprint) =>
    later.supersedes !== earlier.id && haveSameTopic(later, earlier) && overlap(later, earlier) >= RELATED;
  for (const later of preferences.filter(({ turn }) => turn !== "")) {
    const rarest = keysOf(later)
      .map(groupOf)
      .sort((a, b) => a.length - b.length)
      .slice(0, RAREST_WORDS);
    const earlier = rarest.flatMap((group) => earlierIn(group, positions.get(later) ?? 0, positions));
    for (const one of earlier) if (isReplaced(later, one)) yield [later, one];
  }
}

/** The last few of an ordered group before a position, latest first. */
function earlierIn(
  group: readonly Fingerprint[],
  index: number,
  positions: ReadonlyMap<Fingerprint, number>,
): Fingerprint[] {
  const end = lowerBound(group, index, positions);
  return group.slice(Math.max(0, end - MAX_EARLIER_PER_WORD), end).reverse();
}

function lowerBound(
  group: readonly Fingerprint[],
  index: number,
  positions: ReadonlyMap<Fingerprint, number>,
): number {
  let [from, to] = [0, group.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((positions.get(group[middle] as Fingerprint) ?? 0) < index) from = middle + 1;
    else to = middle;
  }
  return from;
}

const byTime = (a: Fingerprint, b: Fingerprint) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0);

/** Memories that a later one contradicts, each once, with the nearest later one. Skips `duplicates`. Takes n log n time. */
export function findContradictions(
  fingerprints: readonly Fingerprint[],
  duplicates: ReadonlySet<string>,
): TidyFinding[] {
  const isCandidate = ({ type, memory_type, id }: Fingerprint) =>
    type === "memory" && !MANY_OF_A_TOPIC.includes(memory_type ?? "") && !duplicates.has(id);
  const candidates = fingerprints.filter(isCandidate).sort(byTime);
  const replaced = new Set(candidates.flatMap(({ supersedes }) => supersedes ?? []));
  const found = new Map<string, TidyFinding>();
  for (const [later, earlier] of [...sameTopicPairs(candidates), ...replacedPreferences(candidates)])
    if (!found.has(earlier.id) && !replaced.has(earlier.id))
      found.set(earlier.id, makeFinding(later, earlier));
  return [...found.values()];
}
