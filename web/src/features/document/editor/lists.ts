import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import {
  type ChangeSpec,
  EditorSelection,
  type EditorState,
  type Line,
  type StateCommand,
} from "@codemirror/state";
import type { Command, KeyBinding } from "@codemirror/view";
import type { SyntaxNode, Tree } from "@lezer/common";
import { endsBlock } from "../enter-key.ts";

// Items of lists that are moved to the right, below the item above them, and back.

/** How long a text is read for one key, at the most: keys that come fast are ahead of what has been read. */
export const PARSED_MS = 50;

const isList = ({ name }: SyntaxNode) => name === "OrderedList" || name === "BulletList";

/** The items that begin on the selected lines, without those in another one of them. */
function selectedItems(state: EditorState): SyntaxNode[] {
  const items: SyntaxNode[] = [];
  const { from, to } = state.selection.main;
  for (let at = from; at <= to; ) {
    const line = state.doc.lineAt(at);
    const begin = line.from + (/^[\s>]*/.exec(line.text)?.[0].length ?? 0);
    let item: SyntaxNode | null = syntaxTree(state).resolveInner(begin, 1);
    while (item && item.name !== "ListItem") item = item.parent;
    const isInOther = items.some((other) => item && other.from <= item.from && item.to <= other.to);
    if (item && !isInOther) items.push(item);
    at = line.to + 1;
  }
  return items;
}

const columnOf = (state: EditorState, { from }: SyntaxNode) => from - state.doc.lineAt(from).from;

/** How far the text of an item is from its mark. */
const textOffset = (state: EditorState, item: SyntaxNode) =>
  /^(?:[-+*]|\d{1,9}[.)]) {0,4}/.exec(state.sliceDoc(item.from, item.from + 14))?.[0].length ?? 2;

/** The places where the lines of an item begin, and what is there. */
function* linesOf({ doc }: EditorState, item: SyntaxNode, column: number) {
  for (let line = doc.lineAt(item.from); ; line = doc.line(line.number + 1)) {
    const space = /^[\s>]*/.exec(line.text)?.[0].length ?? 0;
    if (space < line.length) yield line.from + Math.min(column, space);
    if (line.to >= item.to) return;
  }
}

function previousItem(item: SyntaxNode): SyntaxNode | undefined {
  let before = item.prevSibling;
  while (before && before.name !== "ListItem") before = before.prevSibling;
  return before ?? undefined;
}

/** Spaces in front of an item, so that it is one of those in the item above it. */
function indented(state: EditorState, item: SyntaxNode, above: SyntaxNode | undefined): ChangeSpec[] {
  if (!above) return [];
  const insert = " ".repeat(textOffset(state, above));
  return [...linesOf(state, item, columnOf(state, item))].map((from) => ({ from, insert }));
}

/** What moves an item beside the one that it is in. */
function outdented(state: EditorState, item: SyntaxNode): ChangeSpec[] {
  const outer = item.parent?.parent;
  if (outer?.name !== "ListItem") return [];
  const column = columnOf(state, item);
  const width = column - columnOf(state, outer);
  return [...linesOf(state, item, column)].flatMap((to) => {
    const spaces = / *$/.exec(state.sliceDoc(Math.max(0, to - width), to))?.[0].length ?? 0;
    return spaces > 0 ? [{ from: to - spaces, to }] : [];
  });
}

/** From so many items on, a list in which all numbers are the same is meant so. */
const ALIKE = 3;

/** The numbers of an ordered list, one after the other. */
function numbered(state: EditorState, list: SyntaxNode): ChangeSpec[] {
  const marks = list.getChildren("ListItem").map(({ from }) => {
    const digits = /^\d{1,9}/.exec(state.sliceDoc(from, from + 9))?.[0] ?? "";
    return { from, to: from + digits.length, number: Number(digits) };
  });
  const [first] = marks;
  if (!first || (marks.length >= ALIKE && marks.every(({ number }) => number === first.number))) return [];
  const start = list.parent?.name === "ListItem" ? 1 : first.number;
  return marks.flatMap(({ from, to, number }, index) =>
    number === start + index ? [] : [{ from, to, insert: String(start + index) }],
  );
}

/** What renumbers the lists around some places. */
function renumbered(state: EditorState, tree: Tree, places: number[]): ChangeSpec[] {
  const lists = new Map<number, SyntaxNode>();
  for (const place of places) {
    for (let at: SyntaxNode | null = tree.resolveInner(place, 1); at; at = at.parent)
      if (isList(at)) lists.set(at.from, at);
  }
  const outer = [...lists.values()].filter(
    (list) => ![...lists.values()].some((other) => other.from < list.from && list.to <= other.to),
  );
  const changes: ChangeSpec[] = [];
  for (const { from, to } of outer)
    tree.iterate({
      from,
      to,
      enter: ({ name, node }) => {
        if (name === "OrderedList") changes.push(...numbered(state, node));
      },
    });
  return changes;
}

