import { undo } from "@codemirror/commands";
import type { EditorView } from "@codemirror/view";
import { type PointerEvent, useEffect, useState } from "react";
import { IndentDecrease, IndentIncrease, KeyboardOff, Undo2 } from "../../../kit/icons.tsx";
import { BOLD, type Format, HEADING, LINK, LIST, TASKS } from "./formats.ts";
import { indentItems, outdentItems } from "./lists.ts";
import styles from "./phone-bar.module.css";
import type { Watched } from "./watched.ts";

const ACTIONS: Format[] = [
  HEADING,
  BOLD,
  LIST,
  TASKS,
  { name: "Outdent", icon: IndentDecrease, run: outdentItems },
  { name: "Indent", icon: IndentIncrease, run: indentItems },
  LINK,
  { name: "Undo", icon: Undo2, run: undo },
];

/** Says how much of the page the keyboard covers: the bars at its lower end stand above that. */
function useKeyboardHeight(isShown: boolean): void {
  useEffect(() => {
    const { visualViewport: seen } = window;
    if (!isShown || !seen) return undefined;
    const { documentElement: root } = document;
    const place = () => {
      const hidden = root.clientHeight - seen.height - seen.offsetTop;
      root.style.setProperty("--keyboard", `${Math.max(0, hidden)}px`);
    };
    place();
    seen.addEventListener("resize", place);
    seen.addEventListener("scroll", place);
    return () => {
      seen.removeEventListener("resize", place);
      seen.removeEventListener("scroll", place);
      root.style.removeProperty("--keyboard");
    };
  }, [isShown]);
}

/** The focus, and with it the keyboard, stays in the text. */
const keepFocus = (event: PointerEvent) => event.preventDefault();

/** What one does most, above the keyboard of a phone while the cursor is in the text. */
export function PhoneBar({ view, watched }: { view: EditorView; watched: Watched }) {
  const [isShown, setShown] = useState(view.hasFocus);
  useEffect(() => watched.listen(() => setShown(view.hasFocus)), [view, watched]);
  useKeyboardHeight(isShown);
  if (!isShown) return null;
  const button = ({ name, icon: Sign }: Pick<Format, "name" | "icon">, act: () => void) => (
    <button
      key={name}
      type="button"
      aria-label={name}
      onPointerDown={keepFocus}
      onMouseDown={keepFocus as never}
      onClick={act}
    >
      <Sign aria-hidden="true" size="1.25rem" />
    </button>
  );
  return (
    <div className={styles.bar} role="toolbar" aria-label="Above the keyboard" data-at-end="keyboard">
      {ACTIONS.map((action) => button(action, () => void action.run(view)))}
      {button({ name: "Hide the keyboard", icon: KeyboardOff }, () => view.contentDOM.blur())}
    </div>
  );
}
