import { Keyboard } from "lucide-react";
import { useState } from "react";
import { IconButton } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import styles from "./shortcut-help.module.css";
import { useShortcuts } from "./shortcuts.ts";

const KEYS: [keys: string[], does: string][] = [
  [["n"], "Write down something new"],
  [["j", "↓"], "Next record"],
  [["k", "↑"], "Record before"],
  [["Enter"], "Open it"],
  [["e"], "Resolve, with a note"],
  [["d"], "Defer to a day"],
  [["c"], "Confirm: it still holds"],
  [["a"], "Archive"],
  [["o"], "Reopen"],
  [["x"], "Select; actions then apply to all selected"],
  [["Esc"], "Clear the selection"],
  [["u", "z"], "Undo the last action"],
  [["/"], "Search"],
  [["?"], "Show these keys"],
];

/** The keys of the lists of records, on `?` or by its button. */
export function ShortcutHelp() {
  const [isOpen, setOpen] = useState(false);
  useShortcuts({ "?": () => setOpen(true) });
  return (
    <>
      <span className={styles.button}>
        <IconButton label="Keys" shortcut="?" onPress={() => setOpen(true)}>
          <Keyboard aria-hidden="true" />
        </IconButton>
      </span>
      <Dialog title="Keys" isOpen={isOpen} onClose={() => setOpen(false)}>
        <dl className={styles.keys}>
          {KEYS.map(([keys, does]) => (
            <div key={does}>
              <dt>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </Dialog>
    </>
  );
}
