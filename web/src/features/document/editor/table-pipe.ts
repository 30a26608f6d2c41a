import type { EditorState, Extension, Transaction } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { TypedText } from "./fence.ts";
import { linePrefix, tableAt, tableSegments } from "./table.ts";
import { nextCell } from "./table-keys.ts";

// Typing `|` in a table.

/** A `|` typed before a cell's own pipe moves the cursor on. At the beginning of an empty row it is ignored. */
export function moveOverPipe(
  state: EditorState,
  { from, to, text }: TypedText,
  dispatch: (transaction: Transaction) => void,
): boolean {
  const found = text === "|" && from === to && tableAt(state, from);
  if (!found) return false;
  const line = state.doc.lineAt(from);
  const isDelimiterLine = line.number === state.doc.lineAt(found.table.from).number + 1;
  const prefix = linePrefix(line.text).length;
  const bare = line.text.slice(prefix);
  const place = from - line.from - prefix;
  const cells = tableSegments(bare);
  const index = cells.findIndex((cell) => cell.from <= place && place <= cell.to);
  const cell = cells[index];
  const isAtEnd = cell && bare[cell.to] === "|" && bare.slice(place, cell.to).trim() === "";
  if (!isAtEnd || isDelimiterLine || bare[place - 1] === "\\") return false;
  if (index === 0 && place <= cell.from + 1 && bare.slice(cell.from, place).trim() === "") return true;
  if (index + 1 < cells.length) return nextCell({ state, dispatch });
  dispatch(state.update({ selection: { anchor: from - place + cell.to + 1 }, userEvent: "select" }));
  return true;
}

export const tablePipe: Extension = EditorView.inputHandler.of((view, from, to, text) =>
  moveOverPipe(view.state, { from, to, text }, (transaction) => view.dispatch(transaction)),
);
