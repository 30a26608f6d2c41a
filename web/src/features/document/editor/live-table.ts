import type { Line } from "@codemirror/state";
import type { Decoration } from "@codemirror/view";
import type { SyntaxNodeRef } from "@lezer/common";
import {
  cellDecoration,
  type DrawContext,
  drawnLines,
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

const SIDES: Record<string, string> = { r: "end", c: "center" };

/** The parts of a line between its pipes, and the offset they are relative to. */
function segmentsIn({ from, text }: Line) {
  const prefix = linePrefix(text).length;
  return { start: from + prefix, segments: tableSegments(text.slice(prefix)) };
}

function columnWidths(lines: readonly Line[]): number[] {
  const widths: number[] = [];
  for (const one of lines)
    for (const [column, { from, to }] of segmentsIn(one).segments.entries())
      widths[column] = Math.max(widths[column] ?? 0, Math.min(to - from, MAX_WIDTH));
  return widths;
}

const cellDecorationOf = (width: number, align: string) =>
  cellDecoration(`min-width: ${width}ch; text-align: ${SIDES[align] ?? "start"}`);

function drawRow(drawing: DrawContext, row: Line, cells: readonly Decoration[]): void {
  const pipe = drawing.isCursorAt(row.from) ? SHOWN_PIPE : PIPE;
  const { start, segments } = segmentsIn(row);
  for (const [column, { from, to }] of segments.entries()) {
    const decoration = cells[column];
    if (decoration && from < to) drawing.add(decoration, start + from, start + to);
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
