import type { DashboardItem, Memory, MemoryType } from "../../api.ts";

/** A record in a list. The dashboard's alerts say neither its type nor its tags. */
export type Row = Pick<
  Memory,
  "id" | "topic" | "content" | "status" | "project" | "scope" | "due_date" | "created_at" | "updated_at"
> &
  Partial<Pick<Memory, "memory_type" | "tags" | "deferred_until">> & {
    days_stale?: number | undefined;
  };

export const TYPE_NAMES: Record<MemoryType, string> = {
  commitment: "Commitment",
  decision: "Decision",
  blocker: "Blocker",
  pattern: "Pattern",
  preference: "Preference",
  context: "Context",
};
export const TYPES = Object.keys(TYPE_NAMES) as MemoryType[];

export const STATUS_NAMES = {
  active: "Active",
  deferred: "Deferred",
  resolved: "Resolved",
  archived: "Archived",
} as const;

/** Stale records are commitments and blockers. */
export const staleRow = (item: DashboardItem, blockers: ReadonlySet<number>): Row => ({
  ...item,
  memory_type: blockers.has(item.id) ? "blocker" : "commitment",
  days_stale: "days_stale" in item ? item.days_stale : undefined,
});
