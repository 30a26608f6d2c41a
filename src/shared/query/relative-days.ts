import { ENGLISH_WEEKDAYS as WEEKDAYS } from "../../contract/day-names.ts";
import { addDays, addUnits, isoWeekday, resolveWeekday } from "../when/day-steps.ts";
import { monthNumber } from "./months.ts";

/** A day or the days of a week (YYYY-MM-DD), a month (YYYY-MM) or a year. */
export type CalendarSpan =
  | { readonly days: readonly string[] }
  | { readonly month: string }
  | { readonly year: string };

const NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split(" ");
const NEAR_DAYS = new Map(Object.entries({ today: 0, tonight: 0, yesterday: -1, tomorrow: 1 }));
const STEPS = new Map(Object.entries({ last: -1, past: -1, previous: -1, this: 0, next: 1 }));
const UNIT = /^(day|week|month|year)s?$/;
const MAX_AGO = 9999;

/** Whether a text may contain a relative time. If not, the person's current day is not needed. */
export const mayNameRelativeDay = (text: string) =>
  /\b(?:today|tonight|yesterday|tomorrow|last|past|previous|this|next|ago)\b/i.test(text);

const weekdayOf = (today: string, number: number) => addDays(today, number - isoWeekday(today));

const SPAN_OF = {
  day: (day: string): CalendarSpan => ({ days: [day] }),
  week: (day: string): CalendarSpan => ({ days: WEEKDAYS.map((_, index) => weekdayOf(day, index + 1)) }),
  month: (day: string): CalendarSpan => ({ month: day.slice(0, "2026-12".length) }),
  year: (day: string): CalendarSpan => ({ year: day.slice(0, "2026".length) }),
};
type UnitName = keyof typeof SPAN_OF;

const parseUnit = (word: string | undefined) => UNIT.exec(word ?? "")?.[1] as UnitName | undefined;

function shifted(today: string, unit: UnitName, count: number): CalendarSpan | undefined {
  const day = addUnits(count, unit, today);
  return day === undefined ? undefined : SPAN_OF[unit](day);
}

function parseCount(word = ""): number | undefined {
  if (word === "a" || word === "an") return 1;
  const count = /^[0-9]+$/.test(word) ? Number(word) : NUMBERS.indexOf(word) + 1;
  return count >= 1 && count <= MAX_AGO ? count : undefined;
}

/** The weekday before this day, or in this or the next week: `next Friday` is in the next week. */
function weekdayFrom(today: string, number: number, step: number): CalendarSpan {
  const which = step < 0 ? "last" : "next";
  return { days: [step === 0 ? weekdayOf(today, number) : resolveWeekday(number, which, { today })] };
}

/** The last month of this name (not the current one), that of this year, or the next one. */
function monthFrom(today: string, number: number, step: number): CalendarSpan {
  const [year = 0, month = 0] = today.split("-").map(Number);
  const isOutside = step < 0 ? number >= month : number <= month;
  return { month: `${step !== 0 && isOutside ? year + step : year}-${String(number).padStart(2, "0")}` };
}

function steppedFrom(today: string, [first, second]: readonly string[]): CalendarSpan | undefined {
  const step = STEPS.get(first ?? "");
  if (step === undefined) return undefined;
  const unit = parseUnit(second);
  if (unit !== undefined) return shifted(today, unit, step);
  const [weekday, inYear] = [WEEKDAYS.indexOf(second ?? "") + 1, monthNumber(second)];
  if (weekday > 0) return weekdayFrom(today, weekday, step);
  return inYear === undefined ? undefined : monthFrom(today, inYear, step);
}

/** Parses a relative time that starts with the first word and counts from a day (YYYY-MM-DD); undefined if there is none. */
export function parseRelativeSpan(today: string, found: readonly string[]): CalendarSpan | undefined {
  const [first = "", second, third] = found;
  const near = NEAR_DAYS.get(first);
  if (near !== undefined) return shifted(today, "day", near);
  const [count, unit] = [parseCount(first), parseUnit(second)];
  if (count !== undefined && unit !== undefined && third === "ago") return shifted(today, unit, -count);
  return steppedFrom(today, found);
}
