import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
  startCompletion,
} from "@codemirror/autocomplete";
import { undoDepth } from "@codemirror/commands";
import { syntaxTree } from "@codemirror/language";
import { Compartment, EditorState, type Extension, Prec, type Text } from "@codemirror/state";
import { EditorView, keymap, tooltips } from "@codemirror/view";
import { toggleLineMarker } from "../format.ts";
import { type Block, insertBlock, TABLE } from "./blocks.ts";
import { commitTaskAt, type MakeCommitment, openTaskAt } from "./commit-task.ts";
import { LINK_OPENING, startLink } from "./link-completion.ts";
import { enclosingNode } from "./lists.ts";
import { TASK_START } from "./task-box.ts";

// The insert menu that `/` opens at the beginning of a word.

/** Nodes in which `/` is an ordinary character. */
const NOT_TEXT = /Code|URL|Link|HTML|Comment|Processing/;

const isText = (state: EditorState, at: number) =>
  enclosingNode(syntaxTree(state).resolveInner(at, -1), NOT_TEXT) === undefined;

/** Replaces what was typed. */
type Insert = (view: EditorView, from: number, to: number) => void;

/** Makes the line a heading, list item or quotation. */
const asLine =
  (mark: string): Insert =>
  (view, from, to) => {
    const typed = view.state.update({ changes: { from, to } });
    toggleLineMarker(mark)({
      state: typed.state,
      // Combined, so that one undo reverts both.
      dispatch: ({ changes, newSelection }) =>
        view.dispatch({
          changes: typed.changes.compose(changes),
          selection: newSelection,
          userEvent: "input.complete",
        }),
    });
  };

