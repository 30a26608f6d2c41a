import {
  type ChangeSpec,
  EditorSelection,
  type EditorState,
  type SelectionRange,
  type StateCommand,
  type TransactionSpec,
} from "@codemirror/state";

// The commands of the toolbar. Each of them takes back what it did when it is given again.

/** How often a mark stands in a run of its character: three stars are both italic and bold. */
const holds = (mark: string, run: number): boolean =>
  mark === "*" ? run % 2 === 1 : mark === "**" ? run === 2 || run === 3 : run === mark.length;

/** The runs of a mark's character in a text, with where each begins. */
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

type Line = { before: string; after: string };

const lineAround = ({ doc }: EditorState, { from, to }: { from: number; to: number }): Line => {
  const [first, last] = [doc.lineAt(from), doc.lineAt(to)];
  return { before: first.text.slice(0, from - first.from), after: last.text.slice(to - last.from) };
};

/** Whether a mark of the line is open where a text ends. */
const isOpenAfter = (text: string, mark: string): boolean =>
  runsIn(text, mark).filter(([run]) => holds(mark, run.length)).length % 2 === 1;

/** What a mark does at a range: the change, and what is selected after it. */
type Change = { changes: ChangeSpec; range: SelectionRange };

/** Ends what the cursor is at the end of: it goes behind the mark, with the spaces in front of it, which would make it none. */
function ended(at: number, { before, after }: Line, mark: string): Change | undefined {
  if (!after.startsWith(mark) || !isOpenAfter(before, mark)) return undefined;
  const spaces = /\s*$/.exec(before)?.[0] ?? "";
  const behind = at + mark.length;
  if (spaces === "" || spaces === before) return { changes: [], range: EditorSelection.cursor(behind) };
  const changes = { from: at - spaces.length, to: behind, insert: mark + spaces };
  return { changes, range: EditorSelection.cursor(behind) };
}

/** Takes the marks away between which the cursor is. */
function unmarked(at: number, { before, after }: Line, mark: string): Change | undefined {
  const opening = runsIn(before, mark).findLast(([run]) => holds(mark, run.length));
  const closing = runsIn(after, mark).find(([run]) => holds(mark, run.length));
  if (!opening || !closing || !isOpenAfter(before, mark)) return undefined;
  const { length } = mark;
  const from = at - before.length + opening.index + opening[0].length - length;
  const changes = [
    { from, to: from + length },
    { from: at + closing.index, to: at + closing.index + length },
  ];
  return { changes, range: EditorSelection.cursor(at - length) };
}

/** Takes the marks away that stand right around a range, or at both of its ends. */
function bare(state: EditorState, range: SelectionRange, line: Line, mark: string): Change | undefined {
  const { length } = mark;
  const { from, to } = range;
  const isAround = holds(mark, runBefore(line.before, mark)) && holds(mark, runAfter(line.after, mark));
  const text = state.sliceDoc(from, to);
  if (isAround)
    return {
      changes: [
        { from: from - length, to: from },
        { from: to, to: to + length },
      ],
      range: EditorSelection.range(from - length, to - length),
    };
  const holdsBoth =
    text.length > 2 * length &&
    [runAfter(text, mark), runBefore(text, mark)].every((run) => holds(mark, run));
  if (!holdsBoth) return undefined;
  const changes = { from, to, insert: text.slice(length, -length) };
  return { changes, range: EditorSelection.range(from, to - 2 * length) };
}

function marked({ from, to }: SelectionRange, mark: string): Change {
  const { length } = mark;
  return {
    changes: [
      { from, insert: mark },
      { from: to, insert: mark },
    ],
    range: EditorSelection.range(from + length, to + length),
  };
}

/** Begins or ends what a mark such as `**` makes of a text, as the key of a word processor does. */
export const surround =
  (mark: string): StateCommand =>
  ({ state, dispatch }) => {
    const change = state.changeByRange((range) => {
      const line = lineAround(state, range);
      const removed = bare(state, range, line, mark);
      if (removed || !range.empty) return removed ?? marked(range, mark);
      return ended(range.from, line, mark) ?? unmarked(range.from, line, mark) ?? marked(range, mark);
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
