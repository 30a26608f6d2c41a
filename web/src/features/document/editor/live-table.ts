import type { Line } from "@codemirror/state";
import type { Decoration } from "@codemirror/view";
import type { SyntaxNodeRef } from "@lezer/common";
import {
  cellDecoration,
  type DrawContext,
  drawnLines,
  HIDDEN,
  lineDecoration,
  markDecoration,
} from "./decorations.ts";
import { columnAlignment, linePrefix, tableSegments } from "./table.ts";

// Shows tables in the editor with aligned columns, however they are aligned in the source.

const PIPE = markDecoration("pipe");
const SHOWN_PIPE = markDecoration("pipe-shown");
const ROW = lineDecoration("table");
const HEAD = lineDecoration("table live-table-head");
const RULE = lineDecoration("table live-table-rule");

/** In a longer table, only the visible rows determine the column widths. */
const MAX_MEASURED_ROWS = 300;
/** In characters; longer cells are wrapped. */
const MAX_WIDTH = 42;
/** Where a row is too wide, its columns shrink to their longest words, or to this. What then is still too wide scrolls. */
const MAX_MIN_WIDTH = 18;

const SIDES: Record<string, string> = { r: "end", c: "center" };

/** The parts of a line between its pipes, and the offset they are relative to. */
function segmentsIn({ from, text }: Line) {
  const prefix = linePrefix(text).length;
  return { start: from + prefix, segments: tableSegments(text.slice(prefix)) };
}

/** In characters, with a space on either side. */
type ColumnWidth = { width: number; min: number };

/** Chinese, Japanese and Korean signs, and emoji. */
const WIDE = /[\u2300-\udbff\uf900-\uffff]/g;

const widthOf = (text: string, max: number) => Math.min(text.trim().replace(WIDE, "$& ").length + 2, max);

function columnWidths(lines: readonly Line[]): ColumnWidth[] {
  const widths: ColumnWidth[] = [];
  for (const line of lines) {
    const { start, segments } = segmentsIn(line);
    for (const [column, { from, to }] of segments.entries()) {
      const text = line.text.slice(start - line.from + from, start - line.from + to);
      const { width = 0, min = 0 } = widths[column] ?? {};
      widths[column] = {
        width: Math.max(width, widthOf(text, MAX_WIDTH)),
        min: text.split(/\s+/).reduce((most, word) => Math.max(most, widthOf(word, MAX_MIN_WIDTH)), min),
      };
    }
  }
  return widths;
}

// A pixel more, because widths are rounded.
const cellDecorationOf = ({ width, min }: ColumnWidth, align: string) =>
  cellDecoration(
    `flex-basis: calc(${width}ch + 1px); min-width: calc(${min}ch + 1px); text-align: ${SIDES[align] ?? "start"}`,
  );

/** Hides the spaces that align a cell in the source, but one on either side. */
function hidePadding({ state, isCursorAt, add }: DrawContext, from: number, to: number): void {
  const text = state.sliceDoc(from, to);
  const before = text.length - text.trimStart().length;
  const after = text.length - text.trimEnd().length;
  const hideSpaces = (start: number, end: number) =>
    start < end && !isCursorAt(start, end) && add(HIDDEN, start, end);
  if (before < text.length) hideSpaces(from, from + before - 1);
  hideSpaces(to - after + 1, to);
}

function drawRow(drawing: DrawContext, row: Line, cells: readonly Decoration[]): void {
  const pipe = drawing.isCursorAt(row.from) ? SHOWN_PIPE : PIPE;
  const { start, segments } = segmentsIn(row);
  for (const [column, { from, to }] of segments.entries()) {
    const decoration = cells[column];
    if (decoration && from < to) {
      drawing.add(decoration, start + from, start + to);
      hidePadding(drawing, start + from, start + to);
    }
    if (from > 0) drawing.add(pipe, start + from - 1, start + from);
  }
  const end = start + (segments.at(-1)?.to ?? 0);
  if (end < row.to) drawing.add(pipe, end, end + 1);
}

export function drawTable(drawing: DrawContext, node: SyntaxNodeRef): void {
  const { doc } = drawing.state;
  const [first, last] = [doc.lineAt(node.from), doc.lineAt(node.to)];
  const rule = doc.line(Math.min(first.number + 1, last.number));
  const visibleLines = [...drawnLines(drawing, node)];
  const isShort = last.number - first.number < MAX_MEASURED_ROWS;
  const rows = (
    isShort ? [...drawnLines({ ...drawing, from: node.from, to: node.to }, node)] : visibleLines
  ).filter(({ number }) => number !== rule.number);
  const ruled = rule.text.slice(linePrefix(rule.text).length);
  const align = tableSegments(ruled).map(({ from, to }) => columnAlignment(ruled.slice(from, to).trim()));
  const cells = columnWidths(rows).map((width, column) => cellDecorationOf(width, align[column] ?? ""));
  for (const one of visibleLines) {
    if (one.number === rule.number) {
      drawing.add(RULE, one.from);
      if (!drawing.isCursorAt(one.from)) drawing.add(PIPE, one.from, one.to);
      continue;
    }
    drawing.add(one.number === first.number ? HEAD : ROW, one.from);
    drawRow(drawing, one, cells);
  }
}
