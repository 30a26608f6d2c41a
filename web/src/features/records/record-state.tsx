import { ArchiveRestore, Check, Moon } from "../../kit/icons.tsx";
import { STATUS_NAMES } from "../things/names.ts";
import styles from "./record-state.module.css";
import type { Row } from "./row.ts";

type Props = { row: Row; tabIndex: number; onResolve: () => void };

const CLOSED = { deferred: Moon, resolved: Check, archived: ArchiveRestore, active: Check };

/** The state of a record; while it is open, the button that resolves it. */
export function State({ row, tabIndex, onResolve }: Props) {
  const Icon = CLOSED[row.status];
  if (row.status !== "active") {
    return (
      <span className={styles.state} title={STATUS_NAMES[row.status]}>
        <Icon aria-label={STATUS_NAMES[row.status]} />
      </span>
    );
  }
  return (
    <button
      type="button"
      className={styles.resolve}
      tabIndex={tabIndex}
      aria-label={`Resolve ${row.topic}`}
      title="Resolve"
      onClick={onResolve}
    >
      <Icon aria-hidden="true" />
    </button>
  );
}
