import type { Memory, MemoryEvent, MemoryVersion } from "../../api/memories.ts";
import { capitalized } from "../../kit/capitalized.ts";
import { shortDay } from "../../kit/dates.ts";
import { OWED_NAMES, PRIORITY_NAMES, TYPE_NAMES } from "../things/names.ts";
import { remindersOf, repetitionOf } from "./version-fields.ts";

/** A state of a record, and when it was written. */
export type State = Omit<MemoryVersion, "content" | "memory_id">;

type Told = Pick<
  State,
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

const FIELDS: Record<string, (state: Told, today: string) => string> = {
  due: ({ due_date, due_time }, today) =>
    due_date ? [shortDay(due_date, today), due_time].filter(Boolean).join(", ") : "",
  reminders: remindersOf,
  repeats: repetitionOf,
  "comes back": ({ deferred_until }, today) => (deferred_until ? shortDay(deferred_until, today) : ""),
  project: ({ project }) => project ?? "",
  type: ({ memory_type }) => TYPE_NAMES[memory_type],
  scope: ({ scope }) => capitalized(scope ?? ""),
  priority: ({ priority }) => (priority ? PRIORITY_NAMES[priority] : ""),
  owed: ({ owed }) => (owed ? OWED_NAMES[owed] : ""),
  tags: ({ tags }) => tags.map((tag) => `#${tag}`).join(" "),
  topic: ({ topic }) => `“${topic}”`,
};

/** "due → Fri 27 Nov, project → none" from one state to the next; the content is in none of them. */
export function changesBetween(before: Told, after: Told, today: string): string {
  const changed = Object.entries(FIELDS).filter(([, say]) => say(before, today) !== say(after, today));
  return changed.map(([name, say]) => `${name} → ${say(after, today) || "none"}`).join(", ");
}

/** The states of a record, the newest first. */
export const statesOf = (memory: Memory, versions: readonly State[]): State[] => [
  { ...memory, created_at: memory.updated_at },
  ...versions.filter(({ version }) => version < memory.version),
];

/** What an event changed; undefined if its states are no longer kept. */
export function whatChanged(
  states: readonly State[],
  { at }: MemoryEvent,
  today: string,
): string | undefined {
  const place = states.findIndex(({ created_at }) => created_at === at);
  const [after, before] = place < 0 ? [] : states.slice(place, place + 2);
  return after && before && (changesBetween(before, after, today) || "the text");
}
