import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import { enclosingNode, PARSE_TIMEOUT_MS } from "./lists.ts";

/** A cell's text without surrounding spaces, and its range in the line. */
export type Cell = { text: string; from: number; to: number };

export type Table = {
  from: number;
  to: number;
  /** The prefix of each line: markers of a quotation, indentation of a list. */
  prefixes: string[];
  /** The header first. The delimiter line below it is not included. */
  rows: string[][];
  align: string[];
};

/** A row and a column, from 0. */
export type CellPosition = { row: number; column: number };

/** Longer tables are not handled. */
const MAX_LENGTH = 100_000;

/** The ranges between the pipes of a line, with spaces. An escaped `\|` is part of its cell. */
export function tableSegments(line: string): { from: number; to: number }[] {
  const pipes = [...line.matchAll(/\\.|\|/g)].filter(([sign]) => sign === "|").map(({ index }) => index);
  const isOpened = line.trimStart().startsWith("|");
  const isClosed = pipes.length > 0 && line.slice((pipes.at(-1) ?? 0) + 1).trim() === "";
  const starts = [...(isOpened ? [] : [0]), ...pipes.map((pipe) => pipe + 1)];
  if (isClosed && starts.length > 1) starts.pop();
  const ends = isOpened ? pipes.slice(1) : pipes;
  return starts.map((from, index) => ({ from, to: ends[index] ?? line.length }));
}

export const tableCells = (line: string): Cell[] =>
  tableSegments(line).map(({ from: start, to: end }) => {
    const text = line.slice(start, end).trim();
    const from = text ? line.indexOf(text, start) : Math.min(start + 1, end);
    return { text, from, to: from + text.length };
  });

export const columnAlignment = (text: string): string =>
  text.endsWith(":") ? (text.startsWith(":") ? "c" : "r") : text.startsWith(":") ? "l" : "";

/** The quotation markers and indentation at the start of a line. */
export const linePrefix = (line: string) => /^[\s>]*/.exec(line)?.[0] ?? "";

/** The table at an offset, and the cell there; undefined if there is no table. */
export function tableAt(state: EditorState, at: number): { table: Table; place: CellPosition } | undefined {
  const { doc } = state;
  const currentLine = doc.lineAt(at);
  const inside = currentLine.from + linePrefix(currentLine.text).length;
  const tree = ensureSyntaxTree(state, currentLine.to, PARSE_TIMEOUT_MS) ?? syntaxTree(state);
  const node = enclosingNode(tree.resolveInner(inside, 1), /^Table$/);
  if (!node || node.to - node.from > MAX_LENGTH) return undefined;
  const [first, last] = [doc.lineAt(node.from), doc.lineAt(node.to)];
  const lines = doc.sliceString(first.from, last.to).split("\n");
  const prefixes = lines.map((line, index) =>
    index === 0 ? line.slice(0, node.from - first.from) : linePrefix(line),
  );
  const bare = lines.map((line, index) => line.slice(prefixes[index]?.length));
  const [head = [], rule = [], ...body] = bare.map(tableCells).map((cells) => cells.map(({ text }) => text));
  const number = currentLine.number - first.number;
  const offset = at - currentLine.from - (prefixes[number]?.length ?? 0);
  const column = tableCells(bare[number] ?? "").findLastIndex(({ from }) => from <= offset);
  const rows = [head, ...body];
  const table = { from: first.from, to: last.to, prefixes, rows, align: rule.map(columnAlignment) };
  // The delimiter line counts as the end of the header row.
  if (number === 1) return { table, place: { row: 0, column: head.length } };
  return { table, place: { row: Math.max(0, number - 1), column: Math.max(0, column) } };
}
