import type { EditorView } from "@codemirror/view";
import { keepLine, middleOf, readPlace, type ScrollPosition, TOOLBAR_HEIGHT_PX } from "../resume-point.ts";

/** How far below the top of the window the middle of the line at an offset is. */
export function topAt(view: EditorView, at: number): number {
  const drawn = view.coordsAtPos(at);
  return drawn ? middleOf(drawn) : view.documentTop + middleOf(view.lineBlockAt(at));
}

/** The scroll position of the editor: the line of the cursor if it is visible, or else the first visible line. */
export function editorScrollPosition(view: EditorView): ScrollPosition | undefined {
  if (scrollY === 0) return undefined;
  const { doc, selection } = view.state;
  const { head } = selection.main;
  const cursor = topAt(view, head);
  const isCursorVisible = cursor >= TOOLBAR_HEIGHT_PX && cursor <= innerHeight;
  const { left, right } = view.contentDOM.getBoundingClientRect();
  const first = { x: (left + right) / 2, y: TOOLBAR_HEIGHT_PX + 20 };
  const at = readPlace(doc.toString(), isCursorVisible ? head : view.posAtCoords(first, false));
  return { at, top: topAt(view, at) };
}

/**
 * Keeps an offset that is drawn `top` pixels below the window's edge there, until line heights are stable or the user scrolls or
 * moves the cursor. `place`: the offset now, which what is merged may move.
 */
export const settleEditorScroll = (view: EditorView, top: number, place: () => number): void =>
  keepLine(top, () => (view.dom.isConnected ? topAt(view, place()) : undefined));
