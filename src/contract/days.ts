import { Temporal } from "temporal-polyfill";
import { z } from "zod";
import { MONTH_NAMES, WEEKDAY_NAMES } from "./day-names.ts";

const iso = (instant: Temporal.Instant) => new Date(instant.epochMilliseconds).toISOString();

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const offsetAt = (at: number, timezone: string): number =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone).offsetNanoseconds / 1e6;

/** UTC offset per time zone and week; null if it changes in that week. Computing one takes as long as a short query. */
const WEEK_MS = 7 * DAY_MS;
const MAX_WEEKS = 5000;
const weekOffsets = new Map<string, number | null>();

function offsetOf(at: number, timezone: string): number {
  const week = Math.floor(at / WEEK_MS);
  const key = `${timezone} ${week}`;
  let offset = weekOffsets.get(key);
  if (offset === undefined) {
    if (weekOffsets.size >= MAX_WEEKS) weekOffsets.clear();
    const first = offsetAt(week * WEEK_MS, timezone);
    offset = first === offsetAt((week + 1) * WEEK_MS, timezone) ? first : null;
    weekOffsets.set(key, offset);
  }
  return offset ?? offsetAt(at, timezone);
}

/** The local date and time in a time zone, formatted as if it were UTC. */
function localIso(instant: Date | string, timezone: string): { iso: string; offset: number } {
  const at = new Date(instant).getTime();
  const offset = offsetOf(at, timezone);
  return { iso: new Date(at + offset).toISOString(), offset };
}

export const localDay = (instant: Date | string, timezone: string): string => {
  const { iso } = localIso(instant, timezone);
  return iso.slice(0, iso.indexOf("T"));
};

/** The first instant of a calendar day in a time zone, also where midnight is skipped. */
export const startOfDay = (day: string, timezone: string): string =>
  iso(Temporal.PlainDate.from(day).toZonedDateTime(timezone).toInstant());

export const addDays = (day: string, days: number): string =>
  Temporal.PlainDate.from(day).add({ days }).toString();

/** Days from one calendar day to another; negative if `to` is earlier. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);

export const mondayOf = (day: string): string => addDays(day, 1 - Temporal.PlainDate.from(day).dayOfWeek);

export const firstOfMonth = (day: string): string => Temporal.PlainDate.from(day).with({ day: 1 }).toString();

const weekdayOf = (date: Date): string => WEEKDAY_NAMES[(date.getUTCDay() + 6) % 7] ?? "";

/** A day with its weekday, for language models: `2026-11-21 (Saturday)`. */
export const dayWithWeekday = (day: string): string => `${day} (${weekdayOf(new Date(day))})`;

/** A day with its age: `3 weeks ago, Tue 6 Oct`. The year is added if it is not the current one. */
export function describeDay(day: string, today: string): string {
  const date = new Date(day);
  const year = day.slice(0, 4) === today.slice(0, 4) ? "" : ` ${day.slice(0, 4)}`;
  const [weekday, month] = [weekdayOf(date), MONTH_NAMES[date.getUTCMonth()]];
  const named = `${weekday.slice(0, 3)} ${date.getUTCDate()} ${month?.slice(0, 3)}${year}`;
  const days = daysBetween(day, today);
  const age = describeAge(days);
  return age === undefined ? named : `${age}, ${named}`;
}

const DAYS_COUNTED = 14;
const DAYS_PER = { week: 7, month: 30.4, year: 365.25 };

function describeAge(days: number): string | undefined {
  if (days === 0) return "today";
  if (days === 1) return "yesterday";
  if (days < 0) return undefined;
  if (days < DAYS_COUNTED) return `${days} days ago`;
  const unit = days < 2 * DAYS_PER.month ? "week" : days < 2 * DAYS_PER.year ? "month" : "year";
  return `${Math.floor(days / DAYS_PER[unit])} ${unit}s ago`;
}

/** An instant to the minute with its UTC offset: `2026-11-20T10:30+01:00`. */
export function localMinute(instant: string, timezone: string): string {
  const { iso, offset } = localIso(instant, timezone);
  const minutes = Math.round(Math.abs(offset) / MINUTE_MS);
  const twoDigits = (value: number) => String(value).padStart(2, "0");
  const zone = `${offset < 0 ? "-" : "+"}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
  return `${iso.slice(0, -":00.000Z".length)}${zone}`;
}

export const endOfDay = (day: string, timezone: string): string =>
  new Date(Date.parse(startOfDay(addDays(day, 1), timezone)) - 1).toISOString();

export const isDay = (value: unknown): boolean => z.iso.date().safeParse(value).success;

const OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/i;

const TO_THE_MINUTE = /(T\d{2}:\d{2})(?=(?:Z|[+-]\d{2}:?\d{2})$)/i;

/** Converts a day (its start) or a local date and time to an instant. Other text is returned unchanged, to be rejected. */
export function resolveInstant(since: string, timezone: string): string {
  if (isDay(since)) return startOfDay(since, timezone);
  const time = since.replace(" ", "T");
  if (OFFSET.test(time)) return time.replace(TO_THE_MINUTE, "$1:00");
  if (!z.iso.datetime({ local: true }).safeParse(time).success) return since;
  return iso(Temporal.PlainDateTime.from(time).toZonedDateTime(timezone).toInstant());
}

/** The instant at which an hour of a calendar day starts in a time zone; if the hour is skipped, the first one after it. */
export const instantAtHour = (day: string, hour: number, timeZone: string): string =>
  iso(Temporal.PlainDate.from(day).toZonedDateTime({ timeZone, plainTime: { hour } }).toInstant());

type Clock = { now: Date; timezone: string };

/** The first instant after `now` at which an hour of the day starts in a time zone. */
export function nextInstantAtHour(hour: number, { now, timezone }: Clock): string {
  const today = localDay(now, timezone);
  const at = instantAtHour(today, hour, timezone);
  return at > now.toISOString() ? at : instantAtHour(addDays(today, 1), hour, timezone);
}

export function previousInstantAtHour(hour: number, { now, timezone }: Clock): string {
  const today = localDay(now, timezone);
  const at = instantAtHour(today, hour, timezone);
  return at <= now.toISOString() ? at : instantAtHour(addDays(today, -1), hour, timezone);
}

/** The next instant of each hour of the day, from 0 to 23. */
export const nextInstantsAtHours = (clock: Clock): string[] =>
  Array.from({ length: 24 }, (_, hour) => nextInstantAtHour(hour, clock));
