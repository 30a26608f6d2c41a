import type { Action } from "../../kit/actions.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import styles from "./record-bars.module.css";
import type { RecordItem } from "./row.ts";
import { recordActions, type StepName } from "./steps.ts";

type BarProps = {
  rows: readonly RecordItem[];
  all: readonly RecordItem[];
  onStep: (action: StepName) => void;
  onSelect: (rows: readonly RecordItem[]) => void;
};

export const SelectionBar = ({ rows, all, onStep, onSelect }: BarProps) => (
  <section className={styles.bar} aria-label="Selected records" data-selection-bar>
    <strong role="status">{rows.length} selected</strong>
    {recordActions(onStep, rows).map(({ id, name, run }) => (
      <Button key={id} kind={id === "delete" ? "quiet" : "plain"} onPress={run}>
        {id === "delete" ? "Trash" : name}
      </Button>
    ))}
    <span className={styles.barEnd}>
      {rows.length < all.length && (
        <Button kind="quiet" onPress={() => onSelect(all)}>
          Select all {all.length}
        </Button>
      )}
      <Button kind="quiet" onPress={() => onSelect([])}>
        Clear
      </Button>
    </span>
  </section>
);

type MoreProps = {
  row: RecordItem;
  onStep: (action: StepName) => void;
  onSelect: () => void;
  onClose: () => void;
};

/** The actions of a row, for small screens and devices without hover. */
export function RecordActionsDialog({ row, onStep, onSelect, onClose }: MoreProps) {
  const steps = recordActions(onStep, [row]);
  const select: Action = { name: "Select", run: onSelect };
  // The last one moves the record to the trash.
  const actions = [...steps.slice(0, -1), select, ...steps.slice(-1)];
  return (
    <Dialog title={row.topic} isOpen onClose={onClose}>
      <div className={styles.sheet}>
        {actions.map(({ id, name, isDangerous, run }) => (
          <Button
            key={name}
            kind={isDangerous ? "danger" : "plain"}
            onPress={() => {
              onClose();
              run();
            }}
          >
            {id === "resolve" ? "Resolve with a note" : name}
          </Button>
        ))}
        <Button kind="quiet" onPress={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
