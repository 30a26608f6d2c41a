import { describeReminder, type Reminder } from "../../../../src/contract/reminder-text.ts";
import { ruleText } from "../../../../src/contract/repeat/rule-text.ts";
import type { Memory, MemoryEvent, MemoryVersion } from "../../api/memories.ts";
import { shortDay } from "../../kit/dates.ts";
import {
  RECORD_FIELDS,
  type RecordField,
  type RecordFieldName,
  type RecordState,
  recordFields,
} from "./record-fields.ts";
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
  if (remind_until_done && all.length > 0) all.push("then every hour until it is done");
  return all.join(", ");
}

/** "every 3 days after it was done"; empty if the record does not repeat. */
function repetitionText({ repeat, repeat_from }: RepeatFields): string {
  if (!repeat) return "";
  const rule = parseRepeatRule(repeat);
  return rule ? ruleText(rule, repeat_from) : repeat;
}

type Texts = Partial<Record<RecordFieldName, (state: RecordState, today: string) => string>>;

/** Fields that are not shown as their value or its name. */
const VERSION_TEXTS: Texts = {
  due_date: ({ due_date, due_time }, today) =>
    due_date ? [shortDay(due_date, today), due_time].filter(Boolean).join(", ") : "",
  deferred_until: ({ deferred_until }, today) => (deferred_until ? shortDay(deferred_until, today) : ""),
  remind: remindersText,
  repeat: repetitionText,
  tags: ({ tags }) => tags.join(", "),
};

/** The same in sentences about a change. */
const SENTENCE_TEXTS: Texts = {
  ...VERSION_TEXTS,
  tags: ({ tags }) => tags.map((tag) => `#${tag}`).join(" "),
  topic: ({ topic }) => `“${topic}”`,
};

/** A field in words; empty for none. Without `today`, days have their year. */
function fieldText(name: RecordFieldName, state: RecordState, texts: Texts, today = ""): string {
  const [value, { names }]: [unknown, RecordField] = [state[name], RECORD_FIELDS[name]];
  return texts[name]?.(state, today) ?? String((names ? names[String(value)] : value) ?? "");
}

type PartialState = { [Name in keyof RecordState]?: RecordState[Name] | undefined };

/** The properties in words, by label, as far as the state has them, without its content. */
export const recordStateTexts = (state: PartialState): Record<string, string> =>
  Object.fromEntries(
    recordFields(["topic"]).flatMap(([name, { label }]) =>
      name in state ? [[label, fieldText(name, state as RecordState, VERSION_TEXTS)]] : [],
    ),
  );

/** "due → Fri 27 Nov, project → none"; changes of the content are not listed. */
function describeChanges(before: RecordState, after: RecordState, today: string): string {
  const fields = recordFields(["due_date", "remind", "repeat", "deferred_until", "project"]);
  const changes = fields.flatMap(([name, { label, hasEvent }]) => {
    const text = fieldText(name, after, SENTENCE_TEXTS, today);
    if (hasEvent || text === fieldText(name, before, SENTENCE_TEXTS, today)) return [];
    return [`${label.toLowerCase()} → ${text || "none"}`];
  });
  return changes.join(", ");
}

/** The states of a record, newest first. */
export const memoryStates = (memory: Memory, versions: readonly RecordState[]): RecordState[] => [
  { ...memory, created_at: memory.updated_at },
  ...versions.filter(({ version }) => version < memory.version),
];

/** Describes what an event changed; undefined if the versions around it are no longer stored. */
export function describeEventChanges(
  states: readonly RecordState[],
  { at }: MemoryEvent,
  today: string,
): string | undefined {
  const index = states.findIndex(({ created_at }) => created_at === at);
  const [after, before] = index < 0 ? [] : states.slice(index, index + 2);
  return after && before && (describeChanges(before, after, today) || "the text");
}
