import { diffArrays } from "diff";

// Two people change one text at once: what each has changed is in the merged text, and only passages that both have changed
// in different ways are left to a person. After diff3 (Khanna, Kunal, Pierce: A Formal Investigation of Diff3, 2007), by
// lines, and within the lines that both have changed by words.

/** A passage that both have changed in different ways; `base`: as it was before. */
export type Overlap = { base: string; mine: string; theirs: string };

/** The merged text in order: what is certain, and what overlaps. Parts are whole lines, to be joined by U+000A. */
export type Part = string | Overlap;

type Change = { from: number; to: number; written: readonly string[] };
type Side = { changes: readonly Change[]; next: number };

/**
 * Beyond so many differing lines, and words within a passage, two texts have nothing to do with each other. The time for
 * comparing grows with the square: a second at most, while somebody writes.
 */
const MOST_LINES = 2000;
const MOST_WORDS = 1000;

/** Beyond so many, a text that is shown to a person who writes is put in the place of the other: they would have to wait. */
const MOST_SHOWN = 1000;

const wordsOf = (text: string): string[] => text.match(/\s|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

function changesOf(
  base: readonly string[],
  other: readonly string[],
  maxEditLength: number,
): Change[] | undefined {
  const parts = diffArrays([...base], [...other], { maxEditLength });
  if (!parts) return undefined;
  const changes: Change[] = [];
  let at = 0;
  let open: { from: number; to: number; written: string[] } | undefined;
  for (const { added, removed, value } of parts) {
    if (!added && !removed) {
      open = undefined;
      at += value.length;
      continue;
    }
    if (!open) {
      open = { from: at, to: at, written: [] };
      changes.push(open);
    }
    if (added) open.written.push(...value);
    else {
      at += value.length;
      open.to = at;
    }
  }
  return changes;
}

/** The base from one place to another with the changes of a side, which are then behind it. */
function take(side: Side, base: readonly string[], { from, to }: { from: number; to: number }): string[] {
  const taken: string[] = [];
  let at = from;
  for (let change = side.changes[side.next]; change && change.from <= to; change = side.changes[side.next]) {
    taken.push(...base.slice(at, change.from), ...change.written);
    at = change.to;
    side.next++;
  }
  return [...taken, ...base.slice(at, to)];
}

/** The end of the passage that begins with a change and has all that touch it, of both sides. */
function endOf(sides: readonly [Side, Side], from: number): number {
  const next = sides.map((side) => side.next);
  let to = from;
  for (let isLonger = true; isLonger; ) {
    isLonger = false;
    for (const [index, { changes }] of sides.entries()) {
      const change = changes[next[index] ?? 0];
      if (!change || change.from > to) continue;
      to = Math.max(to, change.to);
      next[index] = (next[index] ?? 0) + 1;
      isLonger = true;
    }
  }
  return to;
}

type Passage = { base: string[]; mine: string[]; theirs: string[] };

/** The base in passages, changed ones and those in between. */
function passagesOf(base: string[], ours: readonly Change[], others: readonly Change[]): Passage[] {
  const sides: [Side, Side] = [
    { changes: ours, next: 0 },
    { changes: others, next: 0 },
  ];
  const passages: Passage[] = [];
  let at = 0;
  for (;;) {
    const from = Math.min(...sides.map(({ changes, next }) => changes[next]?.from ?? base.length + 1));
    const before = base.slice(at, from);
    if (before.length > 0) passages.push({ base: before, mine: before, theirs: before });
    if (from > base.length) return passages;
    const to = endOf(sides, from);
    const [one, other] = sides.map((side) => take(side, base, { from, to })) as [string[], string[]];
    passages.push({ base: base.slice(from, to), mine: one, theirs: other });
    at = to;
  }
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index]);

/** What a passage becomes if only one side has changed it, or both in the same way. */
function settled({ base, mine, theirs }: Passage): string[] | undefined {
  if (isSame(mine, base) || isSame(mine, theirs)) return theirs;
  return isSame(theirs, base) ? mine : undefined;
}

/** What somebody has changed, if at least half of the words were kept: otherwise their passage is meant as a whole. */
function someOf(base: readonly string[], other: readonly string[]): Change[] | undefined {
  const changes = changesOf(base, other, MOST_WORDS);
  const kept = changes?.reduce((left, { from, to }) => left - (to - from), base.length) ?? 0;
  return 2 * kept >= base.length ? changes : undefined;
}

/** Words at one place, of which one side goes on with a line, and the other puts lines behind or before it. */
function besideLines({ base, mine, theirs }: Passage): string[] | undefined {
  if (base.length > 0) return undefined;
  for (const [inLine, lines] of [
    [mine, theirs],
    [theirs, mine],
  ] as const) {
    if (inLine.includes("\n")) continue;
    if (lines[0] === "\n") return [...inLine, ...lines];
    if (lines.at(-1) === "\n") return [...lines, ...inLine];
  }
  return undefined;
}

const isInWord = (before: string, after: string): boolean =>
  /[\p{L}\p{N}_]$/u.test(before) && /^[\p{L}\p{N}_]/u.test(after);

