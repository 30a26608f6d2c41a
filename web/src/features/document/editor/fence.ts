import { syntaxTree } from "@codemirror/language";
import type { EditorState, Extension, TransactionSpec } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { enclosingNode } from "./lists.ts";

/** Typed text, and the range it replaces. */
export type TypedText = { from: number; to: number; text: string };

/** Aligns a typed closing fence with the opening one: indented deeper, it would not close it (CommonMark 0.31, 4.5). */
export function closeFence(
  state: EditorState,
  { from, to, text }: TypedText,
  dispatch: (transaction: TransactionSpec) => void,
): boolean {
  const line = state.doc.lineAt(from);
  if (text !== "`" || from !== to || from !== line.to || !/^\s+``$/.test(line.text)) return false;
  const block = enclosingNode(syntaxTree(state).resolveInner(line.from, 1), /^FencedCode$/);
  if (!block) return false;
  const opening = state.doc.lineAt(block.from);
  const fence = /`{3,}/.exec(opening.text.slice(block.from - opening.from));
  if (fence?.index !== 0 || opening.number === line.number) return false;
  const indent = " ".repeat(block.from - opening.from);
  if (indent.length >= line.length - 2) return false;
  dispatch({
    changes: { from: line.from, to: line.to, insert: `${indent}\`\`\`` },
    selection: { anchor: line.from + indent.length + 3 },
    userEvent: "input.type",
  });
  return true;
}

export const fenceEnd: Extension = EditorView.inputHandler.of((view, from, to, text) =>
  closeFence(view.state, { from, to, text }, (transaction) => view.dispatch(transaction)),
);
