import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import { Compartment, EditorSelection, EditorState, type Extension, Prec } from "@codemirror/state";
import { EditorView, keymap, tooltips } from "@codemirror/view";
import { beginLines } from "../format.ts";
import { type Commit, commitTask, taskAt } from "./commit-task.ts";
import { TASK } from "./task-box.ts";

// The menu that `/` opens at the beginning of a word: what one can insert.

/** Where `/` is a sign like any other. */
const NOT_TEXT = /Code|URL|Link|HTML|Comment|Processing/;

const isText = (state: EditorState, at: number) => {
  for (let node = syntaxTree(state).resolveInner(at, -1); ; ) {
    if (NOT_TEXT.test(node.name)) return false;
    if (!node.parent) return true;
    node = node.parent;
  }
};

/** Inserts a text in the place of what was typed. */
type Insert = (view: EditorView, from: number, to: number) => void;

/** Makes the line a heading, an item of a list or a quotation. */
const asLine =
  (mark: string): Insert =>
  (view, from, to) => {
    const typed = view.state.update({ changes: { from, to } });
    beginLines(mark)({
      state: typed.state,
      // One step, as it was one for whoever undoes it.
      dispatch: ({ changes, newSelection }) =>
        view.dispatch({
          changes: typed.changes.compose(changes),
          selection: newSelection,
          userEvent: "input.complete",
        }),
    });
  };

/** Where a block goes that is inserted for what was typed: below its line, or in its place if that is all of the line. */
function placeOf({ doc }: EditorState, from: number, to: number) {
  const line = doc.lineAt(from);
  const isAlone =
    doc.sliceString(line.from, from).trim() === "" && doc.sliceString(to, line.to).trim() === "";
  const isWritten = (number: number) =>
    number >= 1 && number <= doc.lines && doc.line(number).text.trim() !== "";
  const above = isWritten(line.number - 1) ? "\n" : "";
  const below = isWritten(line.number + 1) ? "\n" : "";
  // The space in front of the slash goes with it.
  if (!isAlone)
    return { from: from - 1, kept: doc.sliceString(to, line.to), end: line.to, above: "\n\n", below };
  return { from: line.from, kept: "", end: line.to, above, below };
}

/**
 * A block with empty lines around it.
 *
 * @param anchor where the cursor is in it, and `head` the end of what is selected
 */
const asBlock =
  (block: string, anchor: number, head = anchor): Insert =>
  (view, from, to) => {
    const place = placeOf(view.state, from, to);
    const before = `${place.kept}${place.above}`;
    const start = place.from + before.length;
    view.dispatch({
      changes: { from: place.from, to: place.end, insert: `${before}${block}${place.below}` },
      selection: EditorSelection.range(start + anchor, start + head),
      scrollIntoView: true,
      userEvent: "input.complete",
    });
  };

const asWords =
  (words: () => string): Insert =>
  (view, from, to) => {
    const insert = words();
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor: from + insert.length },
      userEvent: "input.complete",
    });
  };

const TABLE = "| Column | Column |\n| ------ | ------ |\n|        |        |";

type Item = {
  name: string;
  detail: string;
  insert: Insert;
  /** Where it is offered: everywhere by default. */
  isFor?: (state: EditorState, at: number) => boolean;
};

/** Makes the task on the line a commitment, once what was typed is gone. */
const asCommitment =
  (commit: Commit): Insert =>
  (view, from, to) => {
    const isSpace = view.state.sliceDoc(from - 1, from) === " ";
    view.dispatch({ changes: { from: isSpace ? from - 1 : from, to }, userEvent: "input.complete" });
    commitTask(commit)(view);
  };

/** Whether there are words in front of what is typed, of a task that is no commitment yet. */
const isTaskBefore = (state: EditorState, at: number) => {
  const { from } = state.doc.lineAt(at);
  const [mark = ""] = TASK.exec(state.sliceDoc(from, at)) ?? [];
  return state.sliceDoc(from + mark.length, at).trim() !== "" && taskAt(state, at) !== undefined;
};

const asFiles =
  (add: () => void): Insert =>
  (view, from, to) => {
    view.dispatch({ changes: { from, to }, userEvent: "input.complete" });
    add();
  };

