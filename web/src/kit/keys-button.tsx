import { show } from "../state/over.ts";
import { IconButton } from "./button.tsx";
import { Keyboard } from "./icons.tsx";
import styles from "./keys-button.module.css";

/** Shows the keys of the screen, as `?` does. */
export const KeysButton = () => (
  <span className={styles.keys}>
    <IconButton label="Keyboard shortcuts" shortcut="?" onPress={() => show("shortcuts")}>
      <Keyboard aria-hidden="true" />
    </IconButton>
  </span>
);
