import { showOverlay } from "../state/overlay.ts";
import { IconButton } from "./button.tsx";
import { Keyboard } from "./icons.tsx";
import styles from "./keys-button.module.css";

/** Opens the list of shortcuts, like `?`. */
export const KeysButton = () => (
  <span className={styles.keys}>
    <IconButton label="Keyboard shortcuts" shortcut="?" onPress={() => showOverlay("shortcuts")}>
      <Keyboard aria-hidden="true" />
    </IconButton>
  </span>
);
