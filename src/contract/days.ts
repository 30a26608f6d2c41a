import { Temporal } from "temporal-polyfill";
import { z } from "zod";

const iso = (instant: Temporal.Instant) => new Date(instant.epochMilliseconds).toISOString();

export const dayOf = (instant: Date | string, timezone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(new Date(instant).getTime())
    .toZonedDateTimeISO(timezone)
    .toPlainDate()
    .toString();

/** The first instant of a calendar day in a time zone; where midnight is skipped, the first one after it. */
export const startOfDay = (day: string, timezone: string): string =>
  iso(Temporal.PlainDate.from(day).toZonedDateTime(timezone).toInstant());

export const addDays = (day: string, days: number): string =>
  Temporal.PlainDate.from(day).add({ days }).toString();

/** How many days one calendar day is after another; negative when it is before. */
export const daysBetween = (from: string, to: string): number =>
  Temporal.PlainDate.from(from).until(to, { largestUnit: "day" }).days;

export const mondayOf = (day: string): string => addDays(day, 1 - Temporal.PlainDate.from(day).dayOfWeek);

export const firstOfMonth = (day: string): string => Temporal.PlainDate.from(day).with({ day: 1 }).toString();

/** A day with its weekday, as models need it: `2026-11-21 (Saturday)`. */
export const namedDay = (day: string): string =>
  `${day} (${Temporal.PlainDate.from(day).toLocaleString("en", { weekday: "long" })})`;

/** An instant to the minute, with the time zone's offset: `2026-11-20T10:30+01:00`. */
export const localMinute = (instant: string, timezone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(new Date(instant).getTime())
    .toZonedDateTimeISO(timezone)
    .toString({ smallestUnit: "minute", timeZoneName: "never" });

export const endOfDay = (day: string, timezone: string): string =>
  new Date(Date.parse(startOfDay(addDays(day, 1), timezone)) - 1).toISOString();

export const isDay = (value: unknown): boolean => z.iso.date().safeParse(value).success;

const OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/i;

const TO_THE_MINUTE = /(T\d{2}:\d{2})(?=(?:Z|[+-]\d{2}:?\d{2})$)/i;

/** A day (its beginning) or time of day in the time zone as an instant. Anything else stays as it is, to be refused. */
export function sinceOf(since: string, timezone: string): string {
  if (isDay(since)) return startOfDay(since, timezone);
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

export function lastAtHour(hour: number, { now, timezone }: Clock): string {
  const today = dayOf(now, timezone);
  const at = atHour(today, hour, timezone);
  return at <= now.toISOString() ? at : atHour(addDays(today, -1), hour, timezone);
}

/** The next instant of each hour of the day, from 0 to 23. */
export const nextAtHours = (clock: Clock): string[] =>
  Array.from({ length: 24 }, (_, hour) => nextAtHour(hour, clock));
