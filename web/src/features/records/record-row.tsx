import { memo } from "react";
import { Link } from "wouter";
import { Ellipsis } from "../../kit/icons.tsx";
import { OWED_NAMES, PRIORITY_NAMES, TYPE_NAMES } from "../things/names.ts";
import { RecordDateText, RecordIcons } from "./record-due.tsx";
import styles from "./record-row.module.css";
import { RecordStateIcon } from "./record-state.tsx";
import type { RecordItem } from "./row.ts";
import { type RecordActionName, recordActions } from "./step-actions.ts";

/** The events of a row. */
export type RecordRowHandlers = {
  onStep: (row: RecordItem, action: RecordActionName) => void;
  onSelect: (row: RecordItem) => void;
  onFocus: (row: RecordItem) => void;
  onMore: (row: RecordItem) => void;
};

type Props = RecordRowHandlers & { row: RecordItem; today: string; isCurrent: boolean; isSelected: boolean };

/** The actions with a button in the row; the others are in its menu. Resolving has the circle before the topic. */
const ROW_ACTIONS: readonly RecordActionName[] = [
  "reschedule",
  "defer",
  "skip",
  "confirm",
  "reopen",
  "archive",
];

const Facts = ({ row, today }: { row: RecordItem; today: string }) => (
  <span className={styles.facts}>
    {row.priority && row.priority !== "normal" && (
      <span className={styles.pill} data-priority={row.priority}>
        {PRIORITY_NAMES[row.priority]}
        <span className="visually-hidden"> priority</span>
      </span>
    )}
    {row.owed && <span className={styles.pill}>{OWED_NAMES[row.owed]}</span>}
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
    <RecordIcons row={row} today={today} />
    <span className={styles.when}>
      <RecordDateText row={row} today={today} />
    </span>
  </span>
);

/** One record. The cursor of the list focuses the link of its topic; Tab reaches the rest of the row. */
export const RecordRow = memo(function RecordRow(props: Props) {
  const { row, today, isCurrent, isSelected, onStep, onSelect, onFocus, onMore } = props;
  const tabIndex = isCurrent ? 0 : -1;
  // Most records are commitments, so that type is not shown.
  const type = row.memory_type && row.memory_type !== "commitment" && TYPE_NAMES[row.memory_type];
  return (
    <li
      className={styles.row}
      data-record={row.id}
      data-status={row.status}
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
      <RecordStateIcon row={row} tabIndex={tabIndex} onResolve={() => onStep(row, "resolve")} />
      <Link href={`/records/${row.id}`} className={styles.topic} tabIndex={tabIndex}>
        {row.due_time && (
          <>
            <time className={styles.hour} dateTime={row.due_time}>
              {row.due_time}
            </time>{" "}
          </>
        )}
        <span className={styles.words} dir="auto">
          {type && (
            <>
              <span className={styles.type} dir="ltr" data-type={row.memory_type}>
                {type}
              </span>{" "}
            </>
          )}
          {row.topic}
        </span>
      </Link>
      <Facts row={row} today={today} />
      <span className={styles.steps}>
        {recordActions((action) => onStep(row, action), [row])
          .filter(({ id }) => ROW_ACTIONS.includes(id))
          .map(({ id, name, shortcut, icon: Icon, run }) => (
            <button
              key={id}
              type="button"
              tabIndex={tabIndex}
              aria-label={`${name} ${row.topic}`}
              title={`${name} (${shortcut})`}
              onClick={run}
            >
              {Icon && <Icon />}
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
        <Ellipsis />
      </button>
    </li>
  );
});
