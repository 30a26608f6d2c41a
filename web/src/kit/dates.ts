// Formats calendar days (YYYY-MM-DD) and instants (ISO 8601, UTC). A day has no time zone; an instant is shown in the user's.

const DAY_MS = 86_400_000;
/** English, with the day before the month, which is also how typed dates such as "3.12." are parsed. */
const LOCALE = "en-GB";

/** The instant at which a day begins in UTC. */
export const utcDate = (day: string) => new Date(`${day}T00:00:00Z`);
const utcDay = (date: Date) => date.toISOString().slice(0, 10);

const dayFormats = new Map<string, Intl.DateTimeFormat>();

/** Cached: creating a formatter costs more than using it a hundred times. */
function dayFormat(timezone: string): Intl.DateTimeFormat {
  const known = dayFormats.get(timezone);
  if (known) return known;
  const options = { timeZone: timezone, year: "numeric", month: "2-digit", day: "2-digit" } as const;
  const made = new Intl.DateTimeFormat("en-US", options);
  dayFormats.set(timezone, made);
  return made;
}

/** The calendar day of an instant in a time zone. */
export function dayInZone(timezone: string, instant: Date | string = new Date()): string {
  const parts = dayFormat(timezone).formatToParts(new Date(instant));
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
  return `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`;
}

/** The calendar day and time of an instant in a time zone: "2026-11-27T17:00". */
export function minuteInZone(timezone: string, instant: Date | string = new Date()): string {
  const options = { timeZone: timezone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  return `${dayInZone(timezone, instant)}T${formatDate(new Date(instant), options)}`;
}

/** The calendar day in this browser's time zone. Does not use Intl, whose first use is slow. */
export function browserDay(): string {
  const now = new Date();
  return utcDay(new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())));
}

/** The time zone of this browser, until the account's is known. */
export const browserTimezone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

export const addDays = (day: string, days: number): string =>
  utcDay(new Date(utcDate(day).getTime() + days * DAY_MS));

/** Negative if `to` is before `from`. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((utcDate(to).getTime() - utcDate(from).getTime()) / DAY_MS);

/** 1 is Monday, 7 is Sunday. */
export const isoWeekday = (day: string): number => utcDate(day).getUTCDay() || 7;

/** The same day some months later; the last day of a shorter month. */
export function addMonths(day: string, months: number): string {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  const first = new Date(Date.UTC(year, month - 1 + months, 1));
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return utcDay(new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), Math.min(date, last))));
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** In English. Formatters are cached. */
export function formatDate(date: Date, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify(options);
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat(LOCALE, options);
  formatters.set(key, formatter);
  return formatter.format(date);
}

/** "Friday, 27 November 2026" */
export function fullDay(day: string): string {
  const date = utcDate(day);
  const weekday = formatDate(date, { timeZone: "UTC", weekday: "long" });
  return `${weekday}, ${formatDate(date, { timeZone: "UTC", day: "numeric", month: "long", year: "numeric" })}`;
}

/** "Fri 27 Nov"; with the year if it is not this year. */
export function shortDay(day: string, today: string): string {
  const year = day.slice(0, 4) === today.slice(0, 4) ? "" : ` ${day.slice(0, 4)}`;
  const date = utcDate(day);
  const weekday = formatDate(date, { timeZone: "UTC", weekday: "short" });
  const month = formatDate(date, { timeZone: "UTC", month: "short" }).slice(0, 3);
  return `${weekday} ${date.getUTCDate()} ${month}${year}`;
}

/** "Fri 27 Nov, Fri 4 Dec": lines break between days, never within one. */
export const shortDays = (days: readonly string[], today: string): string =>
  days.map((day) => shortDay(day, today).replaceAll(" ", "\u00a0")).join(", ");

const NEAR_DAYS: Record<number, string> = { [-1]: "yesterday", 0: "today", 1: "tomorrow" };
const countText = (count: number, unit: string) => `${count} ${unit}${count === 1 ? "" : "s"}`;

/** A rough duration: "9 days", "3 weeks", "5 months", "2 years". */
export function roughDays(days: number): string {
  if (days < 21) return countText(days, "day");
  if (days < 61) return countText(Math.round(days / 7), "week");
  return days < 730
    ? countText(Math.round(days / 30.44), "month")
    : countText(Math.floor(days / 365), "year");
}

/** "today", "in 3 days", "5 weeks ago" */
export function relativeDay(day: string, today: string): string {
  const days = daysBetween(today, day);
  return NEAR_DAYS[days] ?? (days > 0 ? `in ${roughDays(days)}` : `${roughDays(-days)} ago`);
}

/** "due today", "due in 3 days", "3 days overdue" */
export function dueText(day: string, today: string): string {
  const days = daysBetween(today, day);
  return days < 0 ? `${roughDays(-days)} overdue` : `due ${relativeDay(day, today)}`;
}

const minutesOf = (time: string) => {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
};

/** The rough duration between two times of one day: "25 minutes", "3 hours". */
export function roughTimeBetween(from: string, to: string): string {
  const minutes = minutesOf(to) - minutesOf(from);
  return minutes < 60 ? countText(minutes, "minute") : countText(Math.floor(minutes / 60), "hour");
}

/** "Sat, 21 Nov 2026, 16:52" in a time zone. */
export const fullInstant = (instant: string, timezone: string): string =>
  formatDate(new Date(instant), {
    timeZone: timezone,
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });

/** "16:52" today, "21 Nov" in this year, otherwise "21 Nov 2025"; in a time zone. */
export function shortInstant(instant: string, timezone: string, today: string): string {
  const date = new Date(instant);
  const day = dayInZone(timezone, date);
  if (day === today) return formatDate(date, { timeZone: timezone, hour: "2-digit", minute: "2-digit" });
  const month = formatDate(date, { timeZone: timezone, month: "short" }).slice(0, 3);
  const year = day.slice(0, 4) === today.slice(0, 4) ? "" : ` ${day.slice(0, 4)}`;
  return `${Number(day.slice(8))} ${month}${year}`;
}

/** "just now", "12 minutes ago", "3 hours ago"; before today, and in the future, in calendar days of the time zone. */
export function relativeInstant(instant: string, timezone: string, now = new Date()): string {
  const minutes = Math.floor((now.getTime() - new Date(instant).getTime()) / 60_000);
  // The server's clock may be slightly ahead of this device's.
  if (minutes < -10) return relativeDay(dayInZone(timezone, instant), dayInZone(timezone, now));
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${countText(minutes, "minute")} ago`;
  const days = daysBetween(dayInZone(timezone, instant), dayInZone(timezone, now));
  if (days < 1) return `${countText(Math.floor(minutes / 60), "hour")} ago`;
  return NEAR_DAYS[-days] ?? `${roughDays(days)} ago`;
}
