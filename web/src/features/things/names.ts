import type { LifeCycleStatus } from "../../../../src/contract/life-cycle.ts";
import type { Memory, MemoryType } from "../../api/memories.ts";

export const TYPE_NAMES: Record<MemoryType, string> = {
  commitment: "Commitment",
  decision: "Decision",
  blocker: "Blocker",
  pattern: "Pattern",
  preference: "Preference",
  context: "Context",
};
export const RECORD_TYPES = Object.keys(TYPE_NAMES) as MemoryType[];

export const STATUS_NAMES: Record<LifeCycleStatus, string> = {
  active: "Active",
  deferred: "Deferred",
  resolved: "Resolved",
  archived: "Archived",
};

export const SCOPE_NAMES: Record<NonNullable<Memory["scope"]>, string> = {
  work: "Work",
  personal: "Personal",
};

export const PRIORITY_NAMES: Record<NonNullable<Memory["priority"]>, string> = {
  high: "High",
  normal: "Normal",
  low: "Low",
};

export const OWED_NAMES: Record<NonNullable<Memory["owed"]>, string> = {
  by_me: "I owe it",
  to_me: "Owed to me",
};
