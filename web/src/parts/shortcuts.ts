import { useEffect, useRef } from "react";

/** What keys do, by `KeyboardEvent.key`; "mod+k" is ⌘K on Apple's systems and Ctrl+K elsewhere. */
export type Shortcuts = Record<string, (event: KeyboardEvent) => void>;

/** What is open above the screen takes the keys. React Aria sets no aria-modal. */
const OPEN = '[role="dialog"], [role="alertdialog"], [role="menu"]';

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input, textarea, select, [role=textbox], [role=combobox]"));

const nameOf = ({ key, metaKey, ctrlKey, altKey }: KeyboardEvent) =>
  altKey ? undefined : metaKey || ctrlKey ? `mod+${key.toLowerCase()}` : key;

/** Keys of a screen while it is shown. Plain keys do nothing while somebody is typing or a dialog is open. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const name = nameOf(event);
      const act = name === undefined ? undefined : latest.current[name];
      if (!act || event.defaultPrevented) return;
      const plain = !name?.startsWith("mod+");
      if (plain && (isTyping(event.target) || document.querySelector(OPEN))) return;
      event.preventDefault();
      act(event);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}
