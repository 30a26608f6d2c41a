import { EditorSelection, type EditorState, type Extension, type TransactionSpec } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

// Brackets, quotes and marks that are typed over selected words are put around them.

const PAIRS: Record<string, string> = {
  "(": ")",
  "[": "]",
  "{": "}",
  '"': '"',
  "'": "'",
  "“": "”",
  "„": "“",
  "«": "»",
  "`": "`",
  "*": "*",
  _: "_",
  "~": "~",
};

/** Puts typed signs around each selected range; undefined if they replace it. */
export function wrapSelection(state: EditorState, typed: string): TransactionSpec | undefined {
  const end = PAIRS[typed];
  if (end === undefined || state.selection.ranges.some(({ empty }) => empty)) return undefined;
  const change = state.changeByRange(({ from, to, anchor, head }) => {
    const text = state.sliceDoc(from, to);
    // A mark beside a space would not count.
    const words = text.trim() === "" ? text : text.trim();
    const start = from + text.indexOf(words);
    const [first, last] = [start + typed.length, start + typed.length + words.length];
    return {
      changes: [
        { from: start, insert: typed },
        { from: start + words.length, insert: end },
      ],
      range: anchor <= head ? EditorSelection.range(first, last) : EditorSelection.range(last, first),
    };
  });
  return { ...change, userEvent: "input.type", scrollIntoView: true };
}

export const wrapping: Extension = EditorView.inputHandler.of((view, from, to, text) => {
  const { main } = view.state.selection;
  const wrapped = from === main.from && to === main.to ? wrapSelection(view.state, text) : undefined;
  if (wrapped) view.dispatch(wrapped);
  return wrapped !== undefined;
});
