import { civilOf, isCivil, lengthOf, numberOf, readDay, weekdayOf, writeDay } from "../repeat/calendar.ts";

// What the rules of all languages share: days that words lead to, counted from the day that it is for the person.

export type Groups = Record<string, string | undefined>;

/** The day from which is counted, and whether a day without a year or week is the last one instead of the next. */
export type Place = { today: string; isPast?: boolean };

export type DayRule = {
  patterns: string[];
  /** Where in a sentence it needs no preposition: "may" and "3/4" are rarely dates. */
  bare: "anywhere" | "at the end" | "never";
  /** The prepositions that make a date of it: "for 2 weeks" is none. */
  lead?: string;
  /** What may follow without a space: "Freitagabend" is on Friday. */
  mayGoOn?: string;
  /** A date, which its weekday may precede: "Friday, 27 November". */
  isDate?: true;
  day: (groups: Groups, place: Place) => string | undefined;
  /** What else the words may mean. */
  other?: (groups: Groups, place: Place) => string | undefined;
};

/** Prepositions of a day. */
export const ANY_DAY = "due by|due on|due:?|no later than|by|until|till?|on|for|before|from";
const DUE = "f(?:ä|ae)llig(?::| bis zum| bis| am| zum)?";
const LATEST = "(?:bis )?sp(?:ä|ae)testens(?: bis zum| bis| zum| am)?";
export const GERMAN_LEADS = `${DUE}|${LATEST}|bis zum|bis am|bis|am|zum|ab|für|vor`;

const LAST_DAY = numberOf(9999, 12, 31);

/** As YYYY-MM-DD, in the years that have four digits. */
const written = (day: number): string | undefined =>
  day >= numberOf(1000, 1, 1) && day <= LAST_DAY ? writeDay(day) : undefined;

const civilDay = (year: number, month: number, date: number): string | undefined =>
  isCivil(year, month, date) ? written(numberOf(year, month, date)) : undefined;

export const addDays = (day: string, days: number): string => written(readDay(day) + days) ?? day;

/** 1 is Monday, 7 is Sunday. */
export const weekdayIn = (day: string): number => weekdayOf(readDay(day)) + 1;

const mondayOf = (day: string) => addDays(day, 1 - weekdayIn(day));

/** A day some months away; the last of the month where that month is shorter. */
function monthsLater(day: string, months: number): string | undefined {
  const { year, month, date } = civilOf(readDay(day));
  const first = civilOf(numberOf(year, month + months, 1));
  return civilDay(first.year, first.month, Math.min(date, lengthOf(first.year, first.month)));
}

const UNIT_DAYS: Record<string, number> = { d: 1, t: 1, w: 7, f: 14 };

/** @param count of days, weeks, fortnights, months or years, in English or German; negative before `from` */
export function later(count: number, unit: string, from: string): string | undefined {
  const days = UNIT_DAYS[unit.charAt(0)];
  if (days) return written(readDay(from) + count * days);
  return monthsLater(from, count * (/^[yj]/.test(unit) ? 12 : 1));
}

/** 29 February may be eight years away, around a century that has none. */
const MOST_YEARS = 8;

/** The day of that month and date: in a year, or the next or last time that it comes, today included. */
export function dated(
  month: number,
  date: number,
  year: string | undefined,
  { today, isPast = false }: Place,
): string | undefined {
  if (year) return civilDay(year.length === 2 ? 2000 + Number(year) : Number(year), month, date);
  const thisYear = Number(today.slice(0, 4));
  for (let years = 0; years <= MOST_YEARS; years += 1) {
    const day = civilDay(thisYear + (isPast ? -years : years), month, date);
    if (day && (isPast ? day <= today : day >= today)) return day;
  }
  return undefined;
}

/** The first or last day of a month; none of the one that it is, whose first day is over. */
export function ofMonth(
  month: number,
  year: string | undefined,
  place: Place,
  edge: "first" | "last" = "first",
) {
  if (month < 1) return undefined;
  const thisMonth = Number(place.today.slice(5, 7));
  if (edge === "first" && !year && month === thisMonth && !place.today.endsWith("-01") && !place.isPast)
    return undefined;
  const first = dated(month, 1, year ?? (month === thisMonth ? place.today.slice(0, 4) : undefined), place);
  return first && edge === "last" ? lastOfMonth(first) : first;
}

function lastOfMonth(day: string): string | undefined {
  const { year, month } = civilOf(readDay(day));
  return civilDay(year, month, lengthOf(year, month));
}

/** The next such day of a month, today included: "the 31st". */
export function nextDate(date: number, { today }: Place): string | undefined {
  const { year, month } = civilOf(readDay(today));
  for (let months = 0; months <= 2; months += 1) {
    const first = civilOf(numberOf(year, month + months, 1));
    const day = civilDay(first.year, first.month, date);
    if (day && day >= today) return day;
  }
  return undefined;
}

export function nextStart(unit: string, today: string): string | undefined {
  if (unit.startsWith("w")) return addDays(mondayOf(today), 7);
  const { year, month } = civilOf(readDay(today));
  return /^[yj]/.test(unit) ? civilDay(year + 1, 1, 1) : written(numberOf(year, month + 1, 1));
}

export type Which = "this" | "next" | "last" | undefined;

/** A weekday (1 is Monday): the next one after today, the one of this week or of the next, or the last one before today. */
export function weekdayDay(number: number, which: Which, { today, isPast }: Place): string {
  const inThisWeek = addDays(mondayOf(today), number - 1);
  if (which === "next") return addDays(inThisWeek, 7);
  if (which === "last" || (isPast && !which))
    return inThisWeek < today ? inThisWeek : addDays(inThisWeek, -7);
  if (which === "this" && inThisWeek >= today) return inThisWeek;
  return inThisWeek > today ? inThisWeek : addDays(inThisWeek, 7);
}

/** People do not agree on whether "next Friday" is the one of this week or of the next. */
export function otherNext(number: number, place: Place): string | undefined {
  const nearest = weekdayDay(number, undefined, { today: place.today });
  return nearest === weekdayDay(number, "next", place) ? undefined : nearest;
}

/** The last working day of a week, the last day of a month or a year; of the one that `day` is in, or the next one. */
export function endOf(unit: string, today: string, isNext = false): string | undefined {
  const day = isNext ? (nextStart(unit, today) ?? today) : today;
  if (unit.startsWith("m")) return lastOfMonth(day);
  if (/^[yj]/.test(unit)) return `${day.slice(0, 4)}-12-31`;
  const friday = addDays(mondayOf(day), 4);
  return friday >= day ? friday : addDays(friday, 7);
}
