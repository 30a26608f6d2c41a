import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import styles from "./record-bars.module.css";
import { STEP_BUTTONS } from "./record-row.tsx";
import type { RecordItem } from "./row.ts";
import { canApplyStep, type RecordStep } from "./steps.ts";

type BarProps = {
  rows: readonly RecordItem[];
  all: readonly RecordItem[];
  onStep: (action: RecordStep["action"]) => void;
  onSelect: (rows: readonly RecordItem[]) => void;
};

/** The actions for all selected records. */
export const SelectionBar = ({ rows, all, onStep, onSelect }: BarProps) => (
  <section className={styles.bar} aria-label="Selected records" data-selection-bar>
    <strong role="status">{rows.length} selected</strong>
    <Button onPress={() => onStep("resolve")} isDisabled={!rows.some((row) => canApplyStep(row, "resolve"))}>
      Resolve
    </Button>
    {STEP_BUTTONS.filter(({ action }) => rows.some((row) => canApplyStep(row, action))).map(
      ({ action, name }) => (
        <Button key={action} onPress={() => onStep(action)}>
          {name}
        </Button>
      ),
    )}
    <Button kind="quiet" onPress={() => onStep("delete")}>
      Trash
    </Button>
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
  onStep: (action: RecordStep["action"]) => void;
  onSelect: () => void;
  onClose: () => void;
};

/** The actions of a row, for small screens and devices without hover. */
export function RecordActionsDialog({ row, onStep, onSelect, onClose }: MoreProps) {
  const run = (action: RecordStep["action"]) => () => {
    onClose();
    onStep(action);
  };
  return (
    <Dialog title={row.topic} isOpen onClose={onClose}>
      <div className={styles.sheet}>
        {canApplyStep(row, "resolve") && <Button onPress={run("resolve")}>Resolve with a note</Button>}
        {STEP_BUTTONS.filter(({ action }) => canApplyStep(row, action)).map(({ action, name }) => (
          <Button key={action} onPress={run(action)}>
            {name}
          </Button>
        ))}
        <Button
          onPress={() => {
            onSelect();
            onClose();
          }}
        >
          Select
        </Button>
        <Button kind="danger" onPress={run("delete")}>
          Move to trash
        </Button>
        <Button kind="quiet" onPress={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
