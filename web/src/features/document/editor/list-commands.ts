import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { ChangeSpec, EditorState, StateCommand } from "@codemirror/state";
import type { SyntaxNode, Tree } from "@lezer/common";
import { enclosingNode, PARSE_TIMEOUT_MS, textStart } from "./lists.ts";

// Indents and outdents list items, and inserts one above another.

const isList = ({ name }: SyntaxNode) => name === "OrderedList" || name === "BulletList";

/** The items that begin on the selected lines, without items nested in one of them. */
function selectedItems(state: EditorState): SyntaxNode[] {
  const items: SyntaxNode[] = [];
  const { from, to } = state.selection.main;
  for (let at = from; at <= to; ) {
    const line = state.doc.lineAt(at);
    const begin = line.from + (/^[\s>]*/.exec(line.text)?.[0].length ?? 0);
    const item = enclosingNode(syntaxTree(state).resolveInner(begin, 1), /^ListItem$/);
    if (item && !items.some((other) => other.from <= item.from && item.to <= other.to)) items.push(item);
    at = line.to + 1;
  }
  return items;
}

const columnOf = (state: EditorState, { from }: SyntaxNode) => from - state.doc.lineAt(from).from;

/** The width of an item's marker, including the spaces after it. */
const textOffset = (state: EditorState, item: SyntaxNode) =>
  /^(?:[-+*]|\d{1,9}[.)]) {0,4}/.exec(state.sliceDoc(item.from, item.from + 14))?.[0].length ?? 2;

/** The offsets at which an item's lines are indented. */
function* itemLineStarts({ doc }: EditorState, item: SyntaxNode, column: number) {
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

function indent(state: EditorState, item: SyntaxNode, above: SyntaxNode | undefined): ChangeSpec[] {
  if (!above) return [];
  const insert = " ".repeat(textOffset(state, above));
  return [...itemLineStarts(state, item, columnOf(state, item))].map((from) => ({ from, insert }));
}

function outdent(state: EditorState, item: SyntaxNode): ChangeSpec[] {
  const outer = item.parent?.parent;
  if (outer?.name !== "ListItem") return [];
  const column = columnOf(state, item);
  const width = column - columnOf(state, outer);
  return [...itemLineStarts(state, item, column)].flatMap((to) => {
    const spaces = / *$/.exec(state.sliceDoc(Math.max(0, to - width), to))?.[0].length ?? 0;
    return spaces > 0 ? [{ from: to - spaces, to }] : [];
  });
}

/** A list of at least this many items that all have the same number is not renumbered. */
const MIN_SAME_NUMBERS = 3;

function renumberList(state: EditorState, list: SyntaxNode): ChangeSpec[] {
  const marks = list.getChildren("ListItem").map(({ from }) => {
    const digits = /^\d{1,9}/.exec(state.sliceDoc(from, from + 9))?.[0] ?? "";
    return { from, to: from + digits.length, number: Number(digits) };
  });
  const [first] = marks;
  if (!first || (marks.length >= MIN_SAME_NUMBERS && marks.every(({ number }) => number === first.number)))
    return [];
  const start = list.parent?.name === "ListItem" ? 1 : first.number;
  return marks.flatMap(({ from, to, number }, index) =>
    number === start + index ? [] : [{ from, to, insert: String(start + index) }],
  );
}

function renumberLists(state: EditorState, tree: Tree, offsets: number[]): ChangeSpec[] {
  const lists = new Map<number, SyntaxNode>();
  for (const place of offsets) {
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
        if (name === "OrderedList") changes.push(...renumberList(state, node));
      },
    });
  return changes;
}

type Move = (state: EditorState, item: SyntaxNode, above: SyntaxNode | undefined) => ChangeSpec[];

/** Moves the selected items. Handles the key in lists even if nothing can be moved. */
const moveItems =
  (move: Move, userEvent: string): StateCommand =>
  ({ state, dispatch }) => {
    const items = selectedItems(state);
    if (items.length === 0) return false;
    const first = items[0] && previousItem(items[0]);
    const changes = items.flatMap((item, index) =>
      // Selected siblings stay siblings.
      move(state, item, index > 0 && previousItem(item) === items[index - 1] ? first : previousItem(item)),
    );
    if (changes.length === 0) return true;
    const moved = state.update({ changes });
    const tree = ensureSyntaxTree(moved.state, moved.state.selection.main.to, PARSE_TIMEOUT_MS);
    const offsets = items.map(({ from }) => moved.changes.mapPos(from, 1));
    const more = moved.state.changes(tree ? renumberLists(moved.state, tree, offsets) : []);
    dispatch(state.update({ changes: moved.changes.compose(more), scrollIntoView: true, userEvent }));
    return true;
  };

/** Nests the selected items in the one above them. */
export const indentItems = moveItems(indent, "input.indent");

/** Moves the selected items out of the one they are nested in. */
export const outdentItems = moveItems(outdent, "delete.dedent");

/** Before the text of an item, inserts another item above it. */
export const insertItemAbove: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection;
  const line = state.doc.lineAt(main.head);
  const [item] = selectedItems(state);
  const isBeforeText =
    main.empty && main.head === textStart(line) && line.text.slice(main.head - line.from).trim() !== "";
  if (!isBeforeText || !item || item.from < line.from) return false;
  const mark = state.sliceDoc(line.from, main.head).replace(/\[[xX]\] $/, "[ ] ");
  const inserted = state.update({ changes: { from: line.from, insert: mark + state.lineBreak } });
  const tree = ensureSyntaxTree(inserted.state, inserted.state.selection.main.to, PARSE_TIMEOUT_MS);
  const more = inserted.state.changes(tree ? renumberLists(inserted.state, tree, [item.from]) : []);
  dispatch(
    state.update({ changes: inserted.changes.compose(more), scrollIntoView: true, userEvent: "input" }),
  );
  return true;
};
