import type { Status } from "../../../../src/contract/life-cycle.ts";
import type { MemoryType } from "../../api/memories.ts";

// What the types and statuses of records are called.

export const TYPE_NAMES: Record<MemoryType, string> = {
  commitment: "Commitment",
  decision: "Decision",
  blocker: "Blocker",
  pattern: "Pattern",
  preference: "Preference",
  context: "Context",
};
export const RECORD_TYPES = Object.keys(TYPE_NAMES) as MemoryType[];

export const STATUS_NAMES: Record<Status, string> = {
  active: "Active",
  deferred: "Deferred",
  resolved: "Resolved",
  archived: "Archived",
};
