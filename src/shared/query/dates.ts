import { splitWords, type Word } from "../text/words.ts";
import { monthNames, monthNumber } from "./months.ts";
import { type CalendarSpan, parseRelativeSpan } from "./relative-days.ts";

// Dates in texts and queries, so that `2026-05-03` finds a text with `3 May` or `May 3rd`, and vice versa.

const ORDINAL = /^([0-9]{1,2})(?:st|nd|rd|th)?$/;
const YEAR = /^[12][0-9]{3}$/;
const TWO_DIGITS = /^[0-9]{2}$/;

type Day = { readonly year: string | undefined; readonly month: number; readonly day: number };
type Month = { readonly year: string; readonly month: number };

/** `apart`: other words, such as the day, may stand between the words. */
export type DateSpelling = { readonly words: readonly string[]; readonly apart?: true };

/** A date in a query or text. */
export type DateTerm = {
  readonly name: string;
  readonly typed: readonly string[];
  /** `2026-05-03`, `05-03` of any year, `2026-05`, `05` of any year, `2026`, or each day of a week. */
  readonly digits: readonly string[];
  /** Empty for a month of any year, which is an ordinary word that also finds what is due then. */
  readonly spellings: readonly DateSpelling[];
  /** The number of words it counts as: those of its spellings that are not words of the query. */
  readonly weight: number;
};

function dayNumber(word: string | undefined): number | undefined {
  const day = Number(ORDINAL.exec(word ?? "")?.[1]);
  return day >= 1 && day <= 31 ? day : undefined;
}

const asYear = (word: string | undefined) => (word !== undefined && YEAR.test(word) ? word : undefined);
const isMonthNumber = (month: number) => month >= 1 && month <= 12;

/** The day that starts with the first word: `3 May 2026`, `May 3rd`, `2026-05-03`. */
function dayAt([first, second, third]: readonly string[]): Day | undefined {
  const [day, month] = [dayNumber(first) ?? dayNumber(second), monthNumber(first) ?? monthNumber(second)];
  if (day !== undefined && month !== undefined) return { year: asYear(third), month, day };
  if (!asYear(first) || !TWO_DIGITS.test(second ?? "") || !TWO_DIGITS.test(third ?? "")) return undefined;
  const [inYear, inMonth] = [Number(second), Number(third)];
  return isMonthNumber(inYear) && inMonth >= 1 && inMonth <= 31
    ? { year: first, month: inYear, day: inMonth }
    : undefined;
}

function monthAt([first, second]: readonly string[]): Month | undefined {
  const [month, year] = [monthNumber(first), asYear(second)];
  if (month !== undefined && year !== undefined) return { year, month };
  const inYear = TWO_DIGITS.test(second ?? "") ? Number(second) : 0;
  return first !== undefined && asYear(first) && isMonthNumber(inYear)
    ? { year: first, month: inYear }
    : undefined;
}

const twoDigits = (number: number) => String(number).padStart(2, "0");

function ordinal(day: number): string {
  const ending = Math.floor(day / 10) === 1 ? undefined : ["", "st", "nd", "rd"][day % 10];
  return day + (ending || "th");
}

/** The spellings of a day. Only the numeric one includes the year. */
function spellingsOfDay({ year, month, day }: Day): DateSpelling[] {
  const days = [...new Set([String(day), twoDigits(day), ordinal(day)])];
  const written = monthNames(month).flatMap((name) =>
    days.flatMap((other) => [{ words: [name, other] }, { words: [other, name] }]),
  );
  return [...written, { words: [...(year === undefined ? [] : [year]), twoDigits(month), twoDigits(day)] }];
}

/** The spellings of a month: `May 2026`, `8 May, 2026`, `May 8th, 2026`, `2026-05-08`. */
const spellingsOfMonth = ({ year, month }: Month): DateSpelling[] => [
  ...monthNames(month).map((name) => ({ words: [name, year], apart: true }) as const),
  { words: [year, twoDigits(month)] },
];

type UntypedDate = Omit<DateTerm, "typed">;

const makeDate = (digits: string, spellings: readonly DateSpelling[], weight: number): UntypedDate => ({
  name: digits,
  digits: [digits],
  spellings,
  weight,
});

const datedDay = (day: Day, weight: number): UntypedDate =>
  makeDate(
    [day.year, twoDigits(day.month), twoDigits(day.day)].filter(Boolean).join("-"),
    spellingsOfDay(day),
    weight,
  );

const datedMonth = (month: Month, weight: number): UntypedDate =>
  makeDate(`${month.year}-${twoDigits(month.month)}`, spellingsOfMonth(month), weight);

function parseDay(text: string): Day {
  const [year, month, day] = text.split("-");
  return { year, month: Number(month), day: Number(day) };
}

/** A time relative to the person's day. The query contains none of its words, except for the name of a month. */
function datedSpan(span: CalendarSpan): UntypedDate {
  if ("year" in span) return makeDate(span.year, [{ words: [span.year] }], 1);
  if ("month" in span) {
    const [year = "", month] = span.month.split("-");
    return datedMonth({ year, month: Number(month) }, 2);
  }
  const [first = "", ...others] = span.days;
  if (others.length === 0) return datedDay(parseDay(first), 3);
  return {
    name: `${first}/${others.at(-1)}`,
    digits: span.days,
    spellings: span.days.flatMap((day) => spellingsOfDay(parseDay(day))),
    weight: 3,
  };
}

const MAX_WORDS = 3;

/** Words that can precede the name of a month, but not the verb “may”: `in May`. */
const BEFORE_MONTH = new Set("in during since until till by of early mid late every".split(" "));

/** The date that starts with the first of these words. `before` is the preceding word. */
function datedAt(found: readonly string[], before: string, today: string | undefined): DateTerm | undefined {
  const first = (count: number) => ({ typed: found.slice(0, count) });
  const day = dayAt(found);
  if (day !== undefined) {
    const count = day.year === undefined ? 2 : 3;
    return { ...datedDay(day, count), ...first(count) };
  }
  const month = monthAt(found);
  if (month !== undefined) return { ...datedMonth(month, 1), ...first(2) };
  for (let count = 1; today !== undefined && count <= found.length; count++) {
    const span = parseRelativeSpan(today, found.slice(0, count));
    if (span !== undefined) return { ...datedSpan(span), ...first(count) };
  }
  const ofAnyYear = before === "due" || BEFORE_MONTH.has(before) ? monthNumber(found[0]) : undefined;
  return ofAnyYear === undefined ? undefined : { ...makeDate(twoDigits(ofAnyYear), [], 1), ...first(1) };
}

/** The dates in a text, without duplicates. `today` (YYYY-MM-DD) is needed for words such as `yesterday`. */
export function datesIn(text: string, today?: string): DateTerm[] {
  const found = splitWords(text).map((word) => word.text);
  const dates = found.flatMap(
    (_, index) => datedAt(found.slice(index, index + MAX_WORDS), found[index - 1] ?? "", today) ?? [],
  );
  const inDays = (name: string) =>
    dates.some((other) => other.name !== name && other.name.startsWith(`${name}-`));
  // `May 2026` is part of `3 May 2026`.
  return [...new Map(dates.map((date) => [date.name, date])).values()].filter(({ name }) => !inDays(name));
}

/** Whether the word is the month of May, not the verb. With a day or year it is part of a date instead. */
export const isMonthOfMay = (found: readonly Word[], index: number) =>
  found[index]?.text === "may" &&
  BEFORE_MONTH.has(found[index - 1]?.text ?? "") &&
  dayNumber(found[index + 1]?.text) === undefined &&
  asYear(found[index + 1]?.text) === undefined;
