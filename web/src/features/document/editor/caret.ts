import type { Extension } from "@codemirror/state";
import { drawSelection, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

// The cursor blinks by a timer while the user is not typing. CodeMirror's CSS animation makes the browser paint the text 60
// times a second, which takes 4 of 14 ms per keystroke in a long text.

const BLINK_MS = 600;

class BlinkPlugin {
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
    if (hasFocus) this.timer = setInterval(() => scrollDOM.toggleAttribute("data-blink"), BLINK_MS);
  }

  destroy() {
    clearInterval(this.timer);
  }
}

export const caret: Extension = [
  drawSelection(),
  ViewPlugin.fromClass(BlinkPlugin),
  EditorView.theme({
    // CodeMirror draws it black, also on a dark page.
    ".cm-cursor, .cm-dropCursor": { borderLeft: "2px solid var(--accent)", marginLeft: "-1px" },
    ".cm-cursorLayer": { animation: "none !important" },
    "[data-blink] > .cm-cursorLayer": { visibility: "hidden" },
  }),
];
