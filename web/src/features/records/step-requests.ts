import { statusAfter } from "../../../../src/contract/life-cycle.ts";
import type { MemoryOperation } from "../../api/memories.ts";
import type { StepPreview } from "../../state/pending-steps.ts";
import type { RecordItem } from "./row.ts";
import type { RecordStep } from "./step-actions.ts";

// What a step sends, and what it changes.

/** Without a day, a record has no time either. */
const dueFields = (day: string | null) => ({ due_date: day, ...(day === null && { due_time: null }) });

/** What the service is asked to do with a record. */
export function operationOf({ id, tags = [] }: RecordItem, step: RecordStep): MemoryOperation {
  switch (step.action) {
    case "resolve":
      return { operation: "resolve", id, ...(step.note && { resolution_note: step.note }) };
    case "defer":
      return { operation: "defer", id, deferred_until: step.until };
    case "reschedule":
      return { operation: "update", id, ...dueFields(step.day) };
    case "project":
      return { operation: "update", id, project: step.project };
    case "tag":
      return { operation: "update", id, tags: [...new Set([...tags, step.tag])] };
    case "type":
      return { operation: "update", id, memory_type: step.type };
    default:
      return { operation: step.action, id };
  }
}

/** The fields that a step changes. The new state is the same for every state that allows the step. */
export function changeOf(step: RecordStep): StepPreview {
  switch (step.action) {
    case "delete":
      return { deleted: true };
    case "skip":
      return { status: "archived" };
    case "reschedule":
      return dueFields(step.day);
    case "project":
      return { project: step.project };
    case "tag":
      return { added_tag: step.tag };
    case "type":
      return { memory_type: step.type };
    default: {
      const status = statusAfter("active", step.action) ?? "active";
      if (step.action === "defer") return { status, deferred_until: step.until };
      return status === "active" ? { status, deferred_until: null, days_stale: undefined } : { status };
    }
  }
}
