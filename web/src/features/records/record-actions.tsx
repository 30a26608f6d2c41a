import type { Action } from "../../kit/actions.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { ActionMenu } from "../../kit/menu.tsx";
import { formatCount } from "../../kit/text.ts";
import styles from "./record-bars.module.css";
import type { RecordItem } from "./row.ts";
import type { WholeList } from "./section.ts";
import { type RecordActionName, recordActions } from "./step-actions.ts";
import { WholeButton } from "./whole-button.tsx";

type BarProps = {
  rows: readonly RecordItem[];
  all: readonly RecordItem[];
  /** All records of the list, if more than `all` are not loaded. */
  whole?: WholeList | undefined;
  /** Whether the list has more records than it shows. */
  isPartial?: boolean | undefined;
  onStep: (action: RecordActionName) => void;
  onSelect: (rows: readonly RecordItem[]) => void;
};

/** Selects all records of the list, after reading those that are not loaded. */
function SelectAll({ all, whole, isPartial, onSelect }: Omit<BarProps, "rows" | "onStep">) {
  const isWhole = whole === undefined || whole.total <= all.length;
  const name = `Select all ${formatCount(isWhole ? all.length : whole.total)}${isWhole && isPartial ? " shown" : ""}`;
  if (!isWhole) return <WholeButton name={name} read={whole.read} onRead={onSelect} />;
  return (
    <Button kind="quiet" onPress={() => onSelect(all)}>
      {name}
    </Button>
  );
}

/** The actions with a button in the bar; its menu has the others. */
const BAR_ACTIONS: readonly RecordActionName[] = ["resolve", "reschedule", "defer", "reopen", "project"];

const isInBar = ({ id }: { id: RecordActionName }) => BAR_ACTIONS.includes(id);

export const SelectionBar = ({ rows, all, whole, isPartial, onStep, onSelect }: BarProps) => (
  <section className={styles.bar} aria-label="Selected records" data-selection-bar>
    <strong role="status">{formatCount(rows.length)} selected</strong>
    {recordActions(onStep, rows)
      .filter(isInBar)
      .map(({ id, name, run }) => (
        <Button key={id} onPress={run}>
          {name}
        </Button>
      ))}
    <ActionMenu
      label="More actions"
      actions={recordActions(onStep, rows).filter((action) => !isInBar(action))}
    />
    <span className={styles.barEnd}>
      {rows.length < Math.max(all.length, whole?.total ?? 0) && (
        <SelectAll {...{ all, whole, isPartial, onSelect }} />
      )}
      <Button kind="quiet" onPress={() => onSelect([])}>
        Clear
      </Button>
    </span>
  </section>
);

type MoreProps = {
  row: RecordItem;
  onStep: (action: RecordActionName) => void;
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
        {actions.map(({ name, isDangerous, run }) => (
          <Button
            key={name}
            kind={isDangerous ? "danger" : "plain"}
            onPress={() => {
              onClose();
              run();
            }}
          >
            {name}
          </Button>
        ))}
        <Button kind="quiet" onPress={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
