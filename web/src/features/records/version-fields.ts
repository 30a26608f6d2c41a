import { describeReminder, type Reminder } from "../../../../src/contract/reminder-text.ts";
import { ruleText } from "../../../../src/contract/repeat/rule-text.ts";
import type { MemoryVersion } from "../../api/memories.ts";
import { capitalized } from "../../kit/text.ts";
import { OWED_NAMES, PRIORITY_NAMES, STATUS_NAMES, TYPE_NAMES } from "../things/names.ts";
import { parseRepeatRule } from "./repeat-form.ts";

type ReminderFields = Pick<MemoryVersion, "due_time" | "remind" | "remind_until_done">;
type RepeatFields = Pick<MemoryVersion, "repeat" | "repeat_from">;

/** Without a due time, `before` counts from 9:00 on the due date: "on the day at 9:00", "1 day before, at 9:00". */
export function reminderText(reminder: Reminder, hasTime: boolean): string {
  const words = describeReminder(reminder);
  if (hasTime || "at" in reminder) return words;
  if (!words.endsWith("before")) return "on the day at 9:00";
  return reminder.before.includes("T") ? `${words} 9:00` : `${words}, at 9:00`;
}

/** "30 minutes before, 1 day before, then every hour until it is done"; empty for none. */
export function remindersText({ due_time, remind, remind_until_done }: ReminderFields): string {
  const all = (remind ?? []).map((one) => reminderText(one, due_time !== null));
  return [...all, ...(remind_until_done && all.length > 0 ? ["then every hour until it is done"] : [])].join(
    ", ",
  );
}

/** "every 3 days, counted from completion"; empty if the record does not repeat. */
export function repetitionText({ repeat, repeat_from }: RepeatFields): string {
  if (!repeat) return "";
  const rule = parseRepeatRule(repeat);
  const words = rule ? ruleText(rule) : repeat;
  return repeat_from === "done" ? `${words}, counted from completion` : words;
}

/** The properties of a version of a record in words, without its content. */
export const memoryVersionFields = (version: MemoryVersion): Record<string, string> => ({
  Topic: version.topic,
  Type: TYPE_NAMES[version.memory_type],
  Status: STATUS_NAMES[version.status],
  "Resolution note": version.resolution_note ?? "",
  Due: [version.due_date, version.due_time].filter(Boolean).join(", "),
  Reminders: remindersText(version),
  Repeats: repetitionText(version),
  "Comes back": version.deferred_until ?? "",
  Project: version.project ?? "",
  Scope: capitalized(version.scope ?? ""),
  Priority: version.priority ? PRIORITY_NAMES[version.priority] : "",
  Owed: version.owed ? OWED_NAMES[version.owed] : "",
  Tags: version.tags.join(", "),
});
