import { showOverlay } from "../state/overlay.ts";
import { IconButton } from "./button.tsx";
import { Keyboard } from "./icons.tsx";
import styles from "./keys-button.module.css";

export const SHOW_SHORTCUTS = {
  name: "Keyboard shortcuts",
  help: "Show this list",
  icon: Keyboard,
  shortcut: "?",
  run: () => showOverlay("shortcuts"),
};

export const KeysButton = () => (
  <span className={styles.keys}>
    <IconButton label={SHOW_SHORTCUTS.name} shortcut={SHOW_SHORTCUTS.shortcut} onPress={SHOW_SHORTCUTS.run}>
      <Keyboard />
    </IconButton>
  </span>
);
