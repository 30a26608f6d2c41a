import type { Line } from "@codemirror/state";
import type { Decoration } from "@codemirror/view";
import type { SyntaxNodeRef } from "@lezer/common";
import { cell, type Drawing, line, linesOf, mark } from "./drawing.ts";
import { alignOf, prefixOf, segmentsOf } from "./table.ts";

// A table looks like one while it is written, whether or not its columns are below each other in the source.

const PIPE = mark("pipe");
const SHOWN_PIPE = mark("pipe-shown");
const ROW = line("table");
const HEAD = line("table live-table-head");
const RULE = line("table live-table-rule");

/** Of a longer table, only the rows in sight have a say in how wide its columns are. */
const MAX_MEASURED = 300;
/** In characters; what is longer is wrapped. */
const MAX_WIDTH = 42;

const SIDES: Record<string, string> = { r: "end", c: "center" };

/** The parts of a line between its pipes, and where they are counted from. */
function segmentsIn({ from, text }: Line) {
  const prefix = prefixOf(text).length;
  return { start: from + prefix, segments: segmentsOf(text.slice(prefix)) };
}

function widthsOf(lines: readonly Line[]): number[] {
  const widths: number[] = [];
  for (const one of lines)
    for (const [column, { from, to }] of segmentsIn(one).segments.entries())
      widths[column] = Math.max(widths[column] ?? 0, Math.min(to - from, MAX_WIDTH));
  return widths;
}

const cellOf = (width: number, align: string) =>
  cell(`min-width: ${width}ch; text-align: ${SIDES[align] ?? "start"}`);

function drawRow(drawing: Drawing, row: Line, cells: readonly Decoration[]): void {
  const pipe = drawing.isCursorAt(row.from) ? SHOWN_PIPE : PIPE;
  const { start, segments } = segmentsIn(row);
  for (const [column, { from, to }] of segments.entries()) {
    const own = cells[column];
    if (own && from < to) drawing.add(own, start + from, start + to);
    if (from > 0) drawing.add(pipe, start + from - 1, start + from);
  }
  const end = start + (segments.at(-1)?.to ?? 0);
  if (end < row.to) drawing.add(pipe, end, end + 1);
}

export function drawTable(drawing: Drawing, node: SyntaxNodeRef): void {
  const { doc } = drawing.state;
  const [first, last] = [doc.lineAt(node.from), doc.lineAt(node.to)];
  const rule = doc.line(Math.min(first.number + 1, last.number));
  const inSight = [...linesOf(drawing, node)];
  const isShort = last.number - first.number < MAX_MEASURED;
  const rows = (isShort ? [...linesOf({ ...drawing, from: node.from, to: node.to }, node)] : inSight).filter(
    ({ number }) => number !== rule.number,
  );
  const ruled = rule.text.slice(prefixOf(rule.text).length);
  const align = segmentsOf(ruled).map(({ from, to }) => alignOf(ruled.slice(from, to).trim()));
  const cells = widthsOf(rows).map((width, column) => cellOf(width, align[column] ?? ""));
  for (const one of inSight) {
    if (one.number === rule.number) {
      drawing.add(RULE, one.from);
      if (!drawing.isCursorAt(one.from)) drawing.add(PIPE, one.from, one.to);
      continue;
    }
    drawing.add(one.number === first.number ? HEAD : ROW, one.from);
    drawRow(drawing, one, cells);
  }
}
