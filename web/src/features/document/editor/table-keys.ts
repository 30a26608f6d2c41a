import { EditorSelection, type Extension, Prec, type StateCommand } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { type Place, sourceOf, type Table, tableAt } from "./table.ts";

// Keys in a table. Each of them also puts its columns below each other.

const isEmpty = (row: string[] | undefined) => row?.every((cell) => cell === "") ?? true;

/** Goes to another place of the table in which the cursor is; `next` names it, and may add or remove rows. */
const go =
  (next: (table: Table, place: Place) => Place | undefined): StateCommand =>
  ({ state, dispatch }) => {
    if (state.selection.ranges.length > 1) return false;
    const found = tableAt(state, state.selection.main.head);
    if (!found) return false;
    const { table } = found;
    const place = next(table, found.place);
    const { text, cells } = sourceOf(table);
    const cell = place && cells[place.row]?.[place.column];
    // Below the table, where a line right after it would be its next row.
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

const widthOf = ({ rows }: Table) => Math.max(...rows.map(({ length }) => length));

function addRow(table: Table): void {
  table.rows.push(Array.from({ length: widthOf(table) }, () => ""));
}

/** The next cell; behind the last one a new row. */
export const nextCell = go((table, { row, column }) => {
  if (column + 1 < widthOf(table)) return { row, column: column + 1 };
  if (row + 1 === table.rows.length) addRow(table);
  return { row: row + 1, column: 0 };
});

export const previousCell = go((table, { row, column }) => {
  if (column > 0) return { row, column: column - 1 };
  return row > 0 ? { row: row - 1, column: widthOf(table) - 1 } : { row, column };
});

/** A row that is closed, or the line below the head, leads to the beginning of the next one. */
const rowBelow = (isClosed: boolean) =>
  go((table, { row, column }) => {
    const isLast = row + 1 === table.rows.length;
    if (isLast && row > 0 && isEmpty(table.rows[row])) {
      table.rows.pop();
      return undefined;
    }
    if (isLast) addRow(table);
    return { row: row + 1, column: isClosed || column >= widthOf(table) ? 0 : column };
  });

/** The cell below; behind the last row a new one, and out of the table when that is left empty. */
export const cellBelow: StateCommand = (target) => {
  const { main } = target.state.selection;
  const found = main.empty && tableAt(target.state, main.head);
  // In front of the table: a line above it.
  if (found && found.table.from === main.head) return false;
  const line = target.state.doc.lineAt(main.head);
  const before = line.text.slice(0, main.head - line.from).trimEnd();
  return rowBelow(main.head === line.to && before.endsWith("|"))(target);
};

export const tableKeys: Extension = Prec.high(
  keymap.of([
    { key: "Tab", run: nextCell, shift: previousCell },
    { key: "Enter", run: cellBelow },
  ]),
);
