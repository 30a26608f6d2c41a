import { Compartment, type Extension } from "@codemirror/state";
import { type EditorView, ViewPlugin } from "@codemirror/view";

// Focus mode: everything but the current paragraph is faint. The setting is stored in this browser.

const KEY = "commonplace-focus-mode";

export const isFocusMode = (): boolean => localStorage.getItem(KEY) === "on";

const compartment = new Compartment();

/** Few use it, so its look is loaded when it is on. */
const update = (view: EditorView) =>
  import("./faint.ts").then(
    ({ faint }) => view.dispatch({ effects: compartment.reconfigure(isFocusMode() ? faint : []) }),
    () => undefined,
  );

/** The extension, on if it was on when this browser was last used. */
export const focusMode = (): Extension => [
  compartment.of([]),
  ViewPlugin.define((view) => {
    if (isFocusMode()) void update(view);
    return {};
  }),
];

/** Returns whether the mode is on now. */
export function toggleFocusMode(view: EditorView): boolean {
  const isOn = !isFocusMode();
  if (isOn) localStorage.setItem(KEY, "on");
  else localStorage.removeItem(KEY);
  void update(view);
  return isOn;
}
