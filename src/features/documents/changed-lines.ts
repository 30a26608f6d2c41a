import { exactTexts, type TextEdit } from "./edit-text.ts";

// What an edit did, in the lines of the new text.

const MAX_SHOWN = 10;
const MAX_LINE = 200;

const cut = (line: string) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE).toWellFormed()}…` : line);

/** How many characters two texts have in common at the beginning. */
export function commonStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

/** The same at the end, without overlapping the common beginning. */
function commonEnd(a: string, b: string, start: number): number {
  const most = Math.min(a.length, b.length) - start;
  let length = 0;
  while (length < most && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length))
    length++;
  return length;
}

/** A part of a text, as positions in it. */
type Range = { start: number; end: number };

/** Where a text differs from the one before. */
function differenceOf(before: string, after: string): Range {
  const start = commonStart(before, after);
  return { start, end: after.length - commonEnd(before, after, start) };
}

const isEmpty = ({ start, end }: Range) => start === end;

/** Whether a range ends before a line begins. */
const isBefore = (range: Range, start: number) =>
  range.end < start || (range.end === start && !isEmpty(range));

/** The lines that ranges touch, in order, each as `12: text`; the rest is counted. */
function linesIn(text: string, ranges: readonly Range[]): string[] {
  const lines: string[] = [];
  let place = 0;
  let more = 0;
  let start = 0;
  for (const [index, line] of text.split("\n").entries()) {
    const end = start + line.length - Number(line.endsWith("\r"));
    for (let range = ranges[place]; range && isBefore(range, start); range = ranges[place]) place++;
    const range = ranges[place];
    const isTouched = range !== undefined && range.start <= end && (range.start < end || isEmpty(range));
    if (isTouched && lines.length < MAX_SHOWN) lines.push(`${index + 1}: ${cut(line.trimEnd())}`);
    else if (isTouched) more++;
    start += line.length + 1;
  }
  return more > 0 ? [...lines, `… and ${more} more lines`] : lines;
}

/** Where an exact text was replaced, as positions in the new text. */
function replacementsIn(before: string, find: string, written: string): Range[] {
  const ranges: Range[] = [];
  let shift = 0;
  for (let at = before.indexOf(find); at >= 0; at = before.indexOf(find, at + find.length)) {
    ranges.push({ start: at + shift, end: at + shift + written.length });
    shift += written.length - find.length;
  }
  return ranges;
}

/** The lines of a text in which it differs from the one before, at most ten; none if it does not. */
export const changedLines = (before: string, after: string): string[] =>
  before === after ? [] : linesIn(after, [differenceOf(before, after)]);

/** What an edit did. */
export type EditReport = { replacements?: number; changed: string[] };

/**
 * The lines of the new text that an edit changed, at most ten, each with its number and cut to 200 characters; and for
 * `find_replace`, how many occurrences it replaced. In time linear in the texts.
 */
export function reportEdit(before: string, after: string, edit: TextEdit): EditReport {
  if (edit.operation !== "find_replace") return { changed: changedLines(before, after) };
  const { find, written } = exactTexts(before, edit);
  const ranges = replacementsIn(before, find, written);
  return { replacements: ranges.length, changed: linesIn(after, ranges) };
}
