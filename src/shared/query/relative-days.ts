import { Temporal } from "temporal-polyfill";
import { ENGLISH_WEEKDAYS as WEEKDAYS } from "../../contract/day-names.ts";
import { monthNumber } from "./months.ts";

/** A day or the days of a week (YYYY-MM-DD), a month (YYYY-MM) or a year. */
export type CalendarSpan =
  | { readonly days: readonly string[] }
  | { readonly month: string }
  | { readonly year: string };

const NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split(" ");
const NEAR_DAYS: Readonly<Record<string, number>> = { today: 0, tonight: 0, yesterday: -1, tomorrow: 1 };
const STEPS: Readonly<Record<string, number>> = { last: -1, past: -1, previous: -1, this: 0, next: 1 };
const UNIT = /^(day|week|month|year)s?$/;
const DAYS_IN_WEEK = 7;
const MAX_AGO = 9999;

/** Whether a text may contain a relative time. If not, the person's current day is not needed. */
export const mayNameRelativeDay = (text: string) =>
  /\b(?:today|tonight|yesterday|tomorrow|last|past|previous|this|next|ago)\b/i.test(text);

const day = (date: Temporal.PlainDate): CalendarSpan => ({ days: [date.toString()] });
const month = (date: Temporal.PlainDate): CalendarSpan => ({ month: date.toPlainYearMonth().toString() });
const year = (date: Temporal.PlainDate): CalendarSpan => ({ year: String(date.year) });

function week(date: Temporal.PlainDate): CalendarSpan {
  const monday = date.subtract({ days: date.dayOfWeek - 1 });
  return { days: Array.from({ length: DAYS_IN_WEEK }, (_, days) => monday.add({ days }).toString()) };
}

const SPAN_OF = { day, week, month, year };
type UnitName = keyof typeof SPAN_OF;

const parseUnit = (word: string | undefined) => UNIT.exec(word ?? "")?.[1] as UnitName | undefined;

const shifted = (today: Temporal.PlainDate, unit: UnitName, count: number): CalendarSpan =>
  SPAN_OF[unit](today.add({ [`${unit}s`]: count }));

function parseCount(word = ""): number | undefined {
  if (word === "a" || word === "an") return 1;
  const count = /^[0-9]+$/.test(word) ? Number(word) : NUMBERS.indexOf(word) + 1;
  return count >= 1 && count <= MAX_AGO ? count : undefined;
}

/** The weekday before this day, or in this or the next week: `next Friday` is in the next week. */
function weekdayFrom(today: Temporal.PlainDate, number: number, step: number): CalendarSpan {
  const inWeek = today.add({ days: number - today.dayOfWeek });
  const isOver = inWeek.dayOfWeek < today.dayOfWeek;
  if (step < 0) return day(isOver ? inWeek : inWeek.subtract({ weeks: 1 }));
  return day(inWeek.add({ weeks: step }));
}

/** The last month of this name (not the current one), that of this year, or the next one. */
function monthFrom(today: Temporal.PlainDate, number: number, step: number): CalendarSpan {
  const inYear = today.with({ day: 1, month: number });
  const isOutside = step < 0 ? number >= today.month : number <= today.month;
  return month(step !== 0 && isOutside ? inYear.add({ years: step }) : inYear);
}

function steppedFrom(
  today: Temporal.PlainDate,
  [first, second]: readonly string[],
): CalendarSpan | undefined {
  const step = STEPS[first ?? ""];
  if (step === undefined) return undefined;
  const unit = parseUnit(second);
  if (unit !== undefined) return shifted(today, unit, step);
  const [weekday, inYear] = [WEEKDAYS.indexOf(second ?? "") + 1, monthNumber(second)];
  if (weekday > 0) return weekdayFrom(today, weekday, step);
  return inYear === undefined ? undefined : monthFrom(today, inYear, step);
}

/** Parses a relative time that starts with the first word and counts from a day (YYYY-MM-DD); undefined if there is none. */
export function parseRelativeSpan(today: string, found: readonly string[]): CalendarSpan | undefined {
  const date = Temporal.PlainDate.from(today);
  const [first = "", second, third] = found;
  const near = Object.hasOwn(NEAR_DAYS, first) ? NEAR_DAYS[first] : undefined;
  if (near !== undefined) return shifted(date, "day", near);
  const [count, unit] = [parseCount(first), parseUnit(second)];
  if (count !== undefined && unit !== undefined && third === "ago") return shifted(date, unit, -count);
  return steppedFrom(date, found);
}
