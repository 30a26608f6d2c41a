import { syntaxTree } from "@codemirror/language";
import type { EditorState, TransactionSpec } from "@codemirror/state";

/** The typed text, and the range it replaces. */
type Input = { from: number; to: number; text: string };

/**
 * When the third backtick of a closing fence is typed on a line that is indented like the code, aligns it with the opening fence,
 * because otherwise it would not close the block (CommonMark 0.31, 4.5).
 */
export function closeFence(
  state: EditorState,
  { from, to, text }: Input,
  dispatch: (transaction: TransactionSpec) => void,
): boolean {
  const line = state.doc.lineAt(from);
  if (text !== "`" || from !== to || from !== line.to || !/^\s+``$/.test(line.text)) return false;
  let block = syntaxTree(state).resolveInner(line.from, 1);
  while (block.name !== "FencedCode" && block.parent) block = block.parent;
  const opening = state.doc.lineAt(block.from);
  const fence = /`{3,}/.exec(opening.text.slice(block.from - opening.from));
  if (block.name !== "FencedCode" || fence?.index !== 0 || opening.number === line.number) return false;
  const indent = " ".repeat(block.from - opening.from);
  if (indent.length >= line.length - 2) return false;
  dispatch({
    changes: { from: line.from, to: line.to, insert: `${indent}\`\`\`` },
    selection: { anchor: line.from + indent.length + 3 },
    userEvent: "input.type",
  });
  return true;
}
