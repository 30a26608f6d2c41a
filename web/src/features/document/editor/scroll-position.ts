import type { EditorView } from "@codemirror/view";
import {
  isVisible,
  middleOf,
  readPlace,
  type ScrollPosition,
  scrollPosition,
  TOOLBAR_HEIGHT_PX,
} from "../resume-point.ts";

/** How far below the top of the window the middle of the line at an offset is. */
export function topAt(view: EditorView, at: number): number {
  const drawn = view.coordsAtPos(at);
  return drawn ? middleOf(drawn) : view.documentTop + middleOf(view.lineBlockAt(at));
}

/** The scroll position of the editor: the line of the cursor if it is visible, or else the first visible line. */
export const editorScrollPosition = (view: EditorView): ScrollPosition | undefined =>
  scrollPosition(() => {
    const { doc, selection } = view.state;
    const { head } = selection.main;
    const first = { x: innerWidth / 2, y: TOOLBAR_HEIGHT_PX + 20 };
    const place = isVisible(topAt(view, head)) ? head : view.posAtCoords(first, false);
    const at = readPlace(doc.toString(), place);
    return { at, top: topAt(view, at) };
  });
