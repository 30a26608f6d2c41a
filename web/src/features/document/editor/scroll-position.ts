import type { EditorState } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { middleOf, type ScrollPosition, TOOLBAR_HEIGHT_PX } from "../resume-point.ts";
import { whileSettling } from "../unformatted.ts";

/** Lines of which a text that is read shows nothing: blank ones, fences, rules. */
const UNREAD = /^[\s>]*(?:`{3}|~{3})|^[^\p{L}\p{N}]*$/u;

/** The offset, or if nothing of its line is read, the end of the last line above of which something is. */
function readPlace({ doc }: EditorState, at: number): number {
  let line = doc.lineAt(at);
  if (!UNREAD.test(line.text)) return at;
  while (UNREAD.test(line.text) && line.number > 1) line = doc.line(line.number - 1);
  return line.to;
}

/** How far below the top of the window the middle of the line at an offset is. */
export function topAt(view: EditorView, at: number): number {
  const { top, height } = view.lineBlockAt(at);
  const y = view.documentTop + top;
  return middleOf(view.coordsAtPos(at) ?? { top: y, bottom: y + height });
}

/** The scroll position of the editor: the line of the cursor if it is visible, or else the first visible line. */
export function editorScrollPosition(view: EditorView): ScrollPosition | undefined {
  if (scrollY === 0) return undefined;
  const { head } = view.state.selection.main;
  const cursor = topAt(view, head);
  const isCursorVisible = cursor >= TOOLBAR_HEIGHT_PX && cursor <= innerHeight;
  const { left, right } = view.contentDOM.getBoundingClientRect();
  const first = { x: (left + right) / 2, y: TOOLBAR_HEIGHT_PX + 20 };
  const at = readPlace(view.state, isCursorVisible ? head : view.posAtCoords(first, false));
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
