import { dueText, fullDay, relativeDay, roughDays, roughTimeBetween, shortInstant } from "../../kit/dates.ts";
import { Bell, Repeat } from "../../kit/icons.tsx";
import { useNow, useTimezone } from "../../kit/time.tsx";
import { isPastDue } from "./due.ts";
import styles from "./record-row.module.css";
import type { RecordItem } from "./row.ts";

// When a record is due, and its repetition and reminders, as shown in a row.

type Props = { row: RecordItem; today: string };

const timeIn = (now: string) => now.slice("2026-11-27T".length);

/** Due today at a time: the only text that changes every minute. */
function DueToday({ row, due_date, due_time }: { row: RecordItem; due_date: string; due_time: string }) {
  const now = useNow();
  const isOverdue = row.status === "active" && isPastDue(row, now);
  const isPastMinute = isOverdue && due_time < timeIn(now);
  return (
    <time
      dateTime={`${due_date}T${due_time}`}
      title={`${fullDay(due_date)}, ${due_time}`}
      className={isOverdue ? styles.late : undefined}
      data-late={isOverdue || undefined}
    >
      {isOverdue
        ? isPastMinute
          ? `${roughTimeBetween(due_time, timeIn(now))} overdue`
          : "due now"
        : `due today, ${due_time}`}
    </time>
  );
}

function Due({ row, today }: Props) {
  const { due_date, due_time, status } = row;
  if (!due_date) return null;
  if (due_time && due_date === today) return <DueToday {...{ row, due_date, due_time }} />;
  const isOverdue = status === "active" && due_date < today;
  const words = status === "active" ? dueText(due_date, today) : `due ${relativeDay(due_date, today)}`;
  return (
    <time
      dateTime={due_time ? `${due_date}T${due_time}` : due_date}
      title={due_time ? `${fullDay(due_date)}, ${due_time}` : fullDay(due_date)}
      className={isOverdue ? styles.late : undefined}
    >
      {words}
      {due_time && due_date > today && `, ${due_time}`}
    </time>
  );
}

/** When a record is due, comes back, or last changed. */
export function RecordDateText({ row, today }: Props) {
  const { due_date, deferred_until, days_stale, status } = row;
  if (status === "deferred") {
    if (!deferred_until) return <span>Waiting for you</span>;
    return (
      <time dateTime={deferred_until} title={fullDay(deferred_until)}>
        back {relativeDay(deferred_until, today)}
      </time>
    );
  }
  if (due_date) return <Due row={row} today={today} />;
  return days_stale ? <span>No change for {roughDays(days_stale)}</span> : null;
}

/** "missed once", "missed 3 times" */
export const missedText = (missed: number): string =>
  missed === 1 ? "missed once" : `missed ${missed.toLocaleString("en-GB")} times`;

function Reminder({ at, today }: { at: string; today: string }) {
  const timezone = useTimezone();
  const when = `reminder ${shortInstant(at, timezone, today)}`;
  return (
    <span className={styles.sign} title={when}>
      <Bell />
      <span className="visually-hidden">{when}</span>
    </span>
  );
}

/** Icons with text: missed occurrences, repetition, and the next reminder. */
export const RecordIcons = ({ row, today }: Props) => (
  <>
    {(row.missed ?? 0) > 0 && <span className={styles.missed}>{missedText(row.missed ?? 0)}</span>}
    {row.repeat && (
      <span className={styles.sign} title={row.repeat_text ?? "repeats"}>
        <Repeat />
        <span className="visually-hidden">repeats </span>
        <span className={styles.rule}>{row.repeat_text}</span>
      </span>
    )}
    {row.remind_at && <Reminder at={row.remind_at} today={today} />}
  </>
);
