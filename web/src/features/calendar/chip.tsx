import type { DragEvent } from "react";
import { Link } from "wouter";
import { screenPath } from "../../../../src/contract/paths.ts";
import { Bell, Check, Moon, Repeat } from "../../kit/icons.tsx";
import { DRAGGED_RECORD } from "../records/dragged.ts";
import { isPastDue } from "../records/due.ts";
import { missedText } from "../records/record-due.tsx";
import { TYPE_NAMES } from "../things/names.ts";
import styles from "./calendar.module.css";
import type { CalendarEntry } from "./data.ts";

export const canMove = ({ row, isCopy }: CalendarEntry): boolean =>
  !isCopy && (row.status === "active" || row.status === "deferred");

/** Details for screen readers that sighted users get from icons and styles. */
function hiddenDetails({ row, isCopy }: CalendarEntry, isOver: boolean): string {
  const { status, repeat, repeat_text, remind_at, missed, memory_type: type } = row;
  const words = [
    type && type !== "commitment" && TYPE_NAMES[type].toLowerCase(),
    status === "resolved" && "done",
    status === "deferred" && "deferred",
    isOver && "overdue",
    repeat && (isCopy ? "repeats on this day" : "repeats"),
    repeat && repeat_text,
    remind_at && !isCopy && "has a reminder",
    !isCopy && missed ? missedText(missed) : undefined,
  ];
  return words
    .filter(Boolean)
    .map((word) => `, ${word}`)
    .join("");
}

type Props = {
  entry: CalendarEntry;
  /** Day and minute in the user's time zone. */
  now: string;
  tabIndex: number;
};

/** A record on its day. Its future occurrences are shown fainter and link to the same record. */
export function RecordChip({ entry, now, tabIndex }: Props) {
  const { row, isCopy } = entry;
  const isOver = row.status === "active" && !isCopy && isPastDue(row, now);
  const start = (event: DragEvent) => {
    event.dataTransfer.setData(DRAGGED_RECORD, String(row.id));
    event.dataTransfer.effectAllowed = "move";
  };
  return (
    <Link
      href={screenPath("record", row.id)}
      className={styles.chip}
      data-record={isCopy ? undefined : row.id}
      data-chip
      data-status={row.status}
      data-type={row.memory_type}
      data-copy={isCopy || undefined}
      data-late={isOver || undefined}
      draggable={canMove(entry)}
      onDragStart={start}
      tabIndex={tabIndex}
      title={row.repeat_text ? `${row.topic} (${row.repeat_text})` : row.topic}
    >
      {row.status === "resolved" && <Check />}
      {row.status === "deferred" && <Moon />}
      {row.due_time && <time dateTime={row.due_time}>{row.due_time} </time>}
      <span className={styles.topic} dir="auto">
        {row.topic}
      </span>
      {row.repeat && <Repeat />}
      {row.remind_at && !isCopy && <Bell />}
      <span className="visually-hidden">{hiddenDetails(entry, isOver)}</span>
    </Link>
  );
}
