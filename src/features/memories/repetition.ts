import { addDays, daysBetween, isDay, localDay } from "../../contract/days.ts";
import { pickFields } from "../../contract/field-spec.ts";
import type { Memory } from "../../contract/memory.ts";
import { NEXT_VALUE_NAMES } from "../../contract/memory-fields.ts";
import type { ReminderList } from "../../contract/remind.ts";
import { countOccurrences, listOccurrences, nextDayAfterDone } from "../../contract/repeat/occurrences.ts";
import { parseStoredRule, type Rule, writeRule } from "../../contract/repeat/rule.ts";
import { ruleText } from "../../contract/repeat/rule-text.ts";
import type { memories } from "../../platform/db/tables.ts";
import { type Clock, currentDay } from "./ages.ts";

// When a repeating record is due again. Its rule counts from `repeat_start`.

type Row = Omit<typeof memories.$inferSelect, "owner" | "activity">;

type Repeating = Pick<Row, "due_date" | "repeat" | "repeat_from" | "repeat_start" | "status">;

type RepetitionFields = Pick<Memory, "repeat_text" | "next_due" | "missed">;

const MAX_NEXT_DUE = 3;

const laterDay = (a: string, b: string) => (a > b ? a : b);

export const isOpen = ({ status }: Pick<Row, "status">) => status === "active" || status === "deferred";

/** The due date of the record after the one closed on `day`; undefined once the rule has ended. */
function nextDueDate(rule: Rule, { due_date, repeat_from, repeat_start }: Repeating, day: string) {
  if (repeat_from === "done") return rule.count === 1 ? undefined : nextDayAfterDone(rule, { done: day });
  const due = due_date ?? day;
  return listOccurrences(rule, { anchor: repeat_start ?? due, after: laterDay(due, day), limit: 1 })[0];
}

/** The fields of a response that describe a record's repetition. */
export function repetitionFields(row: Repeating, clock: Clock): RepetitionFields {
  if (row.repeat === null) return { repeat_text: null, next_due: null, missed: null };
  const rule = parseStoredRule(row.repeat);
  const { due_date, repeat_from, repeat_start } = row;
  const repeat_text = ruleText(rule, repeat_from);
  if (!isOpen(row) || due_date === null) return { repeat_text, next_due: null, missed: null };
  const today = currentDay(clock);
  if (repeat_from === "done")
    return { repeat_text, next_due: [nextDueDate(rule, row, today) ?? []].flat(), missed: 0 };
  const anchor = repeat_start ?? due_date;
  return {
    repeat_text,
    next_due: listOccurrences(rule, { anchor, after: laterDay(due_date, today), limit: MAX_NEXT_DUE }),
    missed: today > due_date ? countOccurrences(rule, { anchor, after: due_date, until: today }) : 0,
  };
}

/** Moves reminders with a fixed date along with the due date; drops those beyond the calendar. */
const shiftReminders = (remind: ReminderList | null, days: number): ReminderList | null =>
  remind?.flatMap((one): ReminderList => {
    if (!("at" in one)) return [one];
    const day = addDays(one.at.slice(0, 10), days);
    return isDay(day) ? [{ at: `${day}${one.at.slice(10)}` }] : [];
  }) ?? null;

/** The rule of the next record: with `repeat_from: done`, its COUNT decreases by one each time. */
const remainingRule = (rule: Rule, { repeat_from }: Repeating): string =>
  writeRule(repeat_from === "done" && rule.count ? { ...rule, count: rule.count - 1 } : rule);

/** The fields of the next record of a series after this one was closed; undefined once the rule has ended. */
export function nextInSeries(row: Row, closedAt: string, clock: Clock) {
  if (row.repeat === null || row.due_date === null) return undefined;
  const rule = parseStoredRule(row.repeat);
  const day = row.repeat_from === "done" ? localDay(closedAt, clock.timezone) : currentDay(clock);
  const due_date = nextDueDate(rule, row, day);
  if (due_date === undefined) return undefined;
  const { repeat_from, repeat_start, series_id } = row;
  const next = { ...pickFields(row, NEXT_VALUE_NAMES), ...row.next_values };
  return {
    ...next,
    due_date,
    repeat_from,
    repeat_start,
    remind: shiftReminders(next.remind, daysBetween(row.due_date, due_date)),
    repeat: remainingRule(rule, row),
    series_id: series_id ?? row.id,
  };
}
