import { memo } from "react";
import { Link } from "wouter";
import { dueWords, fullDay, relativeDay, span } from "../../kit/dates.ts";
import { Archive, CheckCheck, Clock, Ellipsis, RotateCcw } from "../../kit/icons.tsx";
import { TYPE_NAMES } from "../things/names.ts";
import styles from "./record-row.module.css";
import { State } from "./record-state.tsx";
import type { Row } from "./row.ts";
import { canTake, type Step } from "./steps.ts";

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
    if (!deferred_until) return <span>Waiting for you</span>;
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
  return days_stale ? <span>No change for {span(days_stale)}</span> : null;
}

const Facts = ({ row, today }: { row: Row; today: string }) => (
  <span className={styles.facts}>
    {row.tags?.map((tag) => (
      <span key={tag} className={styles.tag}>
        #{tag}
      </span>
    ))}
    {row.project && (
      <span className={styles.project} data-project>
        {row.project}
      </span>
    )}
    <span className={styles.when}>
      <When row={row} today={today} />
    </span>
  </span>
);

/**
 * One record: its topic is the link that the cursor of the list is on; the rest of the row is reached with Tab from
 * there.
 */
export const RecordRow = memo(function RecordRow(props: Props) {
  const { row, today, isCurrent, isSelected, onStep, onSelect, onFocus, onMore } = props;
  const tabIndex = isCurrent ? 0 : -1;
  // Most records are commitments: that is not said of each.
  const type = row.memory_type && row.memory_type !== "commitment" && TYPE_NAMES[row.memory_type];
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
      <State row={row} tabIndex={tabIndex} onResolve={() => onStep(row, "resolve", "once")} />
      <Link href={`/records/${row.id}`} className={styles.topic} dir="auto" tabIndex={tabIndex}>
        {type && (
          <>
            <span className={styles.type} dir="ltr" data-type={row.memory_type}>
              {type}
            </span>{" "}
          </>
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
