import { syntaxTree } from "@codemirror/language";
import type { EditorState, TransactionSpec } from "@codemirror/state";

/** What is typed, and where. */
type Typed = { from: number; to: number; text: string };

/**
 * Where the last of the three backticks is typed that close a block of code, on a line that was indented like the code: the fence
 * goes below the one that opened the block, or it would not close it (CommonMark 0.31, 4.5).
 */
export function closeFence(
  state: EditorState,
  { from, to, text }: Typed,
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
