import {
  EditorSelection,
  type EditorState,
  type StateCommand,
  type TransactionSpec,
} from "@codemirror/state";

// Blocks with empty lines around them, such as tables.

type Range = { from: number; to: number };

/** Where to insert a block: below the line, or in its place if nothing else is on the line. */
function blockPosition({ doc }: EditorState, { from, to }: Range) {
  const line = doc.lineAt(from);
  const isAlone =
    doc.sliceString(line.from, from).trim() === "" && doc.sliceString(to, line.to).trim() === "";
  const hasText = (number: number) =>
    number >= 1 && number <= doc.lines && doc.line(number).text.trim() !== "";
  const above = hasText(line.number - 1) ? "\n" : "";
  const below = hasText(line.number + 1) ? "\n" : "";
  if (!isAlone) return { from, kept: doc.sliceString(to, line.to), end: line.to, above: "\n\n", below };
  return { from: line.from, kept: "", end: line.to, above, below };
}

/** A text, and the selection inside it. */
export type Block = { text: string; anchor: number; head?: number };

/** Inserts a block in place of a range. */
export function insertBlock(
  state: EditorState,
  range: Range,
  { text, anchor, head = anchor }: Block,
): TransactionSpec {
  const place = blockPosition(state, range);
  const before = `${place.kept}${place.above}`;
  const start = place.from + before.length;
  return {
    changes: { from: place.from, to: place.end, insert: `${before}${text}${place.below}` },
    selection: EditorSelection.range(start + anchor, start + head),
    scrollIntoView: true,
    userEvent: "input.complete",
  };
}

export const TABLE: Block = {
  text: "| Column | Column |\n| ------ | ------ |\n|        |        |",
  anchor: 2,
  head: 8,
};

/** Inserts an empty table below the line of the cursor. */
export const insertTable: StateCommand = ({ state, dispatch }) => {
  const { to } = state.doc.lineAt(state.selection.main.head);
  dispatch(state.update(insertBlock(state, { from: to, to }, TABLE)));
  return true;
};
