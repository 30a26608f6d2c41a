// Days as numbers: 0 is 1970-01-01. Rules concern days only, so time zones and clock changes do not matter, and the app needs
// no Temporal for them.

const DAY_MS = 86_400_000;
/** Offset for `Date.UTC`, which maps the years 0 to 99 to 1900 to 1999. 2,000 years are a whole number of weeks. */
const YEARS = 2_000;
const DAYS = 730_485;
const THURSDAY = 3;

export const MAX_YEAR = 9_999;

export type CivilDate = { year: number; month: number; date: number };

/** The number of a day. Month and date may be out of range and then overflow into other years and months. */
export const dayNumber = (year: number, month: number, date: number): number =>
  Date.UTC(year + YEARS, month - 1, date) / DAY_MS - DAYS;

export function civilDate(day: number): CivilDate {
  const date = new Date(day * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, date: date.getUTCDate() };
}

/** The number of a day written as YYYY-MM-DD. */
export function parseDay(day: string): number {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  return dayNumber(year, month, date);
}

export const formatDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** 0 is Monday, 6 is Sunday. */
export const weekdayOfDay = (day: number): number => (((day + THURSDAY) % 7) + 7) % 7;

export const monthLength = (year: number, month: number): number =>
  dayNumber(year, month + 1, 1) - dayNumber(year, month, 1);

/** Whether the date exists, unlike 30 February. */
export const isCivilDate = (year: number, month: number, date: number): boolean =>
  year >= 1 && year <= MAX_YEAR && month >= 1 && month <= 12 && date >= 1 && date <= monthLength(year, month);

/** A day some months later, or the last day of that month if it is shorter. */
export function monthsLater(day: number, months: number): number {
  const { year, month, date } = civilDate(day);
  const first = civilDate(dayNumber(year, month + months, 1));
  return dayNumber(first.year, first.month, Math.min(date, monthLength(first.year, first.month)));
}
