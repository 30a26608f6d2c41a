import type { DashboardItem } from "../../api/dashboard.ts";
import type { Memory } from "../../api/memories.ts";

/** A record in a list. The dashboard's alerts have neither its type nor its tags. */
export type RecordItem = Pick<
  Memory,
  "id" | "topic" | "content" | "status" | "project" | "scope" | "due_date" | "created_at" | "updated_at"
> &
  Partial<Memory> & { days_stale?: number | undefined };

/** An alert of the dashboard as a row. Stale records are commitments or blockers. */
export const staleRecordItem = (item: DashboardItem, blockers: ReadonlySet<number>): RecordItem => ({
  ...item,
  memory_type: blockers.has(item.id) ? "blocker" : "commitment",
  days_stale: "days_stale" in item ? item.days_stale : undefined,
});