/** What stands in front of the base, and behind it, in a text that has kept it. */
function around(base: string, text: string): [string, string] | undefined {
  if (text.startsWith(base)) return ["", text.slice(base.length)];
  return text.endsWith(base) ? [text.slice(0, -base.length), ""] : undefined;
}

type Put = { base: string; mine: string; theirs: string };

/**
 * What both have put in front of the same words, or behind them: one after the other. Undefined if both have to be the
 * nearer one, because they go on with the same word, or because it would be torn off by the other's line breaks.
 */
function bothPut({ base, mine, theirs }: Put, isBehind: boolean): string | undefined {
  if (mine === "" || theirs === "" || mine === theirs) return theirs || mine;
  const isOfWord = (text: string) => (isBehind ? isInWord(base, text) : isInWord(text, base));
  const isMineNear = isOfWord(mine) || theirs.includes("\n");
  const isTheirsNear = isOfWord(theirs) || mine.includes("\n");
  if (isMineNear && isTheirsNear) return undefined;
  const isMineFirst = isBehind ? isMineNear : isTheirsNear;
  const [one, other] = isMineFirst ? [mine, theirs] : [theirs, mine];
  return isInWord(one, other) ? `${one} ${other}` : one + other;
}

/** Words that both have added beside the same ones, which both have kept. */
function besideWords(passage: Passage): string[] | undefined {
  const base = passage.base.join("");
  const mine = around(base, passage.mine.join(""));
  const theirs = around(base, passage.theirs.join(""));
  if (!mine || !theirs) return undefined;
  const before = bothPut({ base, mine: mine[0], theirs: theirs[0] }, false);
  const behind = bothPut({ base, mine: mine[1], theirs: theirs[1] }, true);
  return before === undefined || behind === undefined ? undefined : [before, base, behind];
}

/** Tells of each place between words whether there is another word on its line. */
function onWrittenLine(words: readonly string[]): (at: number) => boolean {
  const isWritten = [false];
  const lines = [0];
  for (const word of words) {
    if (word === "\n") isWritten.push(false);
    else if (word.trim() !== "") isWritten[isWritten.length - 1] = true;
    lines.push(isWritten.length - 1);
  }
  return (at) => isWritten[lines[at] ?? 0] === true;
}

/** A passage merged by words, or undefined if both have changed the same ones, or an empty line. */
function byWords({ base, mine, theirs }: Passage): string | undefined {
  const words = wordsOf(base.join("\n"));
  const ours = someOf(words, wordsOf(mine.join("\n")));
  const others = ours && someOf(words, wordsOf(theirs.join("\n")));
  if (!others) return undefined;
  const isOnWrittenLine = onWrittenLine(words);
  let at = 0;
  const parts = passagesOf(words, ours, others).map((part) => {
    const isBesideWords = isOnWrittenLine(at) || isOnWrittenLine(at + part.base.length);
    at += part.base.length;
    return settled(part) ?? besideLines(part) ?? (isBesideWords ? besideWords(part) : undefined);
  });
  return parts.every((part) => part !== undefined) ? parts.flat().join("") : undefined;
}

function partOf(passage: Passage): Part[] {
  const { base, mine, theirs } = passage;
  const certain = settled(passage);
  if (certain) return certain.length > 0 ? [certain.join("\n")] : [];
  // Both have put lines at the same place.
  if (base.length === 0) return [[...theirs, ...mine].join("\n")];
  const merged = byWords(passage);
  return [merged ?? { base: base.join("\n"), mine: mine.join("\n"), theirs: theirs.join("\n") }];
}

/** What two changes of one text become. In time linear in the texts and quadratic in what differs, up to a limit. */
export function mergeTexts(base: string, mine: string, theirs: string): Part[] {
  if (mine === base || mine === theirs) return [theirs];
  if (theirs === base) return [mine];
  const lines = base.split("\n");
  const ours = changesOf(lines, mine.split("\n"), MOST_LINES);
  const others = ours && changesOf(lines, theirs.split("\n"), MOST_LINES);
  return others ? passagesOf(lines, ours, others).flatMap(partOf) : [{ base, mine, theirs }];
}

/** A passage of a text, by its places in UTF-16 units, and what takes its place. */
export type Edit = { from: number; to: number; insert: string };

/** What makes one text the other, by words and in order; the whole text where they differ too much. */
export function editsBetween(text: string, other: string): Edit[] {
  const words = wordsOf(text);
  const changes = changesOf(words, wordsOf(other), MOST_SHOWN);
  if (!changes) return [{ from: 0, to: text.length, insert: other }];
  const starts = [0];
  for (const word of words) starts.push((starts.at(-1) ?? 0) + word.length);
  return changes.map(({ from, to, written }) => ({
    from: starts[from] ?? text.length,
    to: starts[to] ?? text.length,
    insert: written.join(""),
  }));
}

export const isOverlap = (part: Part): part is Overlap => typeof part !== "string";

/** The text, with one side or both in the place of what overlaps, or what was there before. */
export const mergedText = (parts: readonly Part[], choice: keyof Overlap | "both"): string =>
  parts
    .map((part) => {
      if (!isOverlap(part)) return part;
      return choice === "both" ? `${part.theirs}\n${part.mine}` : part[choice];
    })
    .join("\n");
