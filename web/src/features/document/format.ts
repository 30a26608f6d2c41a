import {
  type ChangeSpec,
  EditorSelection,
  type EditorState,
  type StateCommand,
  type TransactionSpec,
} from "@codemirror/state";

// The commands of the toolbar. Each of them takes back what it did when it is given again.

/** Surrounds the selection with a mark, such as `**`, or removes it. */
export const surround =
  (mark: string): StateCommand =>
  ({ state, dispatch }) => {
    const { length } = mark;
    const change = state.changeByRange((range) => {
      const around = [
        state.sliceDoc(range.from - length, range.from),
        state.sliceDoc(range.to, range.to + length),
      ];
      if (around.every((text) => text === mark)) {
        return {
          changes: [
            { from: range.from - length, to: range.from },
            { from: range.to, to: range.to + length },
          ],
          range: EditorSelection.range(range.from - length, range.to - length),
        };
      }
      return {
        changes: [
          { from: range.from, insert: mark },
          { from: range.to, insert: mark },
        ],
        range: EditorSelection.range(range.from + length, range.to + length),
      };
    });
    dispatch(state.update(change, { userEvent: "input.format" }));
    return true;
  };

const linesOf = (state: EditorState) => {
  const numbers = new Set<number>();
  for (const { from, to } of state.selection.ranges) {
    const last = state.doc.lineAt(to).number;
    for (let number = state.doc.lineAt(from).number; number <= last; number++) numbers.add(number);
  }
  return [...numbers].map((number) => state.doc.line(number));
};

/** Anything that makes a line a heading, a quotation or an item of a list. */
const BEGINNING = /^(\s*)((?:#{1,6}|>|[-*+](?: \[[ xX]\])?|\d+\.) )?/;

/** Begins the selected lines with a mark, such as `- `, instead of what they begin with; or removes it. */
export const beginLines =
  (mark: string): StateCommand =>
  ({ state, dispatch }) => {
    const lines = linesOf(state);
    const isSet = lines.every(({ text }) => text.trimStart().startsWith(mark));
    const changes = lines.map(({ from, text }): ChangeSpec => {
      const [, indent = "", old = ""] = BEGINNING.exec(text) ?? [];
      const start = from + indent.length;
      return { from: start, to: start + old.length, insert: isSet ? "" : mark };
    });
    const set = state.changes(changes);
    const spec: TransactionSpec = { changes: set, selection: state.selection.map(set, 1) };
    dispatch(state.update(spec, { userEvent: "input.format" }));
    return true;
  };

/** Makes the selection a link, and selects the place for its address. */
export const insertLink: StateCommand = ({ state, dispatch }) => {
  const change = state.changeByRange(({ from, to }) => {
    const text = state.sliceDoc(from, to) || "text";
    const address = from + text.length + 3;
    return {
      changes: { from, to, insert: `[${text}](https://)` },
      range: EditorSelection.range(address, address + "https://".length),
    };
  });
  dispatch(state.update(change, { userEvent: "input.format" }));
  return true;
};