const itemsOn = (today: () => string, commit: Commit, add: () => void): Item[] => [
  { name: "Commitment", detail: "a record", insert: asCommitment(commit), isFor: isTaskBefore },
  { name: "Heading 1", detail: "#", insert: asLine("# ") },
  { name: "Heading 2", detail: "##", insert: asLine("## ") },
  { name: "Heading 3", detail: "###", insert: asLine("### ") },
  { name: "List", detail: "-", insert: asLine("- ") },
  { name: "Numbered list", detail: "1.", insert: asLine("1. ") },
  { name: "Task", detail: "- [ ]", insert: asLine("- [ ] ") },
  { name: "Quote", detail: ">", insert: asLine("> ") },
  { name: "Code block", detail: "```", insert: asBlock("```\n\n```", 4) },
  { name: "Table", detail: "| |", insert: asBlock(TABLE, 2, 8) },
  { name: "Picture or file", detail: "upload", insert: asFiles(add) },
  { name: "Rule", detail: "---", insert: asBlock("---\n", 4) },
  { name: "Date", detail: "today", insert: asWords(today) },
];

/** As a completion, whose `from` is behind the slash. */
const completionOf = ({ name, detail, insert }: Item, index: number): Completion => ({
  label: name,
  detail,
  // In this order; what fits better to what is typed comes first.
  boost: -index,
  apply: (view, _completion, from, to) => insert(view, from - 1, to),
});

/** As much before the cursor as CodeMirror looks at. */
const MATCHED = 250;
const TYPED = /^[\p{L}\d]*$/u;
const ASKED = /(?:^|[\s>])\/[\p{L}\d]*$/u;

const sourceOf =
  (items: Item[]) =>
  (context: CompletionContext): CompletionResult | null => {
    const typed = context.matchBefore(ASKED);
    if (!typed) return null;
    const from = typed.from + typed.text.indexOf("/") + 1;
    if (!isText(context.state, from)) return null;
    const options = items.filter(({ isFor }) => isFor?.(context.state, from - 1) ?? true).map(completionOf);
    return { from, options, validFor: TYPED };
  };

const look = EditorView.theme({
  ".cm-tooltip.cm-tooltip-autocomplete": {
    padding: "var(--space-1)",
    border: "1px solid var(--line)",
    borderRadius: "var(--radius)",
    background: "var(--surface)",
    boxShadow: "var(--shadow)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    minWidth: "14rem",
    maxHeight: "26rem",
    fontFamily: "var(--sans)",
    fontSize: "var(--size-m)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    display: "flex",
    alignItems: "center",
    justifyContent: "space-between",
    gap: "var(--space-4)",
    minHeight: "2rem",
    padding: "0 var(--space-3)",
    borderRadius: "var(--radius)",
    color: "var(--text)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    background: "var(--accent-ground)",
    color: "var(--accent)",
  },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600" },
  ".cm-completionDetail": {
    margin: "0",
    color: "var(--quiet)",
    fontFamily: "var(--mono)",
    fontSize: "var(--size-s)",
    fontStyle: "normal",
  },
  "@media (pointer: coarse)": {
    ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { minHeight: "var(--touch)" },
  },
});

/** As high as the buttons above the keyboard of a phone. */
const BAR = 48;

/** Where the menu may be: in what the keyboard leaves of the page. */
function space() {
  const { innerWidth: right, innerHeight } = window;
  const { offsetTop: top = 0, height = innerHeight } = window.visualViewport ?? {};
  return { left: 0, top, right, bottom: top + height - (matchMedia("(pointer: coarse)").matches ? BAR : 0) };
}

const menu = (items: Item[], activateOnTyping: boolean): Extension =>
  autocompletion({
    override: [sourceOf(items)],
    icons: false,
    activateOnTyping,
    // Whoever knows what comes goes on without waiting for it.
    activateOnTypingDelay: 0,
    interactionDelay: 0,
  });

/** The menu listens to keys behind a slash only: elsewhere each key would update the view twice, to find nothing. */
function listening(items: Item[]): Extension {
  const place = new Compartment();
  const [silent, asked] = [menu(items, false), menu(items, true)];
  const follow = EditorState.transactionExtender.of(({ docChanged, startState, newDoc, newSelection }) => {
    if (!docChanged) return null;
    const { head } = newSelection.main;
    const from = Math.max(newDoc.lineAt(head).from, head - MATCHED);
    const wanted = ASKED.test(newDoc.sliceString(from, head)) ? asked : silent;
    return place.get(startState) === wanted ? null : { effects: place.reconfigure(wanted) };
  });
  return [place.of(silent), follow];
}

/** What `/` offers. Enter and Tab take what is chosen, Escape closes the menu. */
export const slashMenu = (today: () => string, commit: Commit, add: () => void): Extension => [
  listening(itemsOn(today, commit, add)),
  Prec.highest(keymap.of([{ key: "Tab", run: acceptCompletion }])),
  tooltips({ tooltipSpace: space }),
  EditorState.phrases.of({ Completions: "Insert" }),
  look,
];
