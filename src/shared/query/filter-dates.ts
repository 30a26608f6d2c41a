import { ENGLISH_WEEKDAYS, GERMAN_WEEKDAYS } from "../../contract/day-names.ts";
import { addDays, isDay } from "../../contract/days.ts";
import { splitWords } from "../text/words.ts";
import { datesIn } from "./dates.ts";
import { monthNumber } from "./months.ts";
import { parseRelativeSpan } from "./relative-days.ts";

// The values of `after:` and `before:`. A month, week or year means its first day.

const GERMAN = /^(?:(\d{1,2})\.)?(\d{1,2})\.(\d{4})$/;
const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;
const YEAR = /^[12]\d{3}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T/;

/** German words: `after:gestern`, `after:"letzte Woche"`. */
const GERMAN_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^heute$/, "today"],
  [/^gestern$/, "yesterday"],
  [/^vorgestern$/, "2 days ago"],
  [/^morgen$/, "tomorrow"],
  [/^(?:letzte|vorige|vergangene)[nmrs]?$/, "last"],
  [/^diese[nmrs]?$/, "this"],
  [/^(?:n(?:ä|ae)chste|kommende)[nmrs]?$/, "next"],
  [/^woche$/, "week"],
  [/^monat$/, "month"],
  [/^jahr$/, "year"],
  ...GERMAN_WEEKDAYS.map((name, day) => [RegExp(`^${name}$`), ENGLISH_WEEKDAYS[day] ?? ""] as const),
];

const toEnglishWord = (word: string) =>
  GERMAN_WORDS.find(([german]) => german.test(word.toLowerCase()))?.[1] ?? word;

/** A value with the known German words translated to English. */
export const toEnglish = (value: string): string => value.split(" ").map(toEnglishWord).join(" ");

const twoDigits = (number: string) => number.padStart(2, "0");

/** A numeric date as YYYY-MM-DD; other text unchanged. */
function numericDay(value: string): string | undefined {
  const [, day = "1", month = "", year = ""] = GERMAN.exec(value) ?? [];
  if (year) return `${year}-${twoDigits(month)}-${twoDigits(day)}`;
  if (MONTH.test(value)) return `${value}-01`;
  return YEAR.test(value) ? `${value}-01-01` : value;
}

/** The most recent occurrence, up to today, of a day or month without a year (MM-DD or MM). */
function latestOccurrence(digits: string, today: string): string {
  const day = digits.length === 2 ? `${digits}-01` : digits;
  const year = Number(today.slice(0, 4));
  return `${year}-${day}` <= today ? `${year}-${day}` : `${year - 1}-${day}`;
}

function dayInWords(value: string, today: string): string | undefined {
  const found = splitWords(value).map(({ text }) => text);
  const weekday = found.length === 1 ? parseRelativeSpan(today, ["last", ...found]) : undefined;
  if (weekday && "days" in weekday && weekday.days.length === 1) return weekday.days[0];
  const month = found.length === 1 ? monthNumber(found[0]) : undefined;
  if (month !== undefined) return latestOccurrence(twoDigits(String(month)), today);
  const [date, ...others] = datesIn(value, today);
  const [digits = ""] = date?.digits ?? [];
  if (others.length > 0 || digits === "") return undefined;
  return digits.length === 5 || digits.length === 2 ? latestOccurrence(digits, today) : numericDay(digits);
}

/** Parses the value of a filter to a day (YYYY-MM-DD) or time, relative to `today`; undefined if it is not a date. */
export function parseFilterDay(named: string, today: string): string | undefined {
  const value = toEnglish(named);
  if (TIME.test(value) && !Number.isNaN(Date.parse(value))) return value;
  const day = numericDay(value);
  const date = isDay(day) ? day : dayInWords(value, today);
  return isDay(date) ? date : undefined;
}

export const isFilterDate = (value: string): boolean => parseFilterDay(value, "2026-01-31") !== undefined;

const DAY_LENGTH = "2026-01-31".length;
const MONTH_LENGTH = "2026-01".length;

/** The day, month or year in a value, or each day of a week; empty if the value contains anything else. */
function digitsIn(value: string, today: string): readonly string[] {
  if (YEAR.test(value) || MONTH.test(value) || isDay(value)) return [value];
  const german = GERMAN.exec(value);
  if (german) return [(numericDay(value) ?? "").slice(0, german[1] ? DAY_LENGTH : MONTH_LENGTH)];
  const [date, ...others] = datesIn(value, today);
  return date && others.length === 0 && date.typed.length === splitWords(value).length ? date.digits : [];
}

const firstDay = (digits: string) => `${digits}-01-01`.slice(0, DAY_LENGTH);

function dayAfter(digits: string): string {
  const month = `${digits}-12`.slice(0, MONTH_LENGTH);
  if (digits.length === DAY_LENGTH) return addDays(digits, 1);
  return firstDay(addDays(`${month}-28`, 4).slice(0, MONTH_LENGTH));
}

/** Days from `from` to the day before `until`. */
export type DayRange = { readonly from: string; readonly until: string };

/** Parses a day, week, month or year to its days, relative to `today`; undefined if it is none of these. */
export function parseDayRange(value: string, today: string): DayRange | undefined {
  const digits = digitsIn(toEnglish(value), today);
  const [first = "", last = first] = [digits[0], digits.at(-1)];
  const from = firstDay(first);
  return first.length >= "2026".length && isDay(from) ? { from, until: dayAfter(last) } : undefined;
}
