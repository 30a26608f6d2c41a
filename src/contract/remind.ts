import { Temporal } from "temporal-polyfill";
import { z } from "zod";
import {
  type LeadTime,
  MAX_LEAD_DAYS,
  MAX_REMINDERS,
  parseLeadTime,
  type Reminder,
} from "./reminder-text.ts";

export { describeReminder as textOfReminder, MAX_REMINDERS, type Reminder } from "./reminder-text.ts";

const MINUTES_OF_A_DAY = 1440;
/** The due time that reminders assume for a day without one. */
export const DEFAULT_REMINDER_TIME = "09:00";

const AT_ERROR = "must be a local date and time to the minute, such as 2026-12-01T09:00";
const BEFORE_ERROR =
  "must be a duration in weeks, or in days, hours and minutes, such as PT30M, P1D or P1DT2H";
const REMINDER_ERROR = 'must be {"at": "2026-12-01T09:00"} or {"before": "PT30M"}';

const LOCAL_MINUTE = new RegExp(z.core.regexes.date.source.replace(/\$$/, "T(?:[01]\\d|2[0-3]):[0-5]\\d$"));

/** The published pattern. Other spellings of these durations, such as PT36H30M, are accepted as well. */
const PUBLISHED_PATTERN =
  "^P(?:[1-4]W|(?:[12]?[0-9]|30)D|T[0-9]{1,2}H|T[0-9]{1,3}M|T0S|[12]?[0-9]DT(?:1?[0-9]|2[0-3])H)$";

const totalMinutes = ({ days, minutes }: LeadTime) => days * MINUTES_OF_A_DAY + minutes;

const At = z.string().regex(LOCAL_MINUTE, AT_ERROR).meta({ example: "2026-12-01T09:00" });
export const ReminderDuration = z
  .string()
  .refine((text) => parseLeadTime(text) !== undefined, BEFORE_ERROR)
  .refine((text) => {
    const before = parseLeadTime(text);
    return before === undefined || totalMinutes(before) <= MAX_LEAD_DAYS * MINUTES_OF_A_DAY;
  }, `must be at most P${MAX_LEAD_DAYS}D`)
  .meta({
    example: "PT30M",
    pattern: PUBLISHED_PATTERN,
    description: "How long before the due time, or before 9:00 on a day without a time",
  });

const OneReminder = z.union(
  [z.strictObject({ at: At }), z.strictObject({ before: ReminderDuration })],
  REMINDER_ERROR,
);

/** Equal for reminders that mean the same: PT60M and PT1H, but not P1D and PT24H. */
function reminderKey(reminder: Reminder): string {
  if ("at" in reminder) return reminder.at;
  const { days, minutes } = parseLeadTime(reminder.before) ?? { days: 0, minutes: 0 };
  return `${days} ${minutes}`;
}

const areDistinct = (reminders: readonly Reminder[]) =>
  new Set(reminders.map(reminderKey)).size === reminders.length;

/** The reminders of a memory: at most five, without duplicates. */
export const ReminderList = z
  .array(OneReminder)
  .max(MAX_REMINDERS)
  .refine(areDistinct, "must not contain a reminder twice")
  .meta({
    description:
      "Up to five reminders: `at` a local date and time, or a duration `before` the due time, or before 9:00 of the due day",
    example: [{ before: "PT30M" }],
  });
export type ReminderList = z.infer<typeof ReminderList>;

/** What reminders are computed from: the due day and time of the memory, and the owner's time zone. */
type DueTime = { due_date: string | null; due_time: string | null; zone: string };

function localTime(
  reminder: Reminder,
  { due_date, due_time, zone }: DueTime,
): Temporal.ZonedDateTime | undefined {
  // RFC 5545: a skipped local time is moved forward by the gap; of an ambiguous one, the first counts.
  const zoned = (local: string) => Temporal.PlainDateTime.from(local).toZonedDateTime(zone);
  if ("at" in reminder) return zoned(reminder.at);
  const before = parseLeadTime(reminder.before);
  if (!before || !due_date) return undefined;
  const day = Temporal.PlainDate.from(due_date).subtract({ days: before.days });
  return zoned(`${day}T${due_time ?? DEFAULT_REMINDER_TIME}`).subtract({ minutes: before.minutes });
}

/**
 * The instants of reminders.
 *
 * @param due `before` counts from `due_time`, or from 9:00 without one. Without `due_date`, such reminders are ignored.
 *   Days are calendar days; hours and minutes are elapsed time
 * @returns instants in UTC (2026-12-01T08:00:00.000Z), sorted and without duplicates
 */
export function reminderInstants(reminders: readonly Reminder[], due: DueTime): string[] {
  const instants = reminders.flatMap((reminder) => localTime(reminder, due)?.epochMilliseconds ?? []);
  return [...new Set(instants)].sort((a, b) => a - b).map((instant) => new Date(instant).toISOString());
}
