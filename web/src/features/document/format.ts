import {
  type ChangeSpec,
  EditorSelection,
  type EditorState,
  type SelectionRange,
  type StateCommand,
  type TransactionSpec,
} from "@codemirror/state";

// The toolbar's commands. Each toggles: run again, it removes its formatting.

/** Whether a run of a mark's character includes the mark: three asterisks are both italic and bold. */
const includesMark = (mark: string, run: number): boolean =>
  mark === "*" ? run % 2 === 1 : mark === "**" ? run === 2 || run === 3 : run === mark.length;

/** The runs of a mark's character in a text. */
const runsIn = (text: string, mark: string) => [...text.matchAll(mark.startsWith("*") ? /\*+/g : /`+/g)];

const runBefore = (text: string, mark: string): number => {
  let run = 0;
  while (text.at(-1 - run) === mark[0]) run++;
  return run;
};
const runAfter = (text: string, mark: string): number => {
  let run = 0;
  while (text[run] === mark[0]) run++;
  return run;
};

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

/** Removes the marks right around a range, or at both of its ends. */
function removeMarks(
  state: EditorState,
  range: SelectionRange,
  line: LineParts,
  mark: string,
): Change | undefined {
  const { length } = mark;
  const { from, to } = range;
  const isAround =
    includesMark(mark, runBefore(line.before, mark)) && includesMark(mark, runAfter(line.after, mark));
  const text = state.sliceDoc(from, to);
  if (isAround)
    return {
      changes: [
        { from: from - length, to: from },
        { from: to, to: to + length },
      ],
      range: EditorSelection.range(from - length, to - length),
    };
  const isInside =
    text.length > 2 * length &&
    [runAfter(text, mark), runBefore(text, mark)].every((run) => includesMark(mark, run));
  if (!isInside) return undefined;
  const changes = { from, to, insert: text.slice(length, -length) };
  return { changes, range: EditorSelection.range(from, to - 2 * length) };
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
      const line = lineAround(state, range);
      const removed = removeMarks(state, range, line, mark);
      if (removed || !range.empty) return removed ?? addMarks(range, mark);
      return (
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
const LINE_MARK = /^(\s*)((?:#{1,6}|>|[-*+](?: \[[ xX]\])?|\d+\.) )?/;

/** Sets a marker such as `- ` on the selected lines, replacing any other, or removes it. */
export const toggleLineMarker =
  (mark: string): StateCommand =>
  ({ state, dispatch }) => {
    const lines = selectedLines(state);
    const isSet = lines.every(({ text }) => text.trimStart().startsWith(mark));
    const changes = lines.map(({ from, text }): ChangeSpec => {
      const [, indent = "", old = ""] = LINE_MARK.exec(text) ?? [];
      const start = from + indent.length;
      return { from: start, to: start + old.length, insert: isSet ? "" : mark };
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
