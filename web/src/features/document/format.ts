import {
  type ChangeSpec,
  EditorSelection,
  type EditorState,
  type SelectionRange,
  type StateCommand,
  type TransactionSpec,
} from "@codemirror/state";
import { toggleOver } from "./editor/inline-marks.ts";

// The toolbar's commands. Each toggles: run again, it removes its formatting.

/** Whether a run of a mark's character includes the mark: three asterisks are both italic and bold. */
const includesMark = (mark: string, run: number): boolean =>
  mark === "*" ? run % 2 === 1 : mark === "**" ? run === 2 || run === 3 : run === mark.length;

/** The runs of a mark's character in a text. */
const runsIn = (text: string, mark: string) => [...text.matchAll(mark.startsWith("*") ? /\*+/g : /`+/g)];

/** The text of the line before and after a range. */
type LineParts = { before: string; after: string };

const lineAround = ({ doc }: EditorState, { from, to }: { from: number; to: number }): LineParts => {
  const [first, last] = [doc.lineAt(from), doc.lineAt(to)];
  return { before: first.text.slice(0, from - first.from), after: last.text.slice(to - last.from) };
};

/** Whether a mark is still open at the end of the text. */
const isOpenAfter = (text: string, mark: string): boolean =>
  runsIn(text, mark).filter(([run]) => includesMark(mark, run.length)).length % 2 === 1;

/** A change of the text, and the selection after it. */
type Change = { changes: ChangeSpec; range: SelectionRange };

/** At the end of marked text, moves the cursor behind the mark, with the spaces before it: after a space it would not close. */
function closeMark(at: number, { before, after }: LineParts, mark: string): Change | undefined {
  if (!after.startsWith(mark) || !isOpenAfter(before, mark)) return undefined;
  const spaces = /\s*$/.exec(before)?.[0] ?? "";
  const behind = at + mark.length;
  if (spaces === "" || spaces === before) return { changes: [], range: EditorSelection.cursor(behind) };
  const changes = { from: at - spaces.length, to: behind, insert: mark + spaces };
  return { changes, range: EditorSelection.cursor(behind) };
}

/** The marks right around the cursor, with nothing between them. */
function removeEmptyMarks(at: number, { before, after }: LineParts, mark: string): Change | undefined {
  const sign = mark[0] === "*" ? "\\*" : "`";
  const runs = [new RegExp(`${sign}*$`).exec(before), new RegExp(`^${sign}*`).exec(after)];
  if (!runs.every((run) => includesMark(mark, run?.[0].length ?? 0))) return undefined;
  const { length } = mark;
  return { changes: { from: at - length, to: at + length }, range: EditorSelection.cursor(at - length) };
}

function removeMarksAround(at: number, { before, after }: LineParts, mark: string): Change | undefined {
  const opening = runsIn(before, mark).findLast(([run]) => includesMark(mark, run.length));
  const closing = runsIn(after, mark).find(([run]) => includesMark(mark, run.length));
  if (!opening || !closing || !isOpenAfter(before, mark)) return undefined;
  const { length } = mark;
  const from = at - before.length + opening.index + opening[0].length - length;
  const changes = [
    { from, to: from + length },
    { from: at + closing.index, to: at + closing.index + length },
  ];
  return { changes, range: EditorSelection.cursor(at - length) };
}

function addMarks({ from, to }: SelectionRange, mark: string): Change {
  const { length } = mark;
  return {
    changes: [
      { from, insert: mark },
      { from: to, insert: mark },
    ],
    range: EditorSelection.range(from + length, to + length),
  };
}

/** Toggles a mark such as `**`, like the formatting keys of a word processor. */
export const toggleInlineMark =
  (mark: string): StateCommand =>
  ({ state, dispatch }) => {
    const change = state.changeByRange((range) => {
      if (!range.empty) return toggleOver(state, range, mark) ?? { range };
      const line = lineAround(state, range);
      return (
        removeEmptyMarks(range.from, line, mark) ??
        closeMark(range.from, line, mark) ??
        removeMarksAround(range.from, line, mark) ??
        addMarks(range, mark)
      );
    });
    dispatch(state.update(change, { userEvent: "input.format" }));
    return true;
  };

const selectedLines = (state: EditorState) => {
  const numbers = new Set<number>();
  for (const { from, to } of state.selection.ranges) {
    const last = state.doc.lineAt(to).number;
    for (let number = state.doc.lineAt(from).number; number <= last; number++) numbers.add(number);
  }
  return [...numbers].map((number) => state.doc.line(number));
};

/** The marker of a heading, quotation or list item. */
const LINE_MARK = /^(\s*)((?:#{1,6}|>|[-*+](?: \[[ xX]\])?|\d+[.)]) )?/;

/** Markers that mean the same, whatever the number and the box. */
const kindOf = (mark: string) =>
  mark
    .replace(/\d+[.)]/, "1.")
    .replace(/\[[xX]\]/, "[ ]")
    .replace(/^[*+]/, "-");

/** Sets a marker such as `- ` on the selected lines, replacing any other, or removes it. Lines of a list are numbered. */
export const toggleLineMarker =
  (mark: string): StateCommand =>
  ({ state, dispatch }) => {
    const all = selectedLines(state);
    const filled = all.filter(({ text }) => text.trim() !== "");
    const lines = (filled.length > 0 ? filled : all).map(({ from, text }) => {
      const [, indent = "", old = ""] = LINE_MARK.exec(text) ?? [];
      return { start: from + indent.length, old };
    });
    const isSet = lines.every(({ old }) => kindOf(old) === mark);
    const changes = lines.map(({ start, old }, index): ChangeSpec => {
      const insert = isSet ? "" : mark.replace("1.", `${index + 1}.`);
      return { from: start, to: start + old.length, insert };
    });
    const set = state.changes(changes);
    const spec: TransactionSpec = { changes: set, selection: state.selection.map(set, 1) };
    dispatch(state.update(spec, { userEvent: "input.format" }));
    return true;
  };

/** Makes the selection a link, and selects its URL for typing. */
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