/** A block with empty lines around it, without the space before the slash. */
const asBlock =
  (block: Block): Insert =>
  (view, from, to) => {
    const isSpace = view.state.sliceDoc(from - 1, from) === " " && from > view.state.doc.lineAt(from).from;
    view.dispatch(insertBlock(view.state, { from: isSpace ? from - 1 : from, to }, block));
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

type Item = {
  name: string;
  detail: string;
  insert: Insert;
  /** Whether it is offered at an offset: always by default. */
  isFor?: (state: EditorState, at: number) => boolean;
};

/** Removes what was typed and turns the task on the line into a commitment. */
const asCommitment =
  (commit: MakeCommitment): Insert =>
  (view, from, to) => {
    const isSpace = view.state.sliceDoc(from - 1, from) === " ";
    view.dispatch({ changes: { from: isSpace ? from - 1 : from, to }, userEvent: "input.complete" });
    commitTaskAt(view, view.state.selection.main.head, commit);
  };

/** Whether an open task that is not a commitment yet has words before what is typed. */
const isTaskBefore = (state: EditorState, at: number) => {
  const { from } = state.doc.lineAt(at);
  const [mark = ""] = TASK_START.exec(state.sliceDoc(from, at)) ?? [];
  return state.sliceDoc(from + mark.length, at).trim() !== "" && openTaskAt(state, at) !== undefined;
};

const asFiles =
  (add: () => void): Insert =>
  (view, from, to) => {
    view.dispatch({ changes: { from, to }, userEvent: "input.complete" });
    add();
  };

const menuItems = (today: () => string, commit: MakeCommitment, add: () => void): Item[] => [
  { name: "Commitment", detail: "a record", insert: asCommitment(commit), isFor: isTaskBefore },
  { name: "Heading 1", detail: "#", insert: asLine("# ") },
  { name: "Heading 2", detail: "##", insert: asLine("## ") },
  { name: "Heading 3", detail: "###", insert: asLine("### ") },
  { name: "List", detail: "-", insert: asLine("- ") },
  { name: "Numbered list", detail: "1.", insert: asLine("1. ") },
  { name: "Task", detail: "- [ ]", insert: asLine("- [ ] ") },
  { name: "Quote", detail: ">", insert: asLine("> ") },
  { name: "Code block", detail: "```", insert: asBlock({ text: "```\n\n```", anchor: 4 }) },
  { name: "Table", detail: "| |", insert: asBlock(TABLE) },
  { name: "Picture or file", detail: "upload", insert: asFiles(add) },
  { name: "Link to a document", detail: "[[", insert: startLink },
  { name: "Rule", detail: "---", insert: asBlock({ text: "---\n", anchor: 4 }) },
  { name: "Date", detail: "today", insert: asWords(today) },
];

/** The completion of an item. Its `from` is after the slash. */
const completionOf = ({ name, detail, insert }: Item, index: number): Completion => ({
  label: name,
  detail,
  // Keeps this order among equally good matches.
  boost: -index,
  apply: (view, _completion, from, to) => insert(view, from - 1, to),
});

/** CodeMirror's `matchBefore` looks at this many characters before the cursor. */
const MATCHED = 250;
const TYPED = /^[\p{L}\d]*$/u;
const OPENING = /(?:^|[\s>])\/[\p{L}\d]*$/u;

const slashSource =
  (items: Item[]) =>
  (context: CompletionContext): CompletionResult | null => {
    const typed = context.matchBefore(OPENING);
    if (!typed) return null;
    const from = typed.from + typed.text.indexOf("/") + 1;
    if (!isText(context.state, from)) return null;
    const options = items.filter(({ isFor }) => isFor?.(context.state, from - 1) ?? true).map(completionOf);
    return { from, options, validFor: TYPED };
  };

const theme = EditorView.theme({
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
  ".cm-note .cm-completionLabel": {
    overflow: "hidden",
    textOverflow: "ellipsis",
    whiteSpace: "nowrap",
  },
  ".cm-note .cm-completionDetail": {
    flex: "0 0 auto",
    maxWidth: "45%",
    overflow: "hidden",
    textOverflow: "ellipsis",
    whiteSpace: "nowrap",
    fontFamily: "var(--sans)",
  },
  "@media (pointer: coarse)": {
    ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { minHeight: "var(--touch)" },
  },
});

/** The height of the bar above the on-screen keyboard. */
const BAR_PX = 48;

/** The part of the page above the on-screen keyboard, where the menu may appear. */
function visibleSpace() {
  const { innerWidth: right, innerHeight } = window;
  const { offsetTop: top = 0, height = innerHeight } = window.visualViewport ?? {};
  const bottom = top + height - (matchMedia("(pointer: coarse)").matches ? BAR_PX : 0);
  return { left: 0, top, right, bottom };
}

/** As one source: at each key, CodeMirror takes no Enter until the slowest of several has answered. */
const firstOf =
  (one: (context: CompletionContext) => CompletionResult | null, other: CompletionSource): CompletionSource =>
  (context) =>
    one(context) ?? other(context);

const menu = (source: CompletionSource, activateOnTyping: boolean): Extension =>
  autocompletion({
    override: [source],
    icons: false,
    optionClass: ({ type }) => (type === "note" ? "cm-note" : ""),
    activateOnTyping,
    // Lets users who know the menu type ahead without a delay.
    activateOnTypingDelay: 0,
    interactionDelay: 0,
  });

const textBefore = (doc: Text, at: number) =>
  doc.sliceString(Math.max(doc.lineAt(at).from, at - MATCHED), at);

const isOpening = (before: string) => OPENING.test(before) || LINK_OPENING.test(before);

/** Enables completion only after a slash or `[[`: elsewhere each keystroke would update the view twice for nothing. */
function activateWhereOpened(source: CompletionSource): Extension {
  const compartment = new Compartment();
  const [inactive, active] = [menu(source, false), menu(source, true)];
  const switcher = EditorState.transactionExtender.of(({ docChanged, startState, newDoc, newSelection }) => {
    if (!docChanged) return null;
    const { head } = newSelection.main;
    const wanted = isOpening(textBefore(newDoc, head)) ? active : inactive;
    return compartment.get(startState) === wanted ? null : { effects: compartment.reconfigure(wanted) };
  });
  return [compartment.of(inactive), switcher];
}

/** The insert menu, and the list of another source. Enter and Tab insert the selected item, Escape closes the menu. */
export const insertMenu = (
  today: () => string,
  commit: MakeCommitment,
  add: () => void,
  links: CompletionSource,
): Extension => [
  activateWhereOpened(firstOf(slashSource(menuItems(today, commit, add)), links)),
  Prec.highest(keymap.of([{ key: "Tab", run: acceptCompletion }])),
  tooltips({ tooltipSpace: visibleSpace }),
  theme,
];

/** Opens the list for what was typed before the menu was loaded. */
export function openForTyped(view: EditorView): void {
  const { doc, selection } = view.state;
  const isTyped = undoDepth(view.state) > 0 && selection.main.empty;
  if (isTyped && isOpening(textBefore(doc, selection.main.head))) startCompletion(view);
}
