import type { Extension } from "@codemirror/state";
import { drawSelection, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

// The cursor blinks by a timer, and only at rest. CodeMirror's animation has the browser draw the text sixty times a second,
// which takes as long as the keys themselves: 4 of 14 ms at each key in a long text.

const HALF_MS = 600;

class Blinking {
  private timer: ReturnType<typeof setInterval> | undefined;
  private readonly view: EditorView;

  constructor(view: EditorView) {
    this.view = view;
    this.begin();
  }

  update({ docChanged, selectionSet, focusChanged }: ViewUpdate) {
    if (docChanged || selectionSet || focusChanged) this.begin();
  }

  private begin() {
    const { scrollDOM, hasFocus } = this.view;
    this.destroy();
    scrollDOM.toggleAttribute("data-blink", false);
    if (hasFocus) this.timer = setInterval(() => scrollDOM.toggleAttribute("data-blink"), HALF_MS);
  }

  destroy() {
    clearInterval(this.timer);
  }
}

/** The cursors and what is selected, drawn by the editor. */
export const caret: Extension = [
  drawSelection(),
  ViewPlugin.fromClass(Blinking),
  EditorView.theme({
    ".cm-cursorLayer": { animation: "none !important" },
    "[data-blink] > .cm-cursorLayer": { visibility: "hidden" },
  }),
];
