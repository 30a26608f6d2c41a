// Days as numbers: 0 is 1970-01-01. A rule is about days alone, so no time zone and no change of the clocks is involved,
// and the app needs no Temporal for it.

const DAY_MS = 86_400_000;
/** `Date.UTC` takes the years 0 to 99 for those of the last century; 2,000 years are a whole number of weeks. */
const YEARS = 2_000;
const DAYS = 730_485;
const THURSDAY = 3;

export const LAST_YEAR = 9_999;

export type Civil = { year: number; month: number; date: number };

/** The number of a day; the month and the date may be too large or too small, and lead to other years and months. */
export const numberOf = (year: number, month: number, date: number): number =>
  Date.UTC(year + YEARS, month - 1, date) / DAY_MS - DAYS;

export function civilOf(day: number): Civil {
  const date = new Date(day * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, date: date.getUTCDate() };
}

/** The number of a day that is written YYYY-MM-DD. */
export function readDay(day: string): number {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  return numberOf(year, month, date);
}

export const writeDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** 0 is Monday, 6 is Sunday. */
export const weekdayOf = (day: number): number => (((day + THURSDAY) % 7) + 7) % 7;

export const lengthOf = (year: number, month: number): number =>
  numberOf(year, month + 1, 1) - numberOf(year, month, 1);

/** Whether there is such a day: not 30 February. */
export const isCivil = (year: number, month: number, date: number): boolean =>
  year >= 1 && year <= LAST_YEAR && month >= 1 && month <= 12 && date >= 1 && date <= lengthOf(year, month);
