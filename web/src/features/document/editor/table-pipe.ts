import type { EditorState, Extension, Transaction } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { prefixOf, segmentsOf, tableAt } from "./table.ts";
import { nextCell } from "./table-keys.ts";

// The sign between two cells, as it is typed by who writes a table sign by sign.

/** What is typed, and where. */
type Typed = { from: number; to: number; text: string };

/**
 * A `|` that is typed at the end of a cell, whose own is there already, leads on: to the next cell, or behind the row. One in
 * front of an empty row is that which is there.
 */
export function closeCell(
  state: EditorState,
  { from, to, text }: Typed,
  dispatch: (transaction: Transaction) => void,
): boolean {
  const found = text === "|" && from === to && tableAt(state, from);
  if (!found) return false;
  const line = state.doc.lineAt(from);
  const isRule = line.number === state.doc.lineAt(found.table.from).number + 1;
  const prefix = prefixOf(line.text).length;
  const bare = line.text.slice(prefix);
  const place = from - line.from - prefix;
  const cells = segmentsOf(bare);
  const index = cells.findIndex((cell) => cell.from <= place && place <= cell.to);
  const cell = cells[index];
  const isAtEnd = cell && bare[cell.to] === "|" && bare.slice(place, cell.to).trim() === "";
  if (!isAtEnd || isRule || bare[place - 1] === "\\") return false;
  if (index === 0 && place <= cell.from + 1 && bare.slice(cell.from, place).trim() === "") return true;
  if (index + 1 < cells.length) return nextCell({ state, dispatch });
  dispatch(state.update({ selection: { anchor: from - place + cell.to + 1 }, userEvent: "select" }));
  return true;
}

/** The sign of tables, where it is typed. */
export const tablePipe: Extension = EditorView.inputHandler.of((view, from, to, text) =>
  closeCell(view.state, { from, to, text }, (transaction) => view.dispatch(transaction)),
);
