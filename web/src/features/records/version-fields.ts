import { type Reminder, textOfReminder } from "../../../../src/contract/reminder-text.ts";
import { textOf } from "../../../../src/contract/repeat/text.ts";
import type { MemoryVersion } from "../../api/memories.ts";
import { capitalized } from "../../kit/capitalized.ts";
import { OWED_NAMES, PRIORITY_NAMES, STATUS_NAMES, TYPE_NAMES } from "../things/names.ts";
import { ruleIn } from "./repeat-form.ts";

type ReminderFields = Pick<MemoryVersion, "due_time" | "remind" | "remind_until_done">;
type RepeatFields = Pick<MemoryVersion, "repeat" | "repeat_from">;

/** Without a due time, `before` counts from 9:00 on the due date: "on the day at 9:00", "1 day before, at 9:00". */
export function reminderWords(reminder: Reminder, hasTime: boolean): string {
  const words = textOfReminder(reminder);
  if (hasTime || "at" in reminder) return words;
  if (!words.endsWith("before")) return "on the day at 9:00";
  return reminder.before.includes("T") ? `${words} 9:00` : `${words}, at 9:00`;
}

/** "30 minutes before, 1 day before, then every hour until it is done"; empty for none. */
export function remindersOf({ due_time, remind, remind_until_done }: ReminderFields): string {
  const all = (remind ?? []).map((one) => reminderWords(one, due_time !== null));
  return [...all, ...(remind_until_done && all.length > 0 ? ["then every hour until it is done"] : [])].join(
    ", ",
  );
}

/** "every 3 days, counted from completion"; empty if the record does not repeat. */
export function repetitionOf({ repeat, repeat_from }: RepeatFields): string {
  if (!repeat) return "";
  const rule = ruleIn(repeat);
  const words = rule ? textOf(rule) : repeat;
  return repeat_from === "done" ? `${words}, counted from completion` : words;
}

/** The properties of a version of a record in words, without its content. */
export const memoryFields = (version: MemoryVersion): Record<string, string> => ({
  Topic: version.topic,
  Type: TYPE_NAMES[version.memory_type],
  Status: STATUS_NAMES[version.status],
  "Resolution note": version.resolution_note ?? "",
  Due: [version.due_date, version.due_time].filter(Boolean).join(", "),
  Reminders: remindersOf(version),
  Repeats: repetitionOf(version),
  "Comes back": version.deferred_until ?? "",
  Project: version.project ?? "",
  Scope: capitalized(version.scope ?? ""),
  Priority: version.priority ? PRIORITY_NAMES[version.priority] : "",
  Owed: version.owed ? OWED_NAMES[version.owed] : "",
  Tags: version.tags.join(", "),
});
