import { changesNothing, statusAfter } from "../../../../src/contract/life-cycle.ts";
import type { MemoryType } from "../../api/memories.ts";
import type { Action, ActionInfo } from "../../kit/actions.ts";
import {
  Archive,
  CalendarDays,
  Check,
  CheckCheck,
  Clock,
  FolderInput,
  ListChecks,
  Pencil,
  RotateCcw,
  SkipForward,
  Tag,
  Trash2,
} from "../../kit/icons.tsx";
import type { RecordItem } from "./row.ts";

// What can be done with records in a list, one or many: what it is called, and when it applies.

export type RecordStep =
  | { action: "resolve"; note?: string | undefined }
  | { action: "reschedule"; day: string | null }
  | { action: "defer"; until: string | null }
  | { action: "project"; project: string | null }
  | { action: "tag"; tag: string }
  | { action: "type"; type: MemoryType }
  | { action: "skip" }
  | { action: "archive" | "confirm" | "reopen" | "delete" };

export type StepName = RecordStep["action"];

/** `note`: resolving, after asking for a note. */
export type RecordActionName = StepName | "note";

/** The actions, in the order of their buttons. `done`: the beginning of the message afterwards. */
export const RECORD_STEPS: Record<RecordActionName, ActionInfo & { done: string }> = {
  resolve: {
    name: "Resolve",
    words: "done complete finish check off",
    icon: Check,
    shortcut: "e",
    done: "Resolved",
  },
  note: {
    name: "Resolve with a note",
    words: "done complete finish",
    icon: Pencil,
    shortcut: "E",
    done: "Resolved",
  },
  reschedule: {
    name: "Reschedule",
    help: "Change the due date",
    words: "due date day move postpone today tomorrow",
    icon: CalendarDays,
    shortcut: "t",
    done: "Moved",
  },
  defer: {
    name: "Defer",
    help: "Defer to a day",
    words: "snooze later hide wait",
    icon: Clock,
    shortcut: "d",
    done: "Deferred",
  },
  skip: {
    name: "Skip",
    help: "Skip this occurrence",
    icon: SkipForward,
    shortcut: "s",
    done: "Skipped",
  },
  confirm: { name: "Still true", words: "confirm", icon: CheckCheck, shortcut: "c", done: "Confirmed" },
  reopen: { name: "Reopen", words: "undone uncheck", icon: RotateCcw, shortcut: "o", done: "Reopened" },
  project: {
    name: "Move to project",
    help: "Move to a project",
    icon: FolderInput,
    shortcut: "m",
    done: "Moved",
  },
  tag: { name: "Add a tag", words: "label", icon: Tag, shortcut: "l", done: "Tagged" },
  type: { name: "Change the type", words: "kind decision blocker", icon: ListChecks, done: "Changed" },
  archive: { name: "Archive", icon: Archive, shortcut: "a", done: "Archived" },
  delete: {
    name: "Move to trash",
    help: "Move to the trash",
    words: "delete remove bin",
    icon: Trash2,
    shortcut: "#",
    isDangerous: true,
    done: "Moved to the trash",
  },
};

const isOpen = ({ status }: Pick<RecordItem, "status">) => status === "active" || status === "deferred";

/** Whether another occurrence follows a record, because it repeats and is still open. */
export const hasNextOccurrence = (row: Pick<RecordItem, "repeat" | "status">): boolean =>
  Boolean(row.repeat) && isOpen(row);

/** Whether an action would change something; a deferred record may be deferred to another day. */
export function canApplyStep(row: RecordItem, action: RecordActionName): boolean {
  const { status } = row;
  switch (action) {
    case "delete":
    case "project":
    case "tag":
    case "type":
      return true;
    case "reschedule":
      return isOpen(row);
    case "skip":
      return hasNextOccurrence(row);
    case "note":
      return canApplyStep(row, "resolve");
    default:
      return (
        statusAfter(status, action) !== undefined && (action === "defer" || !changesNothing(status, action))
      );
  }
}

/** The actions that apply to at least one of the records; all of them if no records are given. */
export const recordActions = (
  run: (action: RecordActionName) => void,
  rows?: readonly RecordItem[],
): (Action & { id: RecordActionName })[] =>
  (Object.keys(RECORD_STEPS) as RecordActionName[])
    .filter((action) => !rows || rows.some((row) => canApplyStep(row, action)))
    .map((action) => ({ ...RECORD_STEPS[action], id: action, run: () => run(action) }));
