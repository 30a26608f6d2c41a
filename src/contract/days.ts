import { Temporal } from "temporal-polyfill";
import { z } from "zod";

// Calendar days (YYYY-MM-DD) in a time zone, and the instants at which they begin. Temporal does the arithmetic.

const iso = (instant: Temporal.Instant) => new Date(instant.epochMilliseconds).toISOString();

/** The calendar day that an instant falls on in a time zone. */
export const dayOf = (instant: Date | string, timezone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(new Date(instant).getTime())
    .toZonedDateTimeISO(timezone)
    .toPlainDate()
    .toString();

/** The first instant of a calendar day in a time zone; where midnight is skipped, the first one after it. */
export const startOfDay = (day: string, timezone: string): string =>
  iso(Temporal.PlainDate.from(day).toZonedDateTime(timezone).toInstant());

/** The calendar day a number of days later, or earlier if the number is negative. */
export const addDays = (day: string, days: number): string =>
  Temporal.PlainDate.from(day).add({ days }).toString();

/** How many days one calendar day is after another; negative when it is before. */
export const daysBetween = (from: string, to: string): number =>
  Temporal.PlainDate.from(from).until(to, { largestUnit: "day" }).days;

/** The Monday of a day's week. */
export const mondayOf = (day: string): string => addDays(day, 1 - Temporal.PlainDate.from(day).dayOfWeek);

/** The first day of a day's month. */
export const firstOfMonth = (day: string): string => Temporal.PlainDate.from(day).with({ day: 1 }).toString();

/** A day with its weekday, as models need it: `2026-11-21 (Saturday)`. */
export const namedDay = (day: string): string =>
  `${day} (${Temporal.PlainDate.from(day).toLocaleString("en", { weekday: "long" })})`;

/** An instant to the minute, with the time zone's offset: `2026-11-20T10:30+01:00`. */
export const localMinute = (instant: string, timezone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(new Date(instant).getTime())
    .toZonedDateTimeISO(timezone)
    .toString({ smallestUnit: "minute", timeZoneName: "never" });

/** The last instant of a calendar day in a time zone. */
export const endOfDay = (day: string, timezone: string): string =>
  new Date(Date.parse(startOfDay(addDays(day, 1), timezone)) - 1).toISOString();

const OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/i;

/** A time to the minute with an offset, as `localMinute` writes it: readers of ISO 8601 want seconds. */
const TO_THE_MINUTE = /(T\d{2}:\d{2})(?=(?:Z|[+-]\d{2}:?\d{2})$)/i;

/**
 * A day, a time of day or an instant as an instant: a day means its beginning, and both are those of the time zone. Anything
 * else stays as it is, to be refused.
 */
export function sinceOf(since: string, timezone: string): string {
  if (z.iso.date().safeParse(since).success) return startOfDay(since, timezone);
  const time = since.replace(" ", "T");
  if (OFFSET.test(time)) return time.replace(TO_THE_MINUTE, "$1:00");
  if (!z.iso.datetime({ local: true }).safeParse(time).success) return since;
  return iso(Temporal.PlainDateTime.from(time).toZonedDateTime(timezone).toInstant());
}

/** The instant at which an hour of a calendar day begins in a time zone; where it is skipped, the first one after it. */
export const atHour = (day: string, hour: number, timeZone: string): string =>
  iso(Temporal.PlainDate.from(day).toZonedDateTime({ timeZone, plainTime: { hour } }).toInstant());

type Clock = { now: Date; timezone: string };

/** The next instant after `now` at which an hour of the day begins in a time zone. */
export function nextAtHour(hour: number, { now, timezone }: Clock): string {
  const today = dayOf(now, timezone);
  const at = atHour(today, hour, timezone);
  return at > now.toISOString() ? at : atHour(addDays(today, 1), hour, timezone);
}

/** The last instant up to `now` at which an hour of the day began in a time zone. */
export function lastAtHour(hour: number, { now, timezone }: Clock): string {
  const today = dayOf(now, timezone);
  const at = atHour(today, hour, timezone);
  return at <= now.toISOString() ? at : atHour(addDays(today, -1), hour, timezone);
}

/** The next instant of each hour of the day, from 0 to 23. */
export const nextAtHours = (clock: Clock): string[] =>
  Array.from({ length: 24 }, (_, hour) => nextAtHour(hour, clock));
