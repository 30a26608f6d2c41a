import type { Memory, MemoryEvent, MemoryVersion } from "../../api/memories.ts";
import { shortDay } from "../../kit/dates.ts";
import { capitalized } from "../../kit/text.ts";
import { OWED_NAMES, PRIORITY_NAMES, TYPE_NAMES } from "../things/names.ts";
import { remindersText, repetitionText } from "./version-fields.ts";

/** A version of a record without its content; `created_at` is when the version was written. */
export type MemoryState = Omit<MemoryVersion, "content" | "memory_id">;

type ComparedState = Pick<
  MemoryState,
  | "topic"
  | "memory_type"
  | "due_date"
  | "due_time"
  | "remind"
  | "remind_until_done"
  | "repeat"
  | "repeat_from"
  | "deferred_until"
  | "project"
  | "scope"
  | "priority"
  | "owed"
  | "tags"
>;

const FIELDS: Record<string, (state: ComparedState, today: string) => string> = {
  due: ({ due_date, due_time }, today) =>
    due_date ? [shortDay(due_date, today), due_time].filter(Boolean).join(", ") : "",
  reminders: remindersText,
  repeats: repetitionText,
  "comes back": ({ deferred_until }, today) => (deferred_until ? shortDay(deferred_until, today) : ""),
  project: ({ project }) => project ?? "",
  type: ({ memory_type }) => TYPE_NAMES[memory_type],
  scope: ({ scope }) => capitalized(scope ?? ""),
  priority: ({ priority }) => (priority ? PRIORITY_NAMES[priority] : ""),
  owed: ({ owed }) => (owed ? OWED_NAMES[owed] : ""),
  tags: ({ tags }) => tags.map((tag) => `#${tag}`).join(" "),
  topic: ({ topic }) => `“${topic}”`,
};

/** "due → Fri 27 Nov, project → none"; changes of the content are not listed. */
export function describeChanges(before: ComparedState, after: ComparedState, today: string): string {
  const changed = Object.entries(FIELDS).filter(
    ([, format]) => format(before, today) !== format(after, today),
  );
  return changed.map(([name, format]) => `${name} → ${format(after, today) || "none"}`).join(", ");
}

/** The states of a record, newest first. */
export const memoryStates = (memory: Memory, versions: readonly MemoryState[]): MemoryState[] => [
  { ...memory, created_at: memory.updated_at },
  ...versions.filter(({ version }) => version < memory.version),
];

/** Describes what an event changed; undefined if the versions around it are no longer stored. */
export function describeEventChanges(
  states: readonly MemoryState[],
  { at }: MemoryEvent,
  today: string,
): string | undefined {
  const index = states.findIndex(({ created_at }) => created_at === at);
  const [after, before] = index < 0 ? [] : states.slice(index, index + 2);
  return after && before && (describeChanges(before, after, today) || "the text");
}
