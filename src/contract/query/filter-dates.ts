import { ENGLISH_WEEKDAYS, GERMAN_WEEKDAYS } from "../day-names.ts";
import { addDays, isDay } from "../days.ts";
import { words } from "../text/words.ts";
import { datesIn } from "./dates.ts";
import { monthOf } from "./months.ts";
import { spanFrom } from "./relative-days.ts";

// The dates of `after:` and `before:`. A month, a week or a year means its first day.

const GERMAN = /^(?:(\d{1,2})\.)?(\d{1,2})\.(\d{4})$/;
const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;
const YEAR = /^[12]\d{3}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T/;

/** What German says instead: `after:gestern`, `after:"letzte Woche"`. */
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

const englishOf = (word: string) =>
  GERMAN_WORDS.find(([german]) => german.test(word.toLowerCase()))?.[1] ?? word;

/** A value with the German words that are known here in English. */
export const inEnglish = (value: string): string => value.split(" ").map(englishOf).join(" ");

const two = (number: string) => number.padStart(2, "0");

function inNumbers(value: string): string | undefined {
  const [, day = "1", month = "", year = ""] = GERMAN.exec(value) ?? [];
  if (year) return `${year}-${two(month)}-${two(day)}`;
  if (MONTH.test(value)) return `${value}-01`;
  return YEAR.test(value) ? `${value}-01-01` : value;
}

/** The last time until today at which a day or month of any year was, as MM or MM-DD. */
function lastTime(digits: string, today: string): string {
  const day = digits.length === 2 ? `${digits}-01` : digits;
  const year = Number(today.slice(0, 4));
  return `${year}-${day}` <= today ? `${year}-${day}` : `${year - 1}-${day}`;
}

function inWords(value: string, today: string): string | undefined {
  const found = words(value).map(({ text }) => text);
  const weekday = found.length === 1 ? spanFrom(today, ["last", ...found]) : undefined;
  if (weekday && "days" in weekday && weekday.days.length === 1) return weekday.days[0];
  const month = found.length === 1 ? monthOf(found[0]) : undefined;
  if (month !== undefined) return lastTime(two(String(month)), today);
  const [date, ...others] = datesIn(value, today);
  const [digits = ""] = date?.digits ?? [];
  if (others.length > 0 || digits === "") return undefined;
  return digits.length === 5 || digits.length === 2 ? lastTime(digits, today) : inNumbers(digits);
}

/** The day (YYYY-MM-DD) or time that a filter names, counted from `today`; undefined if it is no date. */
export function dayNamed(named: string, today: string): string | undefined {
  const value = inEnglish(named);
  if (TIME.test(value) && !Number.isNaN(Date.parse(value))) return value;
  const day = inNumbers(value);
  const date = isDay(day) ? day : inWords(value, today);
  return isDay(date) ? date : undefined;
}

export const isDate = (value: string): boolean => dayNamed(value, "2026-01-31") !== undefined;

const DAY_LENGTH = "2026-01-31".length;
const MONTH_LENGTH = "2026-01".length;

/** The day, month or year that a value names, or each day of a week; none if there is more in it, or another thing. */
function digitsIn(value: string, today: string): readonly string[] {
  if (YEAR.test(value) || MONTH.test(value) || isDay(value)) return [value];
  const german = GERMAN.exec(value);
  if (german) return [(inNumbers(value) ?? "").slice(0, german[1] ? DAY_LENGTH : MONTH_LENGTH)];
  const [date, ...others] = datesIn(value, today);
  return date && others.length === 0 && date.typed.length === words(value).length ? date.digits : [];
}

const beginningOf = (digits: string) => `${digits}-01-01`.slice(0, DAY_LENGTH);

/** The day after the last one of a day, month or year. */
function endOf(digits: string): string {
  const month = `${digits}-12`.slice(0, MONTH_LENGTH);
  if (digits.length === DAY_LENGTH) return addDays(digits, 1);
  return beginningOf(addDays(`${month}-28`, 4).slice(0, MONTH_LENGTH));
}

/** Days: the first one is included, the last one not. */
export type DayRange = { readonly from: string; readonly until: string };

/** All days that a value names, counted from `today`; undefined if it is no day, week, month or year. */
export function rangeNamed(value: string, today: string): DayRange | undefined {
  const digits = digitsIn(inEnglish(value), today);
  const [first = "", last = first] = [digits[0], digits.at(-1)];
  const from = beginningOf(first);
  return first.length >= "2026".length && isDay(from) ? { from, until: endOf(last) } : undefined;
}
