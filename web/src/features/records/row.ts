import type { DashboardItem } from "../../api/dashboard.ts";
import type { Memory } from "../../api/memories.ts";

/** A record in a list. The dashboard's alerts have neither its type nor its tags. */
export type RecordItem = Pick<
  Memory,
  "id" | "topic" | "content" | "status" | "project" | "scope" | "due_date" | "created_at" | "updated_at"
> &
  Partial<
    Pick<
      Memory,
      | "memory_type"
      | "tags"
      | "deferred_until"
      | "priority"
      | "owed"
      | "due_time"
      | "remind_at"
      | "repeat"
      | "repeat_from"
      | "repeat_start"
      | "repeat_text"
      | "next_due"
      | "missed"
    >
  > & {
    days_stale?: number | undefined;
  };

/** An alert of the dashboard as a row. Stale records are commitments or blockers. */
export const staleRecordItem = (item: DashboardItem, blockers: ReadonlySet<number>): RecordItem => ({
  ...item,
  memory_type: blockers.has(item.id) ? "blocker" : "commitment",
  days_stale: "days_stale" in item ? item.days_stale : undefined,
});
