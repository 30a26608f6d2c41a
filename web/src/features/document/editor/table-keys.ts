import { EditorSelection, type Extension, Prec, type StateCommand } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { type CellPosition, type Table, tableAt } from "./table.ts";
import { tableSource } from "./table-source.ts";

// Keys in tables. Each of them also aligns the table's columns in the source.

const isEmpty = (row: string[] | undefined) => row?.every((cell) => cell === "") ?? true;

/** Moves the cursor to another cell. `next` returns the cell, and may add or remove rows; undefined leaves the table. */
const moveTo =
  (next: (table: Table, place: CellPosition) => CellPosition | undefined): StateCommand =>
  ({ state, dispatch }) => {
    if (state.selection.ranges.length > 1) return false;
    const found = tableAt(state, state.selection.main.head);
    if (!found) return false;
    const { table } = found;
    const place = next(table, found.place);
    const { text, cells } = tableSource(table);
    const cell = place && cells[place.row]?.[place.column];
    // Leaves the table with a blank line: a line right after it would be its next row.
    const insert = cell ? text : `${text}\n\n`;
    const range = cell ?? { from: insert.length, to: insert.length };
    dispatch(
      state.update({
        ...(insert !== state.sliceDoc(table.from, table.to) && {
          changes: { from: table.from, to: table.to, insert },
        }),
        selection: EditorSelection.range(table.from + range.from, table.from + range.to),
        scrollIntoView: true,
        userEvent: "input.table",
      }),
    );
    return true;
  };

const columnCount = ({ rows }: Table) => Math.max(...rows.map(({ length }) => length));

function addRow(table: Table): void {
  table.rows.push(Array.from({ length: columnCount(table) }, () => ""));
}

/** Moves to the next cell, adding a row after the last one. */
export const nextCell = moveTo((table, { row, column }) => {
  if (column + 1 < columnCount(table)) return { row, column: column + 1 };
  if (row + 1 === table.rows.length) addRow(table);
  return { row: row + 1, column: 0 };
});

export const previousCell = moveTo((table, { row, column }) => {
  if (column > 0) return { row, column: column - 1 };
  return row > 0 ? { row: row - 1, column: columnCount(table) - 1 } : { row, column };
});

/** At the end of a closed row, or on the line below the header, moves to the first cell of the next row. */
const rowBelow = (isClosed: boolean) =>
  moveTo((table, { row, column }) => {
    const isLast = row + 1 === table.rows.length;
    if (isLast && row > 0 && isEmpty(table.rows[row])) {
      table.rows.pop();
      return undefined;
    }
    if (isLast) addRow(table);
    return { row: row + 1, column: isClosed || column >= columnCount(table) ? 0 : column };
  });

/** Moves to the cell below, adding a row after the last one; from an empty last row, leaves the table. */
export const cellBelow: StateCommand = (target) => {
  const { main } = target.state.selection;
  const found = main.empty && tableAt(target.state, main.head);
  // Before the table, Enter inserts a line above it.
  if (found && found.table.from === main.head) return false;
  const line = target.state.doc.lineAt(main.head);
  const before = line.text.slice(0, main.head - line.from).trimEnd();
  return rowBelow(main.head === line.to && before.endsWith("|"))(target);
};

// Before the keys of Markdown: in a quotation or an item, Enter would continue it and split the row.
export const tableKeys: Extension = Prec.highest(
  keymap.of([
    { key: "Tab", run: nextCell, shift: previousCell },
    { key: "Enter", run: cellBelow },
  ]),
);
