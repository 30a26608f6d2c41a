import { Compartment, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

// All but the paragraph that one writes is faint. Remembered by this browser.

const KEY = "commonplace-focus-mode";

export const isFocusMode = (): boolean => localStorage.getItem(KEY) === "on";

/** The lines around the cursor up to the next empty ones. */
function paragraphAt({ doc, selection }: EditorState): { from: number; to: number } {
  const at = doc.lineAt(selection.main.head);
  let [first, last] = [at, at];
  const isWritten = (number: number) =>
    number >= 1 && number <= doc.lines && doc.line(number).text.trim() !== "";
  if (at.text.trim() === "") return at;
  while (isWritten(first.number - 1)) first = doc.line(first.number - 1);
  while (isWritten(last.number + 1)) last = doc.line(last.number + 1);
  return { from: first.from, to: last.to };
}

const FAINT = Decoration.line({ class: "live-faint" });

const faint: Extension = [
  EditorView.decorations.of(({ state, viewportLineBlocks }) => {
    const { from, to } = paragraphAt(state);
    const others = viewportLineBlocks.filter((block) => block.from < from || block.from > to);
    return Decoration.set(others.map((block) => FAINT.range(block.from)));
  }),
  EditorView.theme({ ".live-faint": { opacity: "0.35" } }),
];

const place = new Compartment();

/** The mode as it was when this browser was used last. */
export const focusMode = (): Extension => place.of(isFocusMode() ? faint : []);

/** Begins the mode, or ends it. Returns whether it is on now. */
export function toggleFocusMode(view: EditorView): boolean {
  const isOn = !isFocusMode();
  if (isOn) localStorage.setItem(KEY, "on");
  else localStorage.removeItem(KEY);
  view.dispatch({ effects: place.reconfigure(isOn ? faint : []) });
  return isOn;
}
