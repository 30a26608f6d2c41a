import { Temporal } from "temporal-polyfill";
import { z } from "zod";
import { type Before, type Reminder, readBefore } from "./reminder-text.ts";

export { type Reminder, textOfReminder } from "./reminder-text.ts";

export const MAX_REMINDERS = 5;
const MAX_DAYS = 30;
const MINUTES_OF_A_DAY = 1440;
/** When a day without an hour begins for reminders. */
export const MORNING = "09:00";

const AT = "must be a local date and time to the minute, such as 2026-12-01T09:00";
const BEFORE = "must be a duration in weeks, or in days, hours and minutes, such as PT30M, P1D or P1DT2H";
const REMINDER = 'must be {"at": "2026-12-01T09:00"} or {"before": "PT30M"}';

const LOCAL_MINUTE = new RegExp(z.core.regexes.date.source.replace(/\$$/, "T(?:[01]\\d|2[0-3]):[0-5]\\d$"));

/** The durations that the description names; others that say the same, such as PT36H30M, are read as well. */
const DESCRIBED =
  "^P(?:[1-4]W|(?:[12]?[0-9]|30)D|T[0-9]{1,2}H|T[0-9]{1,3}M|T0S|[12]?[0-9]DT(?:1?[0-9]|2[0-3])H)$";

const allMinutes = ({ days, minutes }: Before) => days * MINUTES_OF_A_DAY + minutes;

const At = z.string().regex(LOCAL_MINUTE, AT).meta({ example: "2026-12-01T09:00" });
export const Duration = z
  .string()
  .refine((text) => readBefore(text) !== undefined, BEFORE)
  .refine((text) => {
    const before = readBefore(text);
    return before === undefined || allMinutes(before) <= MAX_DAYS * MINUTES_OF_A_DAY;
  }, `must be at most P${MAX_DAYS}D`)
  .meta({
    example: "PT30M",
    pattern: DESCRIBED,
    description: "How long before the due time, or before 9:00 of a day without an hour",
  });

const OneReminder = z.union([z.strictObject({ at: At }), z.strictObject({ before: Duration })], REMINDER);

/** The same for reminders that are due together by what they say: PT60M and PT1H, but not P1D and PT24H. */
function keyOf(reminder: Reminder): string {
  if ("at" in reminder) return reminder.at;
  const { days, minutes } = readBefore(reminder.before) ?? { days: 0, minutes: 0 };
  return `${days} ${minutes}`;
}

const areDistinct = (reminders: readonly Reminder[]) =>
  new Set(reminders.map(keyOf)).size === reminders.length;

/** When a person is reminded of a record: at most five reminders, none twice. */
export const Remind = z
  .array(OneReminder)
  .max(MAX_REMINDERS)
  .refine(areDistinct, "must not contain a reminder twice")
  .meta({
    description:
      "Up to five reminders: `at` a local date and time, or a duration `before` the due time, or before 9:00 of the due day",
    example: [{ before: "PT30M" }],
  });
export type Remind = z.infer<typeof Remind>;

/** What reminders are reckoned from: the record's due day and hour, and the person's time zone. */
export type Due = { due_date: string | null; due_time: string | null; zone: string };

function localTime(
  reminder: Reminder,
  { due_date, due_time, zone }: Due,
): Temporal.ZonedDateTime | undefined {
  // A local time that is skipped moves on by as much, and of two the first counts, as RFC 5545 has it.
  const zoned = (local: string) => Temporal.PlainDateTime.from(local).toZonedDateTime(zone);
  if ("at" in reminder) return zoned(reminder.at);
  const before = readBefore(reminder.before);
  if (!before || !due_date) return undefined;
  const day = Temporal.PlainDate.from(due_date).subtract({ days: before.days });
  return zoned(`${day}T${due_time ?? MORNING}`).subtract({ minutes: before.minutes });
}

/**
 * The instants at which somebody is reminded.
 *
 * @param due `before` is reckoned from `due_time`, or from 9:00 without one; without `due_date` there is none of these.
 *   Days before it are days of the calendar, hours and minutes pass as on a clock
 * @returns instants in UTC (2026-12-01T08:00:00.000Z), in order, each once
 */
export function instantsOf(reminders: readonly Reminder[], due: Due): string[] {
  const instants = reminders.flatMap((reminder) => localTime(reminder, due)?.epochMilliseconds ?? []);
  return [...new Set(instants)].sort((a, b) => a - b).map((instant) => new Date(instant).toISOString());
}
