import { commonStart } from "../documents/changed-lines.ts";

const LIMITS = { lines: 12, length: 160, before: 40 };

/** Above this many pairs of lines, only lines that appear nowhere in the other text are reported. */
const MAX_PAIRS = 250_000;

type Hunk = { old: number[]; now: number[] };

/** For every pair of positions: how many lines the rests of both texts have in common. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint16Array[] {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let old = before.length - 1; old >= 0; old--) {
    const [row, next] = [rows[old] as Uint16Array, rows[old + 1] as Uint16Array];
    for (let now = after.length - 1; now >= 0; now--) {
      const isSame = before[old] === after[now];
      row[now] = isSame ? (next[now + 1] ?? 0) + 1 : Math.max(next[now] ?? 0, row[now + 1] ?? 0);
    }
  }
  return rows;
}

function diffHunks(before: readonly string[], after: readonly string[]): Hunk[] {
  const rows = commonLengths(before, after);
  const hunks: Hunk[] = [];
  let hunk: Hunk | undefined;
  let [old, now] = [0, 0];
  while (old < before.length || now < after.length) {
    if (old < before.length && now < after.length && before[old] === after[now]) {
      [hunk, old, now] = [undefined, old + 1, now + 1];
      continue;
    }
    if (!hunk) {
      hunk = { old: [], now: [] };
      hunks.push(hunk);
    }
    const wasRemoved = (rows[old + 1]?.[now] ?? -1) >= (rows[old]?.[now + 1] ?? -1);
    if (wasRemoved) hunk.old.push(old++);
    else hunk.now.push(now++);
  }
  return hunks;
}

function missingFrom(other: readonly string[], lines: readonly string[]): number[] {
  const left = new Map<string, number>();
  for (const line of other) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.flatMap((line, place) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count > 0 ? [] : [place];
  });
}

function hunksOf(before: readonly string[], after: readonly string[]): Hunk[] {
  if (before.length * after.length <= MAX_PAIRS) return diffHunks(before, after);
  return [
    { old: missingFrom(after, before), now: [] },
    { old: [], now: missingFrom(before, after) },
  ];
}

function commonEnds(before: readonly string[], after: readonly string[]) {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { start, end };
}

function excerpt(line: string, other: string): string {
  if (line.length <= LIMITS.length) return line;
  const different = other === "" ? 0 : commonStart(line, other) - LIMITS.before;
  const from = Math.max(0, Math.min(different, line.length - LIMITS.length));
  const part = line.slice(from, from + LIMITS.length).toWellFormed();
  return `${from > 0 ? "…" : ""}${part}${from + LIMITS.length < line.length ? "…" : ""}`;
}

type Line = { sign: "-" | "+"; place: number; text: string; other: string };

/** The lines of a hunk. If as many were added as removed, they are paired. */
function hunkLines({ old, now }: Hunk, before: readonly string[], after: readonly string[]): Line[] {
  const isPaired = old.length === now.length;
  const lineOf = (sign: Line["sign"], place: number | undefined, counterpart: number | undefined): Line[] => {
    if (place === undefined) return [];
    const [own, others] = sign === "-" ? [before, after] : [after, before];
    const other = isPaired && counterpart !== undefined ? others[counterpart] : undefined;
    return [{ sign, place, text: own[place] ?? "", other: other ?? "" }];
  };
  const most = Math.max(old.length, now.length);
  return Array.from({ length: most }, (_, index) => [
    ...lineOf("-", old[index], now[index]),
    ...lineOf("+", now[index], old[index]),
  ]).flat();
}

/** Ignores line endings, which differ between programs. */
const splitLines = (text: string) => text.split(/\r?\n/);

/** The lines that a change removed (`-3: …`) and added (`+3: …`), at most twelve of 160 characters. */
export function lineChanges(before: string, after: string): string[] {
  if (before === after) return [];
  const [old, now] = [splitLines(before), splitLines(after)];
  const { start, end } = commonEnds(old, now);
  const [oldPart, newPart] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const lines = hunksOf(oldPart, newPart).flatMap((hunk) => hunkLines(hunk, oldPart, newPart));
  if (lines.length === 0) return ["only the order of lines, or how they end"];
  const shown = lines
    .slice(0, LIMITS.lines)
    .map(({ sign, place, text, other }) => `${sign}${start + place + 1}: ${excerpt(text, other)}`);
  return lines.length > shown.length ? [...shown, `… and ${lines.length - shown.length} more lines`] : shown;
}
