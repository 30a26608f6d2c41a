import ical, { ICalAlarmType, type ICalCalendar, ICalEventTransparency } from "ical-generator";
import { Temporal } from "temporal-polyfill";
import { addDays } from "../../contract/days.ts";
import type { Memory } from "../../contract/memory.ts";
import type { NextValues } from "../../contract/memory-fields.ts";
import { DEFAULT_REMINDER_TIME, type ReminderList } from "../../contract/remind.ts";
import { listOccurrences } from "../../contract/repeat/occurrences.ts";
import { parseStoredRule, type Rule, writeRule } from "../../contract/repeat/rule.ts";
import type { Steps } from "../../shared/text/steps.ts";

export type DueRecord = Pick<
  Memory,
  "id" | "topic" | "content" | "updated_at" | "due_time" | "remind" | "repeat" | "repeat_from" | "series_id"
> & {
  due_date: string;
  repeat_start: string | null;
  next_values: NextValues | null;
  /** The id of the record's owner: record numbers are unique per user only. */
  owner: string;
};

const CALENDAR_NAME = "Due dates";

/** Times of day are floating, without a time zone, as they are in records (RFC 5545 section 3.3.5). */
const startDate = (day: string, time: string | null) => new Date(`${day}T${time ?? "00:00"}:00Z`);

/** A rule for calendars. COUNT becomes UNTIL, because the first event in the feed may not be the first occurrence. */
function ruleText(rule: Rule, { anchor, time }: { anchor: string; time: string | null }): string {
  const all = { anchor, after: addDays(anchor, -1) };
  const last =
    rule.count === undefined ? rule.until : listOccurrences(rule, { ...all, limit: rule.count }).at(-1);
  const text = writeRule({ ...rule, count: undefined, until: undefined });
  if (last === undefined) return text;
  const until = last.replaceAll("-", "");
  return `${text};UNTIL=${time === null ? until : `${until}T235959`}`;
}

type Repetition = { rule: Rule; anchor: string; next: string | undefined };

/**
 * A record's repetition, unless it counts from completion. `next`: its first day on or after the due date; after it if this
 * record differs from those that follow.
 */
function calendarRepetition({
  repeat,
  repeat_from,
  repeat_start,
  due_date,
  next_values,
}: DueRecord): Repetition | undefined {
  if (repeat === null || repeat_from === "done") return undefined;
  const [rule, anchor] = [parseStoredRule(repeat), repeat_start ?? due_date];
  const after = next_values ? due_date : addDays(due_date, -1);
  const [next] = listOccurrences(rule, { anchor, after, limit: 1 });
  return { rule, anchor, next };
}

type CalendarEvent = { item: DueRecord; uid: string; day: string; repetition?: Repetition | undefined };

/** A record's events: usually one; for a series whose next occurrence was changed, that one and the series. */
function eventsOf(item: DueRecord, uidDomain: string): CalendarEvent[] {
  const { id, owner, series_id, due_date: day, next_values } = item;
  const repetition = calendarRepetition(item);
  const single = { item, uid: `memory-${id}-${owner}@${uidDomain}`, day };
  if (series_id === null) return [{ ...single, repetition }];
  const uid = `series-${series_id}-${owner}@${uidDomain}`;
  if (!repetition || repetition.next === day) return [{ item, uid, day, repetition }];
  const following = { ...item, ...next_values };
  return repetition.next ? [single, { item: following, uid, day: repetition.next, repetition }] : [single];
}

/** Seconds from a record's reminders to its start, negative after it; floating like its time (RFC 5545 section 3.8.6.3). */
function alarmOffsets({ due_date, due_time, remind }: DueRecord): number[] {
  if (!remind?.length) return [];
  const start = Temporal.PlainDateTime.from(`${due_date}T${due_time ?? "00:00"}`);
  const due = Temporal.PlainDateTime.from(`${due_date}T${due_time ?? DEFAULT_REMINDER_TIME}`);
  const momentOf = (one: ReminderList[number]) =>
    "at" in one ? Temporal.PlainDateTime.from(one.at) : due.subtract(one.before);
  return remind.map((one) => start.since(momentOf(one)).total({ unit: "second", relativeTo: start }));
}

function addEvent(calendar: ICalCalendar, { item, uid, day, repetition }: CalendarEvent): void {
  const { topic, content, updated_at, due_time } = item;
  const event = calendar.createEvent({
    id: uid,
    start: startDate(day, due_time),
    ...(due_time === null ? { allDay: true } : { floating: true }),
    summary: topic,
    description: content,
    stamp: new Date(updated_at),
    lastModified: new Date(updated_at),
    transparency: ICalEventTransparency.TRANSPARENT,
  });
  if (repetition) event.repeating(`RRULE:${ruleText(repetition.rule, { ...repetition, time: due_time })}`);
  for (const trigger of alarmOffsets(item)) event.createAlarm({ type: ICalAlarmType.display, trigger });
}

const [BEGIN, END] = ["BEGIN:VEVENT", "END:VCALENDAR"];

/**
 * The feed (RFC 5545). Events, because major calendars do not show the VTODOs of a subscribed feed. Each step adds the text
 * of one record: the library folds lines character by character, which takes too long for a whole calendar at once.
 */
export function* calendarSteps(items: DueRecord[], uidDomain: string): Steps<string> {
  const calendar = ical({
    name: CALENDAR_NAME,
    prodId: { company: "commonplace", product: "dashboard" },
    ttl: 3600,
  });
  const events: string[] = [];
  for (const item of items) {
    for (const event of eventsOf(item, uidDomain)) addEvent(calendar, event);
    const text = calendar.toString();
    events.push(text.slice(text.indexOf(BEGIN), text.lastIndexOf(END)));
    calendar.clear();
    yield;
  }
  const empty = calendar.toString();
  const end = empty.lastIndexOf(END);
  return empty.slice(0, end) + events.join("") + empty.slice(end);
}
