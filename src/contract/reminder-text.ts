import { MONTH_NAMES } from "./day-names.ts";

// Reminders as text, without zod and Temporal, because the app shows them while people type.

export const MAX_REMINDERS = 5;
/** How many days before the due time a reminder may be. */
export const MAX_LEAD_DAYS = 30;

/** A local date and time to the minute, or a duration before the due time. */
export type Reminder = { at: string } | { before: string };

/** Days are calendar days, as in RFC 5545: a day before 17:00 is 17:00, even if the clocks change in between. */
export type LeadTime = { days: number; minutes: number };

/** RFC 3339, appendix A, without years, months and seconds, except PT0S, which means at the due time. */
const BEFORE =
  /^P(?:(?<weeks>\d{1,2})W|(?<days>\d{1,2})D)?(?:T(?:(?<hours>\d{1,3})H)?(?:(?<minutes>\d{1,5})M)?(?:0S)?)?$/;

/** Parses a duration; undefined if it is not supported, such as `P1M`. */
export function parseLeadTime(duration: string): LeadTime | undefined {
  const groups = BEFORE.exec(duration)?.groups;
  const isWhole = /\d[WDHMS]$/.test(duration) && !/W.*T/.test(duration);
  if (!groups || !isWhole) return undefined;
  const { weeks = 0, days = 0, hours = 0, minutes = 0 } = groups;
  return { days: 7 * Number(weeks) + Number(days), minutes: 60 * Number(hours) + Number(minutes) };
}

const pluralize = (count: number, unit: string) =>
  count === 0 ? [] : [`${count} ${unit}${count === 1 ? "" : "s"}`];

/** "30 minutes before", "1 day and 2 hours before", "at the due time", "on 1 December 2026 at 09:00" */
export function describeReminder(reminder: Reminder): string {
  if ("at" in reminder) {
    const [year, month, date] = reminder.at.slice(0, 10).split("-").map(Number);
    return `on ${date} ${MONTH_NAMES[(month ?? 1) - 1]} ${year} at ${reminder.at.slice(11)}`;
  }
  const { days, minutes } = parseLeadTime(reminder.before) ?? { days: 0, minutes: 0 };
  const weeks = days % 7 === 0 ? days / 7 : 0;
  const parts = [
    ...(weeks > 0 ? pluralize(weeks, "week") : pluralize(days, "day")),
    ...pluralize(Math.floor(minutes / 60), "hour"),
    ...pluralize(minutes % 60, "minute"),
  ];
  return parts.length === 0 ? "at the due time" : `${parts.join(" and ")} before`;
}
