import type { Line } from "@codemirror/state";
import type { Decoration } from "@codemirror/view";
import type { SyntaxNodeRef } from "@lezer/common";
import { directionOf } from "../direction.ts";
import { FIGURE, LONG_CELL } from "../figures.ts";
import {
  type DrawContext,
  directed,
  drawnLines,
  HIDDEN,
  lineDecoration,
  markDecoration,
} from "./decorations.ts";
import { columnAlignment, linePrefix, tableCells, tableSegments } from "./table.ts";

// Shows tables in the editor with aligned columns, however they are aligned in the source.

const PIPE = markDecoration("pipe");
const SHOWN_PIPE = markDecoration("pipe-shown");
const RULE = lineDecoration("table live-table-rule");

/** In a longer table, only the visible rows determine the column widths. */
const MAX_MEASURED_ROWS = 300;
/** In characters; longer cells are wrapped. */
const MAX_WIDTH = 42;
/** Where a row is too wide, its columns shrink to their longest words, or to this. What then is still too wide scrolls. */
const MAX_MIN_WIDTH = 18;
/** Long cells keep room for several words: a row is as high as its cells that are out of sight. */
const minWidthOf = ({ length }: string) => (length < LONG_CELL ? 0 : length < 100 ? 16 : MAX_MIN_WIDTH);

const SIDES: Record<string, string> = { r: "end", c: "center" };

/** The text of a line without its prefix, and where it starts. */
function rowOf({ from, text }: Line) {
  const prefix = linePrefix(text).length;
  return { start: from + prefix, row: text.slice(prefix) };
}

/** In characters, with a space on either side. */
type ColumnWidth = { width: number; min: number };

/** Chinese, Japanese and Korean signs and emoji are wide. */
const widthOf = (text: string, max: number) =>
  Math.min(text.replace(/[\u2300-\udbff\uf900-\uffff]/g, "$& ").length + 2, max);

function columnWidths(lines: readonly Line[]): ColumnWidth[] {
  const widths: ColumnWidth[] = [];
  for (const line of lines) {
    for (const [column, { text }] of tableCells(rowOf(line).row).entries()) {
      const { width = 0, min = 0 } = widths[column] ?? {};
      widths[column] = {
        width: Math.max(width, widthOf(text, MAX_WIDTH)),
        min: (FIGURE.test(text) ? [text] : text.split(/\s+/)).reduce(
          (most, word) => Math.max(most, widthOf(word, MAX_MIN_WIDTH)),
          Math.max(min, minWidthOf(text)),
        ),
      };
    }
  }
  return widths;
}

// A pixel more, because widths are rounded.
const cellDecorationOf = ({ width, min }: ColumnWidth, align: string) =>
  markDecoration(
    "cell",
    `flex-basis: calc(${width}ch + 1px); min-width: calc(${min}ch + 1px); text-align: ${SIDES[align] ?? "start"}`,
  );

/** Hides the spaces that align a cell in the source, but one on either side. */
function hidePadding({ isCursorAt, add }: DrawContext, text: string, from: number): void {
  const shown = text.trimStart().length;
  const hideSpaces = (start: number, end: number) =>
    start < end && !isCursorAt(start, end) && add(HIDDEN, start, end);
  if (shown > 0) hideSpaces(from, from + text.length - shown - 1);
  hideSpaces(from + text.trimEnd().length + 1, from + text.length);
}

function drawRow(drawing: DrawContext, line: Line, cells: readonly Decoration[]): void {
  const pipe = drawing.isCursorAt(line.from) ? SHOWN_PIPE : PIPE;
  const { start, row } = rowOf(line);
  const segments = tableSegments(row);
  for (const [column, { from, to }] of segments.entries()) {
    const decoration = cells[column];
    if (decoration && from < to) {
      drawing.add(decoration, start + from, start + to);
      hidePadding(drawing, row.slice(from, to), start + from);
    }
    if (from > 0) drawing.add(pipe, start + from - 1, start + from);
  }
  const end = start + (segments.at(-1)?.to ?? 0);
  if (end < line.to) drawing.add(pipe, end, end + 1);
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
  const align = tableCells(rowOf(rule).row).map(({ text }) => columnAlignment(text));
  const cells = columnWidths(rows).map((width, column) => cellDecorationOf(width, align[column] ?? ""));
  // As the first row, so that the columns stay below each other.
  const direction = directionOf(rowOf(first).row);
  for (const one of visibleLines) {
    drawing.add(directed(direction), one.from);
    if (one.number === rule.number) {
      drawing.add(RULE, one.from);
      if (!drawing.isCursorAt(one.from)) drawing.add(PIPE, one.from, one.to);
      continue;
    }
    drawing.add(lineDecoration(`table${one.number === first.number ? " live-table-head" : ""}`), one.from);
    drawRow(drawing, one, cells);
  }
}
