import { Archive, ArchiveRestore, Check, CheckCheck, Clock, Ellipsis, Moon, RotateCcw } from "lucide-react";
import { memo } from "react";
import { Link } from "wouter";
import { type Row, STATUS_NAMES, TYPE_NAMES } from "./row.ts";
import { canTake, type Step } from "../../records/steps.ts";
import { dueWords, fullDay, relativeDay, span } from "../../kit/dates.ts";
import styles from "./record-row.module.css";

/** What a row tells its list. */
export type Handlers = {
  onStep: (row: Row, action: Step["action"], at?: "once") => void;
  onSelect: (row: Row) => void;
  onFocus: (row: Row) => void;
  onMore: (row: Row) => void;
};

type Props = Handlers & { row: Row; today: string; isCurrent: boolean; isSelected: boolean };

export const STEPS = [
  { action: "defer", name: "Defer", key: "d", icon: Clock },
  { action: "confirm", name: "Confirm", key: "c", icon: CheckCheck },
  { action: "reopen", name: "Reopen", key: "o", icon: RotateCcw },
  { action: "archive", name: "Archive", key: "a", icon: Archive },
] as const;

/** What the date of a record says now. */
function When({ row, today }: { row: Row; today: string }) {
  const { due_date, deferred_until, days_stale, status } = row;
  if (status === "deferred") {
    if (!deferred_until) return <span>waits for you</span>;
    return (
      <time dateTime={deferred_until} title={fullDay(deferred_until)}>
        back {relativeDay(deferred_until, today)}
      </time>
    );
  }
  if (due_date) {
    const late = status === "active" && due_date < today;
    return (
      <time dateTime={due_date} title={fullDay(due_date)} className={late ? styles.late : undefined}>
        {status === "active" ? dueWords(due_date, today) : `due ${relativeDay(due_date, today)}`}
      </time>
    );
  }
  return days_stale ? <span>quiet for {span(days_stale)}</span> : null;
}

const Facts = ({ row, today }: { row: Row; today: string }) => (
  <span className={styles.facts}>
    {row.tags?.map((tag) => (
      <span key={tag} className={styles.tag}>
        #{tag}
      </span>
    ))}
    {row.project && <span className={styles.project}>{row.project}</span>}
    <span className={styles.when}>
      <When row={row} today={today} />
    </span>
  </span>
);

const CLOSED = { deferred: Moon, resolved: Check, archived: ArchiveRestore, active: Check };

/** The state of a record; while it is open, the button that resolves it. */
function State({ row, tabIndex, onStep }: Pick<Props, "row" | "onStep"> & { tabIndex: number }) {
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
      onClick={() => onStep(row, "resolve", "once")}
    >
      <Icon aria-hidden="true" />
    </button>
  );
}

/**
 * One record: its topic is the link that the cursor of the list is on; the rest of the row is reached with Tab from
 * there.
 */
export const RecordRow = memo(function RecordRow(props: Props) {
  const { row, today, isCurrent, isSelected, onStep, onSelect, onFocus, onMore } = props;
  const tabIndex = isCurrent ? 0 : -1;
  return (
    <li
      className={styles.row}
      data-record={row.id}
      data-current={isCurrent || undefined}
      data-selected={isSelected || undefined}
      onFocus={() => onFocus(row)}
    >
      <input
        type="checkbox"
        className={styles.select}
        tabIndex={tabIndex}
        aria-label={`Select ${row.topic}`}
        checked={isSelected}
        onChange={() => onSelect(row)}
      />
      <State row={row} tabIndex={tabIndex} onStep={onStep} />
      <Link href={`/records/${row.id}`} className={styles.topic} tabIndex={tabIndex}>
        {row.memory_type && row.memory_type !== "commitment" && (
          <span className={styles.type} data-type={row.memory_type}>
            {TYPE_NAMES[row.memory_type]}
          </span>
        )}
        {row.topic}
      </Link>
      <Facts row={row} today={today} />
      <span className={styles.steps}>
        {STEPS.filter(({ action }) => canTake(row, action)).map(({ action, name, key, icon: Icon }) => (
          <button
            key={action}
            type="button"
            tabIndex={tabIndex}
            aria-label={`${name} ${row.topic}`}
            title={`${name} (${key})`}
            onClick={() => onStep(row, action)}
          >
            <Icon aria-hidden="true" />
          </button>
        ))}
      </span>
      <button
        type="button"
        className={styles.more}
        tabIndex={tabIndex}
        aria-label={`Actions for ${row.topic}`}
        onClick={() => onMore(row)}
      >
        <Ellipsis aria-hidden="true" />
      </button>
    </li>
  );
});
