import type { DocumentEditRequest } from "../../contract/document.ts";
import { sectionsOf } from "../../shared/markdown/sections.ts";
import { findAndReplacement } from "./edit-text.ts";

const MAX_CHANGED_LINES = 10;
const MAX_LINE_LENGTH = 200;

const cutLine = (line: string) =>
  line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH).toWellFormed()}…` : line;

export function commonStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

function commonEnd(a: string, b: string, start: number): number {
  const most = Math.min(a.length, b.length) - start;
  let length = 0;
  while (length < most && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length))
    length++;
  return length;
}

type Range = { start: number; end: number };

function differingRange(before: string, after: string): Range {
  const start = commonStart(before, after);
  return { start, end: after.length - commonEnd(before, after, start) };
}

const isEmpty = ({ start, end }: Range) => start === end;

const endsBefore = (range: Range, start: number) =>
  range.end < start || (range.end === start && !isEmpty(range));

/** The lines that ranges touch, in order, each as `12: text`; lines beyond the limit are counted. */
function touchedLines(text: string, ranges: readonly Range[]): string[] {
  const lines: string[] = [];
  let place = 0;
  let more = 0;
  let start = 0;
  for (const [index, line] of text.split("\n").entries()) {
    const end = start + line.length - Number(line.endsWith("\r"));
    for (let range = ranges[place]; range && endsBefore(range, start); range = ranges[place]) place++;
    const range = ranges[place];
    const isTouched = range !== undefined && range.start <= end && (range.start < end || isEmpty(range));
    if (isTouched && lines.length < MAX_CHANGED_LINES) lines.push(`${index + 1}: ${cutLine(line.trimEnd())}`);
    else if (isTouched) more++;
    start += line.length + 1;
  }
  return more > 0 ? [...lines, `… and ${more} more lines`] : lines;
}

function replacementRanges(before: string, find: string, written: string): Range[] {
  const ranges: Range[] = [];
  let shift = 0;
  for (let at = before.indexOf(find); at >= 0; at = before.indexOf(find, at + find.length)) {
    ranges.push({ start: at + shift, end: at + shift + written.length });
    shift += written.length - find.length;
  }
  return ranges;
}

/** The lines in which a text differs from the previous one, at most ten. */
export const changedLines = (before: string, after: string): string[] =>
  before === after ? [] : touchedLines(after, [differingRange(before, after)]);

export type EditReport = { replacements?: number; changed: string[]; removed?: string };

const MAX_HEADINGS = 10;

function missingEntries(now: readonly string[], before: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const one of now) left.set(one, (left.get(one) ?? 0) + 1);
  return before.filter((one) => {
    const count = left.get(one) ?? 0;
    left.set(one, count - 1);
    return count <= 0;
  });
}

const nonEmptyLines = (text: string) =>
  text
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

const headingLines = (text: string) =>
  sectionsOf(text).map(({ depth, name }) => `${"#".repeat(depth)} ${name}`);

const countText = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Describes the removed lines: their number, their size and their headings. Undefined if no line was removed. */
function describeRemoved(before: string, after: string): string | undefined {
  const lines = missingEntries(nonEmptyLines(after), nonEmptyLines(before));
  if (lines.length === 0) return undefined;
  const characters = lines.reduce((sum, line) => sum + line.length, 0);
  const size = `${countText(lines.length, "line")} (${countText(characters, "character")})`;
  const headings = missingEntries(headingLines(after), headingLines(before));
  if (headings.length === 0) return size;
  const named = headings.slice(0, MAX_HEADINGS).map(cutLine).join(", ");
  const more = headings.length > MAX_HEADINGS ? ` and ${headings.length - MAX_HEADINGS} more` : "";
  return `${size}, among them ${headings.length === 1 ? "the heading" : "the headings"} ${named}${more}`;
}

/** The lines that an edit changed, at most ten of 200 characters, and what it removed. Linear in the texts. */
export function reportEdit(before: string, after: string, edit: DocumentEditRequest): EditReport {
  const changed = changedLines(before, after);
  if (edit.operation === "append" || edit.operation === "prepend") return { changed };
  if (edit.operation !== "find_replace") {
    const removed = describeRemoved(before, after);
    return { changed, ...(removed !== undefined && { removed }) };
  }
  const { find, written } = findAndReplacement(before, edit);
  const ranges = replacementRanges(before, find, written);
  return { replacements: ranges.length, changed: touchedLines(after, ranges) };
}
