import { Compartment, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

// Focus mode: everything but the current paragraph is faint. The setting is stored in this browser.

const KEY = "commonplace-focus-mode";

export const isFocusMode = (): boolean => localStorage.getItem(KEY) === "on";

/** The lines around the cursor up to the next empty ones. */
function paragraphAt({ doc, selection }: EditorState): { from: number; to: number } {
  const at = doc.lineAt(selection.main.head);
  let [first, last] = [at, at];
  const hasText = (number: number) =>
    number >= 1 && number <= doc.lines && doc.line(number).text.trim() !== "";
  if (at.text.trim() === "") return at;
  while (hasText(first.number - 1)) first = doc.line(first.number - 1);
  while (hasText(last.number + 1)) last = doc.line(last.number + 1);
  return { from: first.from, to: last.to };
}

const FAINT = Decoration.line({ class: "live-faint" });

const dimmed: Extension = [
  EditorView.decorations.of(({ state, viewportLineBlocks }) => {
    const { from, to } = paragraphAt(state);
    const others = viewportLineBlocks.filter((block) => block.from < from || block.from > to);
    return Decoration.set(others.map((block) => FAINT.range(block.from)));
  }),
  EditorView.theme({ ".live-faint": { opacity: "0.35" } }),
];

const compartment = new Compartment();

/** The extension, on if it was on when this browser was last used. */
export const focusMode = (): Extension => compartment.of(isFocusMode() ? dimmed : []);

/** Returns whether the mode is on now. */
export function toggleFocusMode(view: EditorView): boolean {
  const isOn = !isFocusMode();
  if (isOn) localStorage.setItem(KEY, "on");
  else localStorage.removeItem(KEY);
  view.dispatch({ effects: compartment.reconfigure(isOn ? dimmed : []) });
  return isOn;
}
