import { MONTH_NAMES } from "./day-names.ts";

// What a reminder says, without zod and Temporal: the app shows it while somebody types.

/** A local date-time to the minute, or how long before the due time. */
export type Reminder = { at: string } | { before: string };

/** Days are days of the calendar, as in RFC 5545: a day before 17:00 is 17:00, also when the clocks change in between. */
export type Before = { days: number; minutes: number };

/** RFC 3339, appendix A, without years, months and seconds but none: PT0S is at the due time. */
const BEFORE =
  /^P(?:(?<weeks>\d{1,2})W|(?<days>\d{1,2})D)?(?:T(?:(?<hours>\d{1,3})H)?(?:(?<minutes>\d{1,5})M)?(?:0S)?)?$/;

/** How long a duration is; undefined for what is none, such as `P1M`. */
export function readBefore(duration: string): Before | undefined {
  const groups = BEFORE.exec(duration)?.groups;
  const isWhole = /\d[WDHMS]$/.test(duration) && !/W.*T/.test(duration);
  if (!groups || !isWhole) return undefined;
  const { weeks = 0, days = 0, hours = 0, minutes = 0 } = groups;
  return { days: 7 * Number(weeks) + Number(days), minutes: 60 * Number(hours) + Number(minutes) };
}

const counted = (count: number, unit: string) =>
  count === 0 ? [] : [`${count} ${unit}${count === 1 ? "" : "s"}`];

/** "30 minutes before", "1 day and 2 hours before", "at the due time", "on 1 December 2026 at 09:00" */
export function textOfReminder(reminder: Reminder): string {
  if ("at" in reminder) {
    const [year, month, date] = reminder.at.slice(0, 10).split("-").map(Number);
    return `on ${date} ${MONTH_NAMES[(month ?? 1) - 1]} ${year} at ${reminder.at.slice(11)}`;
  }
  const { days, minutes } = readBefore(reminder.before) ?? { days: 0, minutes: 0 };
  const weeks = days % 7 === 0 ? days / 7 : 0;
  const parts = [
    ...(weeks > 0 ? counted(weeks, "week") : counted(days, "day")),
    ...counted(Math.floor(minutes / 60), "hour"),
    ...counted(minutes % 60, "minute"),
  ];
  return parts.length === 0 ? "at the due time" : `${parts.join(" and ")} before`;
}