type Move = (state: EditorState, item: SyntaxNode, above: SyntaxNode | undefined) => ChangeSpec[];

/** Moves the selected items; also handles the key where they can go no further, but not outside of lists. */
const moveItems =
  (move: Move, userEvent: string): StateCommand =>
  ({ state, dispatch }) => {
    const items = selectedItems(state);
    if (items.length === 0) return false;
    const first = items[0] && previousItem(items[0]);
    const changes = items.flatMap((item, index) =>
      // Those that are selected together stay beside each other.
      move(state, item, index > 0 && previousItem(item) === items[index - 1] ? first : previousItem(item)),
    );
    if (changes.length === 0) return true;
    const moved = state.update({ changes });
    const tree = ensureSyntaxTree(moved.state, moved.state.selection.main.to, PARSED_MS);
    const places = items.map(({ from }) => moved.changes.mapPos(from, 1));
    const more = moved.state.changes(tree ? renumbered(moved.state, tree, places) : []);
    dispatch(state.update({ changes: moved.changes.compose(more), scrollIntoView: true, userEvent }));
    return true;
  };

/** Makes the selected items part of the one above them. */
export const indentItems = moveItems(indented, "input.indent");

/** Takes the selected items out of the one that they are part of. */
export const outdentItems = moveItems(outdented, "delete.dedent");

/**
 * Ends a list or a quotation at a line on which nothing is written. An empty line stays behind it, without which the next words
 * would still belong to its last line (CommonMark 0.31, 5.1: lazy continuation).
 */
export const endBlock: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection;
  const line = state.doc.lineAt(main.head);
  if (!main.empty || line.number === 1) return false;
  if (!endsBlock(line.text, state.doc.line(line.number - 1).text)) return false;
  const changes = { from: line.from, to: line.to, insert: state.lineBreak };
  const selection = { anchor: line.from + state.lineBreak.length };
  dispatch(state.update({ changes, selection, scrollIntoView: true, userEvent: "delete" }));
  return true;
};

/** What the text of an item is behind: its mark, and the box of a task. */
const MARK = /^[\s>]*(?:[-+*]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\] )?/;

/** Where the text of the item on this line begins; undefined if none does. */
function textStart({ from, text }: Line): number | undefined {
  const mark = MARK.exec(text)?.[0];
  return mark === undefined ? undefined : from + mark.length;
}

/** In front of the text of an item, puts another item above it. */
export const putItemAbove: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection;
  const line = state.doc.lineAt(main.head);
  const [item] = selectedItems(state);
  const isInFront =
    main.empty && main.head === textStart(line) && line.text.slice(main.head - line.from).trim() !== "";
  if (!isInFront || !item || item.from < line.from) return false;
  const mark = state.sliceDoc(line.from, main.head).replace(/\[[xX]\] $/, "[ ] ");
  const put = state.update({ changes: { from: line.from, insert: mark + state.lineBreak } });
  const tree = ensureSyntaxTree(put.state, put.state.selection.main.to, PARSED_MS);
  const more = put.state.changes(tree ? renumbered(put.state, tree, [item.from]) : []);
  dispatch(state.update({ changes: put.changes.compose(more), scrollIntoView: true, userEvent: "input" }));
  return true;
};

/** Goes to where the text of an item begins, and from there in front of its mark, which may be hidden. */
const goToText =
  (isSelecting: boolean): Command =>
  (view) => {
    const { state } = view;
    const { main, ranges } = state.selection;
    const line = state.doc.lineAt(main.head);
    const start = textStart(line);
    if (start === undefined || ranges.length > 1) return false;
    const isInText = main.head > start;
    // A long item has several rows.
    if (isInText && view.moveToLineBoundary(main, false).head >= start) return false;
    const place = isInText ? start : line.from;
    const selection = EditorSelection.range(isSelecting ? main.anchor : place, place);
    view.dispatch({ selection, scrollIntoView: true, userEvent: "select" });
    return true;
  };

/** Home, and what is Home on a Mac. */
export const homeKeys: KeyBinding[] = [
  { key: "Home", mac: "Cmd-ArrowLeft", run: goToText(false), shift: goToText(true) },
  { mac: "Home", run: goToText(false), shift: goToText(true) },
];
