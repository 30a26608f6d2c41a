import { EditorSelection, type Line, type StateCommand } from "@codemirror/state";
import type { Command, KeyBinding } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";
import { endsBlock } from "../enter-key.ts";

// The beginning and the end of lists and their items. What changes items is in list-commands.ts.

/** Maximum parsing time per keystroke: fast typing can be ahead of the parser. */
export const PARSE_TIMEOUT_MS = 50;

/** The innermost node with a matching name that is or contains a node. */
export function enclosingNode(node: SyntaxNode, name: RegExp): SyntaxNode | undefined {
  for (let at: SyntaxNode | null = node; at; at = at.parent) if (name.test(at.name)) return at;
  return undefined;
}

/** Ends a list or quotation on an empty item. The blank line keeps the next words out of it (CommonMark 0.31, 5.1). */
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

/** The marker of an item, including a task's checkbox. */
export const MARK = /^[\s>]*(?:[-+*]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\] )?/;

/** Where the text of the item on this line begins; undefined if there is no item. */
export function textStart({ from, text }: Line): number | undefined {
  const mark = MARK.exec(text)?.[0];
  return mark === undefined ? undefined : from + mark.length;
}

/** Moves the cursor to the start of an item's text, and from there before its marker, which may be hidden. */
const moveToTextStart =
  (isSelecting: boolean): Command =>
  (view) => {
    const { state } = view;
    const { main, ranges } = state.selection;
    const line = state.doc.lineAt(main.head);
    const start = textStart(line);
    if (start === undefined || ranges.length > 1) return false;
    const isInText = main.head > start;
    // A long item is wrapped: Home first goes to the start of the visual line.
    if (isInText && view.moveToLineBoundary(main, false).head >= start) return false;
    const target = isInText ? start : line.from;
    const selection = EditorSelection.range(isSelecting ? main.anchor : target, target);
    view.dispatch({ selection, scrollIntoView: true, userEvent: "select" });
    return true;
  };

const home = { run: moveToTextStart(false), shift: moveToTextStart(true) };

export const homeKeys: KeyBinding[] = [
  { ...home, key: "Home", mac: "Cmd-ArrowLeft" },
  { ...home, mac: "Home" },
];
