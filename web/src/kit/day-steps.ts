import { addDays, addMonths, civilDay, weekdayOf } from "./dates.ts";

// What the rules of all languages share: days that words lead to, counted from the day that it is for the person.

export type Groups = Record<string, string | undefined>;
export type DayRule = {
  patterns: string[];
  /** Where in a sentence it needs no preposition: "may" and "3/4" are rarely dates. */
  bare: "anywhere" | "at the end" | "never";
  /** The prepositions that make a date of it: "for 2 weeks" is none. */
  lead?: string;
  day: (groups: Groups, today: string) => string | undefined;
};

/** Prepositions of a day. */
export const ANY_DAY = "due by|due on|due|no later than|by|until|till?|on|for|before|from";
export const GERMAN_LEADS = "bis zum|bis am|bis|fällig am|am|zum|ab";

const mondayOf = (day: string) => addDays(day, 1 - weekdayOf(day));
const firstOf = (day: string) => `${day.slice(0, 8)}01`;
const lastOf = (day: string) => addDays(addMonths(firstOf(day), 1), -1);

export function later(count: number, unit: string, today: string): string | undefined {
  const days = { d: 1, w: 7, f: 14 }[unit.charAt(0)];
  const months = unit.startsWith("y") ? 12 : 1;
  const day = days ? addDays(today, count * days) : addMonths(today, count * months);
  return /^\d{4}-/.test(day) ? day : undefined;
}

/** The day of that month and date: in a year, or the next time that it comes, today included. */
export function dated(
  month: number,
  date: number,
  year: string | undefined,
  today: string,
): string | undefined {
  if (year) return civilDay(year.length === 2 ? 2000 + Number(year) : Number(year), month, date);
  const thisYear = Number(today.slice(0, 4));
  // 29 February may be eight years away, around a century that has none.
  for (let next = thisYear; next <= thisYear + 8; next += 1) {
    const day = civilDay(next, month, date);
    if (day && day >= today) return day;
  }
  return undefined;
}

/** The next such day of a month, today included: "the 31st". */
export function nextDate(date: number, today: string): string | undefined {
  for (let months = 0; months <= 2; months += 1) {
    const [year, month] = addMonths(firstOf(today), months).split("-").map(Number);
    const day = civilDay(year ?? 0, month ?? 0, date);
    if (day && day >= today) return day;
  }
  return undefined;
}

export function nextStart(unit: string | undefined, today: string): string {
  if (unit === "week") return addDays(mondayOf(today), 7);
  return unit === "month" ? addMonths(firstOf(today), 1) : `${Number(today.slice(0, 4)) + 1}-01-01`;
}

/** A weekday (1 is Monday): the next one after today, the one of this week, or of the next. */
export function weekdayDay(number: number, which: string | undefined, today: string): string {
  const inThisWeek = addDays(mondayOf(today), number - 1);
  if (which === "next") return addDays(inThisWeek, 7);
  if (which === "this" && inThisWeek >= today) return inThisWeek;
  return inThisWeek > today ? inThisWeek : addDays(inThisWeek, 7);
}

/** The last working day of a week, the last day of a month or a year. */
export function endOf(unit: string | undefined, today: string): string {
  if (unit === "month" || unit === "m") return lastOf(today);
  if (unit === "year" || unit === "y") return `${today.slice(0, 4)}-12-31`;
  const friday = addDays(mondayOf(today), 4);
  return friday >= today ? friday : addDays(friday, 7);
}
