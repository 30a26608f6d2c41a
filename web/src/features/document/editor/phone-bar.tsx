import { type PointerEvent, useEffect, useState } from "react";
import type { ObservedEditor } from "./editor-observer.ts";
import { BOLD, type Format, HEADINGS, LINK, LISTS, TABLE, UNDO } from "./formats.ts";
import { indentItems, outdentItems } from "./list-commands.ts";
import styles from "./phone-bar.module.css";
import { IndentDecrease, IndentIncrease, KeyboardOff } from "./phone-bar-icons.ts";

const ACTIONS: Format[] = [
  UNDO,
  BOLD,
  ...LISTS,
  { name: "Outdent", icon: IndentDecrease, run: outdentItems },
  { name: "Indent", icon: IndentIncrease, run: indentItems },
  LINK,
  ...HEADINGS,
  TABLE,
];

/** Sets `--keyboard` to the height of the on-screen keyboard, so that the bars at the bottom are placed above it. */
function useKeyboardHeight(isShown: boolean): void {
  useEffect(() => {
    const { visualViewport: viewport } = window;
    if (!isShown || !viewport) return undefined;
    const { documentElement: root } = document;
    const place = () => {
      const hidden = root.clientHeight - viewport.height - viewport.offsetTop;
      root.style.setProperty("--keyboard", `${Math.max(0, hidden)}px`);
    };
    place();
    viewport.addEventListener("resize", place);
    viewport.addEventListener("scroll", place);
    return () => {
      viewport.removeEventListener("resize", place);
      viewport.removeEventListener("scroll", place);
      root.style.removeProperty("--keyboard");
    };
  }, [isShown]);
}

/** Keeps the focus in the text, so that the keyboard stays open. */
const keepFocus = (event: PointerEvent) => event.preventDefault();

/** The most used commands, above the on-screen keyboard while the text has the focus. */
export default function PhoneBar({ view, watched }: ObservedEditor) {
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
    <div className={styles.bar} role="toolbar" aria-label="Keyboard toolbar" data-at-end="keyboard">
      {ACTIONS.map((action) => button(action, () => void action.run(view)))}
      {button({ name: "Hide keyboard", icon: KeyboardOff }, () => view.contentDOM.blur())}
    </div>
  );
}
