import { EditorSelection, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { isPlain } from "../clicked-place.ts";

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

/** A double click selects the word of its first click, which may have shown marks that moved the letters under the pointer. */
const wordOfFirstClick = EditorView.mouseSelectionStyle.of((view, pressed) => {
  const { state } = view;
  const isDouble = pressed.detail === 2 && isPlain(pressed);
  const first = isDouble ? state.wordAt(state.selection.main.head) : null;
  if (!first) return null;
  let word = first;
  return {
    get: (event) => {
      const last = (event !== pressed && view.state.wordAt(view.posAtCoords(event, false))) || word;
      return last.from < word.from
        ? EditorSelection.single(word.to, last.from)
        : EditorSelection.single(word.from, Math.max(word.to, last.to));
    },
    update: ({ changes }) => {
      word = word.map(changes);
    },
  };
});

export const caret: Extension = [
  drawSelection(),
  wordOfFirstClick,
  ViewPlugin.fromClass(BlinkPlugin),
  EditorView.theme({
    // CodeMirror draws it black, also on a dark page.
    ".cm-cursor, .cm-dropCursor": { borderLeft: "2px solid var(--accent)", marginLeft: "-1px" },
    ".cm-cursorLayer": { animation: "none !important" },
    "[data-blink] > .cm-cursorLayer": { visibility: "hidden" },
  }),
];
