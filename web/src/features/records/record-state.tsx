import { ArchiveRestore, Check, Moon } from "../../kit/icons.tsx";
import { KindIcon } from "../things/kind.tsx";
import { STATUS_NAMES } from "../things/names.ts";
import styles from "./record-state.module.css";
import type { RecordItem } from "./row.ts";

type Props = { row: RecordItem; tabIndex: number; onResolve: () => void };

const CLOSED = { deferred: Moon, resolved: Check, archived: ArchiveRestore, active: Check };

/** Whether a record can be completed. Records of other types hold until they are replaced. */
const isCompletable = ({ memory_type = "commitment" }: RecordItem) =>
  memory_type === "commitment" || memory_type === "blocker";

/** The state of a closed record, the button that resolves an open one, or the icon of a type that is not resolved. */
export function RecordStateIcon({ row, tabIndex, onResolve }: Props) {
  const Icon = CLOSED[row.status];
  if (row.status !== "active") {
    return (
      <span className={styles.state} title={STATUS_NAMES[row.status]}>
        <Icon aria-label={STATUS_NAMES[row.status]} />
      </span>
    );
  }
  if (!isCompletable(row) && row.memory_type) {
    return (
      <span className={styles.state} aria-hidden="true">
        <KindIcon kind={row.memory_type} />
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
      <Icon />
    </button>
  );
}
