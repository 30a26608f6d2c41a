import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import styles from "./record-bars.module.css";
import { STEPS } from "./record-row.tsx";
import type { Row } from "./row.ts";
import { canTake, type Step } from "./steps.ts";

type BarProps = {
  rows: readonly Row[];
  all: readonly Row[];
  onStep: (action: Step["action"]) => void;
  onSelect: (rows: readonly Row[]) => void;
};

/** The actions for all selected records. */
export const SelectionBar = ({ rows, all, onStep, onSelect }: BarProps) => (
  <section className={styles.bar} aria-label="Selected records" data-selection-bar>
    <strong role="status">{rows.length} selected</strong>
    <Button onPress={() => onStep("resolve")} isDisabled={!rows.some((row) => canTake(row, "resolve"))}>
      Resolve
    </Button>
    {STEPS.filter(({ action }) => rows.some((row) => canTake(row, action))).map(({ action, name }) => (
      <Button key={action} onPress={() => onStep(action)}>
        {name}
      </Button>
    ))}
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
  row: Row;
  onStep: (action: Step["action"]) => void;
  onSelect: () => void;
  onClose: () => void;
};

/** The actions of a row, for small screens and devices without hover. */
export function More({ row, onStep, onSelect, onClose }: MoreProps) {
  const run = (action: Step["action"]) => () => {
    onClose();
    onStep(action);
  };
  return (
    <Dialog title={row.topic} isOpen onClose={onClose}>
      <div className={styles.sheet}>
        {canTake(row, "resolve") && <Button onPress={run("resolve")}>Resolve with a note</Button>}
        {STEPS.filter(({ action }) => canTake(row, action)).map(({ action, name }) => (
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
