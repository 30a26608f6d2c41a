import { EditorSelection, type EditorState, type TransactionSpec } from "@codemirror/state";
import type { ConvertedHtml } from "./clipboard/markdown.ts";
import { MARK } from "./lists.ts";
import { tableAt } from "./table.ts";

// Inserts Markdown where it is pasted: in a list, a quotation or a table it has to fit in.

const LIST = /^(?:[-+*]|\d{1,9}[.)])\s/;

/** What lines have to begin with to be in the same item or quotation as this one. */
function continuation(line: string): string {
  const mark = MARK.exec(line)?.[0];
  if (mark === undefined) return /^[\s>]*/.exec(line)?.[0] ?? "";
  const bare = mark.replace(/\[[ xX]\] $/, "");
  return bare.replace(/[^\s>]/g, " ");
}

const prefixed = (text: string, prefix: string) =>
  text
    .split("\n")
    .map((line, index) => (index === 0 ? line : `${prefix}${line}`.trimEnd()))
    .join("\n");

type Place = { from: number; to: number; insert: string };

/** In the cell of a table, lines are separated by `<br>`. */
export function cellText(text: string): string {
  const lines = text.trim().split(/\s*\n\s*/);
  return lines.join("<br>").replace(/(?<!\\)\|/g, "\\|");
}

function placeOf(state: EditorState, { text, isBlock }: ConvertedHtml): Place {
  const { from, to } = state.selection.main;
  if (tableAt(state, from)) return { from, to, insert: cellText(text) };
  const line = state.doc.lineAt(from);
  const before = line.text.slice(0, from - line.from);
  const after = state.doc.sliceString(to, state.doc.lineAt(to).to).trim();
  const mark = MARK.exec(before)?.[0];
  const end = isBlock && after ? "\n\n" : "";
  // Items pasted into an empty item take its place.
  if (mark === before && LIST.test(text)) {
    const indent = /^[\s>]*/.exec(before)?.[0] ?? "";
    return { from: line.from, to, insert: prefixed(`${indent}${text}${end}`, indent) };
  }
  const prefix = continuation(before);
  const isAtStart = before.trim() === "" || before === mark || /^[\s>]*$/.test(before);
  const gap = mark !== undefined && LIST.test(text) ? "\n" : "\n\n";
  return { from, to, insert: prefixed(`${isBlock && !isAtStart ? gap : ""}${text}${end}`, prefix) };
}

/** The change that inserts Markdown in place of the selection. */
export function insertMarkdown(state: EditorState, converted: ConvertedHtml): TransactionSpec {
  const place = placeOf(state, converted);
  return {
    changes: place,
    selection: EditorSelection.cursor(place.from + place.insert.length),
    scrollIntoView: true,
    userEvent: "input.paste",
  };
}
