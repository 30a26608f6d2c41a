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

/** Sorts records by due date; on each day those without a time come first. */
export const dueSortKey = ({ due_date, due_time }: Due): string => `${due_date ?? ""} ${due_time ?? ""}`;
