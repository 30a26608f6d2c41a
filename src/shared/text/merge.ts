import { diffArrays } from "diff";

// Merges two concurrent changes of a text. Only passages that both sides have changed differently are conflicts. Based on
// diff3 (Khanna, Kunal, Pierce: A Formal Investigation of Diff3, 2007): by lines, and by words within lines that both sides
// have changed.

/** A passage that both sides have changed differently. `base`: before both changes. */
export type TextConflict = { base: string; mine: string; theirs: string };

/** A part of the merged text: merged lines or a conflict. Parts are whole lines, to be joined by U+000A. */
export type MergePart = string | TextConflict;

/** Replaces the units (lines or words) from `from` to before `to`. */
type Change = { from: number; to: number; written: readonly string[] };
type Side = { changes: readonly Change[]; next: number };

/**
 * Texts with more differing lines, or differing words within a passage, are not compared. The time grows with the square of
 * the differences: at most a second.
 */
const MAX_LINE_CHANGES = 2000;
const MAX_WORD_CHANGES = 1000;

/** With more differences, `editsBetween` replaces the whole text, because the person would have to wait. */
const MAX_EDITED_WORDS = 1000;

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

/** Applies the changes of a side between two positions of the base, and advances the side past them. */
function applyChanges(
  side: Side,
  base: readonly string[],
  { from, to }: { from: number; to: number },
): string[] {
  const taken: string[] = [];
  let at = from;
  for (let change = side.changes[side.next]; change && change.from <= to; change = side.changes[side.next]) {
    taken.push(...base.slice(at, change.from), ...change.written);
    at = change.to;
    side.next++;
  }
  return [...taken, ...base.slice(at, to)];
}

/** The end of the passage that starts at `from` and includes all touching changes of both sides. */
function passageEnd(sides: readonly [Side, Side], from: number): number {
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

function splitPassages(base: string[], ours: readonly Change[], others: readonly Change[]): Passage[] {
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
    const to = passageEnd(sides, from);
    const [one, other] = sides.map((side) => applyChanges(side, base, { from, to })) as [string[], string[]];
    passages.push({ base: base.slice(from, to), mine: one, theirs: other });
    at = to;
  }
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index]);

/** The merged passage, if only one side has changed it, or both in the same way. */
function mergeOneSided({ base, mine, theirs }: Passage): string[] | undefined {
  if (isSame(mine, base) || isSame(mine, theirs)) return theirs;
  return isSame(theirs, base) ? mine : undefined;
}

/** The changes of a side, if it has kept at least half of the words. Otherwise it has rewritten the passage. */
function partialChanges(base: readonly string[], other: readonly string[]): Change[] | undefined {
  const changes = changesOf(base, other, MAX_WORD_CHANGES);
  const kept = changes?.reduce((left, { from, to }) => left - (to - from), base.length) ?? 0;
  return 2 * kept >= base.length ? changes : undefined;
}

