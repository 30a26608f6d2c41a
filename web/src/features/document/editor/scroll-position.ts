import { syntaxTree } from "@codemirror/language";
import type { EditorState, Line } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { type ScrollPosition, TOOLBAR_HEIGHT_PX, topOf } from "../resume-point.ts";
import { whileSettling } from "../unformatted.ts";

/** Nodes that are rendered as one block, even if they span several lines of source. */
const ONE_BLOCK = new Set(["Paragraph", "FencedCode", "CodeBlock"]);

/** The start of the block that a line belongs to. A blank line belongs to the block above it. */
function blockStartAt(state: EditorState, { number }: Line): number {
  let line = state.doc.line(number);
  while (line.text.trim() === "" && line.number > 1) line = state.doc.line(line.number - 1);
  let blockStart = line.to;
  const inside = line.from + line.text.search(/\S|$/);
  for (let node = syntaxTree(state).resolveInner(inside, 1).node; node.parent; node = node.parent)
    if (ONE_BLOCK.has(node.name)) blockStart = node.from;
  return blockStart;
}

/** Where the first letter of a line is drawn, as of a text that is read: what stands for a hidden mark may be elsewhere. */
export function topAt(view: EditorView, at: number): number {
  const { node } = view.domAtPos(at);
  const line = (node instanceof Element ? node : node.parentElement)?.closest<HTMLElement>(".cm-line");
  return line ? topOf(line) : view.documentTop + view.lineBlockAt(at).top;
}

/** The scroll position of the editor: the block with the cursor if it is visible, or else the first visible block. */
export function editorScrollPosition(view: EditorView): ScrollPosition | undefined {
  if (scrollY === 0) return undefined;
  const { state } = view;
  const cursor = view.coordsAtPos(state.selection.main.head);
  const isCursorVisible = cursor !== null && cursor.top >= TOOLBAR_HEIGHT_PX && cursor.bottom <= innerHeight;
  const first = view.lineBlockAtHeight(TOOLBAR_HEIGHT_PX - view.documentTop);
  const place = isCursorVisible ? state.selection.main.head : Math.min(first.to + 1, state.doc.length);
  const at = blockStartAt(state, state.doc.lineAt(place));
  return { at, top: topAt(view, at) };
}

/**
 * Keeps an offset that is drawn `top` pixels below the window's edge there, until line heights are stable or the user scrolls or
 * moves the cursor. `place`: the offset now, which what is merged may move.
 */
export function settleEditorScroll(view: EditorView, top: number, place: () => number): void {
  whileSettling(() => {
    if (!view.dom.isConnected) return;
    const now = topAt(view, place());
    if (Math.abs(now - top) >= 1) scrollBy({ top: now - top, behavior: "instant" });
  });
}
