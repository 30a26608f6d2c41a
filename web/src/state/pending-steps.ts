import type { Memory, MemoryOperation } from "../api/memories.ts";
import { Outbox, type OutboxEntry } from "./outbox.ts";

// Pending actions on records: resolve, defer, archive … They are shown as if they were done.

/** The fields of a record that a step changes, for its preview. */
export type StepPreview = Partial<
  Pick<Memory, "status" | "deferred_until" | "due_date" | "due_time" | "project" | "memory_type">
> & {
  days_stale?: undefined;
  deleted?: true;
  added_tag?: string;
};

export type PendingStep = OutboxEntry & {
  /** "Resolve “Send the slides”" */
  text: string;
  operations: MemoryOperation[];
  /** The records before the step. */
  rows: readonly { id: number }[];
  shown: StepPreview;
  /** If it changes due dates: the previous one of each record, or of the only one. */
  movedFrom?: string | null | (string | null)[];
  /** Whether the server may have applied it. */
  isSent?: boolean;
};

export const pendingSteps = new Outbox<PendingStep>("commonplace-steps", "steps");

export const usePendingSteps = pendingSteps.entries.use;