/** Insertions at the same position: one side continues a line, the other adds lines before or after it. */
function mergeWithLines({ base, mine, theirs }: Passage): string[] | undefined {
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

/** The text before and after the base, if a side has kept it. */
function splitAround(base: string, text: string): [string, string] | undefined {
  if (text.startsWith(base)) return ["", text.slice(base.length)];
  return text.endsWith(base) ? [text.slice(0, -base.length), ""] : undefined;
}

/**
 * Joins the insertions of both sides before or after the same words. Undefined if both must be next to these words: because
 * they continue the same word, or because the line breaks of the other side would separate them from it.
 */
function joinInsertions({ base, mine, theirs }: TextConflict, isAfter: boolean): string | undefined {
  if (mine === "" || theirs === "" || mine === theirs) return theirs || mine;
  const continuesWord = (text: string) => (isAfter ? isInWord(base, text) : isInWord(text, base));
  const isMineNear = continuesWord(mine) || theirs.includes("\n");
  const isTheirsNear = continuesWord(theirs) || mine.includes("\n");
  if (isMineNear && isTheirsNear) return undefined;
  const isMineFirst = isAfter ? isMineNear : isTheirsNear;
  const [one, other] = isMineFirst ? [mine, theirs] : [theirs, mine];
  return isInWord(one, other) ? `${one} ${other}` : one + other;
}

/** Insertions of both sides before or after the same words, which both have kept. */
function mergeAroundWords(passage: Passage): string[] | undefined {
  const base = passage.base.join("");
  const mine = splitAround(base, passage.mine.join(""));
  const theirs = splitAround(base, passage.theirs.join(""));
  if (!mine || !theirs) return undefined;
  const before = joinInsertions({ base, mine: mine[0], theirs: theirs[0] }, false);
  const after = joinInsertions({ base, mine: mine[1], theirs: theirs[1] }, true);
  return before === undefined || after === undefined ? undefined : [before, base, after];
}

/** Returns whether there is a word on the line of a position between words. */
function findWordLines(words: readonly string[]): (at: number) => boolean {
  const isWritten = [false];
  const lines = [0];
  for (const word of words) {
    if (word === "\n") isWritten.push(false);
    else if (word.trim() !== "") isWritten[isWritten.length - 1] = true;
    lines.push(isWritten.length - 1);
  }
  return (at) => isWritten[lines[at] ?? 0] === true;
}

/** Merges a passage by words; undefined if both sides have changed the same words, or an empty line. */
function mergeByWords({ base, mine, theirs }: Passage): string | undefined {
  const words = wordsOf(base.join("\n"));
  const ours = partialChanges(words, wordsOf(mine.join("\n")));
  const others = ours && partialChanges(words, wordsOf(theirs.join("\n")));
  if (!others) return undefined;
  const isOnWordLine = findWordLines(words);
  let at = 0;
  const parts = splitPassages(words, ours, others).map((part) => {
    const isBesideWords = isOnWordLine(at) || isOnWordLine(at + part.base.length);
    at += part.base.length;
    return (
      mergeOneSided(part) ?? mergeWithLines(part) ?? (isBesideWords ? mergeAroundWords(part) : undefined)
    );
  });
  return parts.every((part) => part !== undefined) ? parts.flat().join("") : undefined;
}

function mergePassage(passage: Passage): MergePart[] {
  const { base, mine, theirs } = passage;
  const certain = mergeOneSided(passage);
  if (certain) return certain.length > 0 ? [certain.join("\n")] : [];
  // Both sides have inserted lines at the same position.
  if (base.length === 0) return [[...theirs, ...mine].join("\n")];
  const merged = mergeByWords(passage);
  return [merged ?? { base: base.join("\n"), mine: mine.join("\n"), theirs: theirs.join("\n") }];
}

/** Merges two changes of a text. Linear in the texts and quadratic in the differences, up to a limit. */
export function mergeTexts(base: string, mine: string, theirs: string): MergePart[] {
  if (mine === base || mine === theirs) return [theirs];
  if (theirs === base) return [mine];
  const lines = base.split("\n");
  const ours = changesOf(lines, mine.split("\n"), MAX_LINE_CHANGES);
  const others = ours && changesOf(lines, theirs.split("\n"), MAX_LINE_CHANGES);
  return others ? splitPassages(lines, ours, others).flatMap(mergePassage) : [{ base, mine, theirs }];
}

/** Replaces the text from `from` to before `to`, in UTF-16 units. */
export type TextReplacement = { from: number; to: number; insert: string };

/** The replacements that turn one text into the other, by words and in order; one for the whole text if they differ too much. */
export function editsBetween(text: string, other: string): TextReplacement[] {
  const words = wordsOf(text);
  const changes = changesOf(words, wordsOf(other), MAX_EDITED_WORDS);
  if (!changes) return [{ from: 0, to: text.length, insert: other }];
  const starts = [0];
  for (const word of words) starts.push((starts.at(-1) ?? 0) + word.length);
  return changes.map(({ from, to, written }) => ({
    from: starts[from] ?? text.length,
    to: starts[to] ?? text.length,
    insert: written.join(""),
  }));
}

export const isTextConflict = (part: MergePart): part is TextConflict => typeof part !== "string";

/** The merged text, with one side, both sides or the base in place of conflicts. */
export const joinMergedParts = (parts: readonly MergePart[], choice: keyof TextConflict | "both"): string =>
  parts
    .map((part) => {
      if (!isTextConflict(part)) return part;
      return choice === "both" ? `${part.theirs}\n${part.mine}` : part[choice];
    })
    .join("\n");
