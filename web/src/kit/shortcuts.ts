import { useEffect, useRef } from "react";

/** Handlers by `KeyboardEvent.key`; "mod+k" is ⌘K on Apple systems and Ctrl+K elsewhere. */
export type Shortcuts = Record<string, (event: KeyboardEvent) => void>;

/** Open dialogs and menus take the keys. React Aria sets no aria-modal. */
const OPEN_OVERLAYS = '[role="dialog"], [role="alertdialog"], [role="menu"]';

const TEXT_FIELDS =
  "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [role=textbox], [role=combobox]";

/** Whether the user is typing. The editor is in a shadow root, so `event.target` would be its host. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(TEXT_FIELDS));
}

const shortcutName = ({ key, metaKey, ctrlKey, altKey }: KeyboardEvent) =>
  altKey ? undefined : metaKey || ctrlKey ? `mod+${key.toLowerCase()}` : key;

/** Keyboard shortcuts while the component is mounted. Plain keys are ignored while typing or with an open dialog. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const name = shortcutName(event);
      const act = name === undefined ? undefined : latest.current[name];
      if (!act || event.defaultPrevented) return;
      const plain = !name?.startsWith("mod+");
      if (plain && (isTyping(event) || document.querySelector(OPEN_OVERLAYS))) return;
      event.preventDefault();
      act(event);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}
