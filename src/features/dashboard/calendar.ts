import ical, { ICalAlarmType, type ICalCalendar, ICalEventTransparency } from "ical-generator";
import { Temporal } from "temporal-polyfill";
import { addDays } from "../../contract/days.ts";
import type { Memory } from "../../contract/memory.ts";
import type { Remind } from "../../contract/remind.ts";
import { daysOf } from "../../contract/repeat/occurrences.ts";
import { type Rule, ruleOf, writeRule } from "../../contract/repeat/rule.ts";
import type { Steps } from "../../contract/text/steps.ts";

export type DueDate = Pick<
  Memory,
  "id" | "topic" | "content" | "updated_at" | "due_time" | "remind" | "repeat" | "repeat_from" | "series_id"
> & {
  due_date: string;
  repeat_start: string | null;
  /** The id of the record's owner: record numbers are unique per user only. */
  owner: string;
};

const NAME = "Due dates";

/** A time of day floats with the person, as it does here: it stands in the feed without a zone (RFC 5545 section 3.3.5). */
const startOf = (day: string, time: string | null) => new Date(`${day}T${time ?? "00:00"}:00Z`);

/** A rule as calendars read it: its end is a day, because their first event may be a later one, from which COUNT would count. */
function ruleText(rule: Rule, { anchor, time }: { anchor: string; time: string | null }): string {
  const all = { anchor, after: addDays(anchor, -1) };
  const last = rule.count === undefined ? rule.until : daysOf(rule, { ...all, limit: rule.count }).at(-1);
  const text = writeRule({ ...rule, count: undefined, until: undefined });
  if (last === undefined) return text;
  const until = last.replaceAll("-", "");
  return `${text};UNTIL=${time === null ? until : `${until}T235959`}`;
}

type Repetition = { rule: Rule; anchor: string; next: string | undefined };

/** The repetition of a record that follows the calendar, and its first day from the due date on. */
function repetitionOf({ repeat, repeat_from, repeat_start, due_date }: DueDate): Repetition | undefined {
  if (repeat === null || repeat_from === "done") return undefined;
  const [rule, anchor] = [ruleOf(repeat), repeat_start ?? due_date];
  const [next] = daysOf(rule, { anchor, after: addDays(due_date, -1), limit: 1 });
  return { rule, anchor, next };
}

type Shown = { uid: string; day: string; repetition?: Repetition | undefined };

/** The events of a record: one, or for one of a series that was moved to another day, that day and the others. */
function shownOf(item: DueDate, place: string): Shown[] {
  const { id, owner, series_id, due_date: day } = item;
  const repetition = repetitionOf(item);
  if (series_id === null) return [{ uid: `memory-${id}-${owner}@${place}`, day, repetition }];
  const uid = `series-${series_id}-${owner}@${place}`;
  if (!repetition || repetition.next === day) return [{ uid, day, repetition }];
  const moved = { uid: `memory-${id}-${owner}@${place}`, day };
  return repetition.next ? [moved, { uid, day: repetition.next, repetition }] : [moved];
}

/** Reminders of a record without an hour count from this time of its day (contract/remind.ts). */
const MORNING = "09:00";

/**
 * How many seconds before its start a record's reminders come, less than 0 after it (RFC 5545 section 3.8.6.3). Relative to the
 * start, they float with the person as the hour does.
 */
function alarmsOf({ due_date, due_time, remind }: DueDate): number[] {
  if (!remind?.length) return [];
  const start = Temporal.PlainDateTime.from(`${due_date}T${due_time ?? "00:00"}`);
  const due = Temporal.PlainDateTime.from(`${due_date}T${due_time ?? MORNING}`);
  const momentOf = (one: Remind[number]) =>
    "at" in one ? Temporal.PlainDateTime.from(one.at) : due.subtract(one.before);
  return remind.map((one) => start.since(momentOf(one)).total({ unit: "second", relativeTo: start }));
}

function addEvent(calendar: ICalCalendar, item: DueDate, { uid, day, repetition }: Shown): void {
  const { topic, content, updated_at, due_time } = item;
  const event = calendar.createEvent({
    id: uid,
    start: startOf(day, due_time),
    ...(due_time === null ? { allDay: true } : { floating: true }),
    summary: topic,
    description: content,
    stamp: new Date(updated_at),
    lastModified: new Date(updated_at),
    transparency: ICalEventTransparency.TRANSPARENT,
  });
  if (repetition) event.repeating(`RRULE:${ruleText(repetition.rule, { ...repetition, time: due_time })}`);
  for (const trigger of alarmsOf(item)) event.createAlarm({ type: ICalAlarmType.display, trigger });
}

const [BEGIN, END] = ["BEGIN:VEVENT", "END:VCALENDAR"];

/**
 * RFC 5545. Events, because the large calendars do not show the VTODOs of a subscribed feed. Each step adds a record, as text:
 * the library folds the lines of a whole calendar character by character, which would keep others waiting.
 *
 * @param place what stands behind the @ in the names of events (UID)
 */
export function* calendarInSteps(items: DueDate[], place: string): Steps<string> {
  const calendar = ical({ name: NAME, prodId: { company: "commonplace", product: "dashboard" }, ttl: 3600 });
  const events: string[] = [];
  for (const item of items) {
    for (const shown of shownOf(item, place)) addEvent(calendar, item, shown);
    const text = calendar.toString();
    events.push(text.slice(text.indexOf(BEGIN), text.lastIndexOf(END)));
    calendar.clear();
    yield;
  }
  const empty = calendar.toString();
  const end = empty.lastIndexOf(END);
  return empty.slice(0, end) + events.join("") + empty.slice(end);
}
