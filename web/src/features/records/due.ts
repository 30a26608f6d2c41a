import type { Row } from "./row.ts";

type Due = Pick<Row, "due_date" | "due_time">;

/**
 * Whether its time has come: with an hour from that minute on, without one from the next day on.
 *
 * @param now the person's day and minute, "2026-11-27T17:00"
 */
export function isLate({ due_date, due_time }: Due, now: string): boolean {
  if (!due_date) return false;
  return due_time ? `${due_date}T${due_time}` <= now : due_date < now.slice(0, "2026-11-27".length);
}

/** What sorts records by when they are due: on each day those without an hour come first. */
export const dueKey = ({ due_date, due_time }: Due): string => `${due_date ?? ""} ${due_time ?? ""}`;
