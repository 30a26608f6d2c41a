import type { RecordItem } from "./row.ts";

type Due = Pick<RecordItem, "due_date" | "due_time">;

/**
 * Whether a record is overdue: from its minute on if it has a time, otherwise from the next day on.
 *
 * @param now the local minute, "2026-11-27T17:00"
 */
export function isPastDue({ due_date, due_time }: Due, now: string): boolean {
  if (!due_date) return false;
  return due_time ? `${due_date}T${due_time}` <= now : due_date < now.slice(0, "2026-11-27".length);
}

/** The current time, shown as a line after the first `after` rows: those that are earlier or have no time. */
export type NowPosition = { time: string; after: number };

/** Where the current time is among the records of today; undefined if none has a time. */
export function nowPosition(rows: readonly RecordItem[], now: string): NowPosition | undefined {
  if (!rows.some(({ due_time }) => due_time)) return undefined;
  const after = rows.filter((row) => !row.due_time || isPastDue(row, now)).length;
  return { time: now.slice("2026-11-27T".length), after };
}

/** Sorts records by due date; on each day those without a time come first. */
export const dueSortKey = ({ due_date, due_time }: Due): string => `${due_date ?? ""} ${due_time ?? ""}`;
