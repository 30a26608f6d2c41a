import {
  civilDate,
  dayNumber,
  formatDay,
  isCivilDate,
  monthLength,
  parseDay,
  weekdayOfDay,
} from "./day-numbers.ts";
import {
  after,
  before,
  isAttached,
  longest,
  map,
  memoized,
  numeral,
  oneOf,
  optional,
  type Parser,
  phrase,
  sequence,
} from "./parsers.ts";
import type { RelativeYear, Vocabulary } from "./vocabulary.ts";

// Dates next to a repetition: "3 May", "24.12.", "2027-05-03", "Monday".

type NamedYear = number | RelativeYear | undefined;

/** A date whose year may be missing. */
export type NamedDate = { year: NamedYear; month: number; date: number };

const attached =
  <T>(parser: Parser<T>): Parser<T> =>
  (tokens, at) =>
    isAttached(tokens, at) ? parser(tokens, at) : undefined;

const SUFFIX = attached(phrase("st|nd|rd|th"));
const DOT = attached(phrase("."));

/** A date of a month that no other number follows: "15." but not the 15 of "15.12.". */
const dotted: Parser<number> = (tokens, at) => {
  const found = before(numeral, DOT)(tokens, at);
  const isFullDate = found && isAttached(tokens, found.next) && numeral(tokens, found.next);
  return isFullDate ? undefined : found;
};

const toDate = (number: number) => (number >= 1 && number <= 31 ? number : undefined);

/** "1st", "15." */
export const ordinalDate: Parser<number> = memoized(map(longest(before(numeral, SUFFIX), dotted), toDate));

const year = map(numeral, (number) => (number >= 1000 ? number : undefined));
const plainDate = map(numeral, toDate);
const monthNumber = map(numeral, (number) => (number >= 1 && number <= 12 ? number : undefined));

const namedDate = (date: number, month: number, inYear: NamedYear): NamedDate | undefined => {
  // 2000 is a leap year: 29 February exists in some years.
  const exists = isCivilDate(typeof inYear === "number" ? inYear : 2000, month, date);
  return exists ? { year: inYear, month, date } : undefined;
};

const isoDate: Parser<NamedDate> = map(
  sequence(sequence(before(year, phrase("-")), before(monthNumber, phrase("-"))), plainDate),
  ([[inYear, month], date]) => namedDate(date, month, inYear),
);

type YearParser = Parser<NonNullable<NamedYear>>;

/** "2027", "next year" */
const anyYear = ({ years }: Vocabulary): YearParser => longest<NonNullable<NamedYear>>(year, oneOf(years));

/** "24.12.", "3.5.2027": day before month, as everywhere in the app. */
const numericDate = (ofYear: YearParser): Parser<NamedDate> =>
  map(
    sequence(sequence(before(plainDate, DOT), before(monthNumber, DOT)), optional(ofYear, undefined)),
    ([[date, month], inYear]) => namedDate(date, month, inYear),
  );

/** A comma is only before a number: "3 December, next year too". */
const yearAfterName = (ofYear: YearParser): Parser<NamedYear> =>
  optional(longest<NonNullable<NamedYear>>(ofYear, after(phrase(","), year)), undefined);

const LETTER = /^\p{L}/u;

/**
 * A day whose name ends there, which it does not in "Sunday school", "Friday’s exam", "the 2nd leaf" and "Friday next
 * week".
 *
 * @param goesOn words that may follow it
 */
const whole =
  <T>(parser: Parser<T>, { the }: Vocabulary, goesOn: RegExp): Parser<T> =>
  (tokens, at) => {
    const found = parser(tokens, at);
    if (!found) return undefined;
    const { next } = found;
    const [first, second] = [tokens[next]?.word ?? "", tokens[next + 1]?.word ?? ""];
    const number = after(optional(phrase(","), true), after(optional(phrase(the), true), numeral));
    const isPart = LETTER.test(first)
      ? !goesOn.test(first)
      : /[(\p{N}]/u.test(first) || (isAttached(tokens, next + 1) && LETTER.test(second));
    return isPart || number(tokens, next) ? undefined : found;
  };

/**
 * "3 May", "3rd of May 2027", "May 3rd", "3. Mai", "Christmas 2027"
 *
 * @param ofYear what is read as its year
 */
export function dateParser(words: Vocabulary, ofYear: YearParser = year): Parser<NamedDate> {
  const month = before(oneOf(words.months), optional(DOT, true));
  const date = longest(ordinalDate, plainDate);
  const dayFirst = sequence(before(date, optional(phrase("of"), true)), month);
  const monthFirst = map(sequence(month, date), ([first, second]): [number, number] => [second, first]);
  const inYear = yearAfterName(ofYear);
  const written = map(sequence(longest(dayFirst, monthFirst), inYear), ([[day, inMonth], of]) =>
    namedDate(day, inMonth, of),
  );
  const feast = map(sequence(oneOf(words.feasts), inYear), ([[inMonth, day], of]) =>
    namedDate(day, inMonth, of),
  );
  return memoized(longest(written, numericDate(ofYear), isoDate, whole(feast, words, words.afterDay)));
}

function yearNumber(named: NamedYear, thisYear: number): number | undefined {
  if (typeof named !== "string") return named;
  return named === "next year" ? thisYear + 1 : thisYear;
}

/** The date as YYYY-MM-DD; without a year its next occurrence, which may be today. "3 May this year" is none once it is over. */
export function resolveDate({ year: inYear, month, date }: NamedDate, today: string): string | undefined {
  const from = parseDay(today);
  const { year: thisYear } = civilDate(from);
  const named = yearNumber(inYear, thisYear);
  if (named) {
    const day = isCivilDate(named, month, date) ? dayNumber(named, month, date) : undefined;
    return day === undefined || (typeof inYear === "string" && day < from) ? undefined : formatDay(day);
  }
  // 29 February may be eight years away.
  for (let next = thisYear; next <= thisYear + 8; next += 1) {
    if (isCivilDate(next, month, date) && dayNumber(next, month, date) >= from)
      return formatDay(dayNumber(next, month, date));
  }
  return undefined;
}

type DayFromToday = (today: string) => string | undefined;

const nextWeekday = (weekday: number) => (today: string) => {
  const day = parseDay(today) + 1;
  return formatDay(day + ((weekday - weekdayOfDay(day) + 7) % 7));
};

const nextDateOfMonth = (date: number) => (today: string) => {
  const { year: thisYear, month: thisMonth, date: thisDate } = civilDate(parseDay(today));
  const month = thisMonth + (date < thisDate ? 1 : 0);
  return date > monthLength(thisYear, month) ? undefined : formatDay(dayNumber(thisYear, month, date));
};

function namedDays(words: Vocabulary) {
  const weekday = oneOf(words.weekdays);
  const date = map(dateParser(words, anyYear(words)), (one) => (today: string) => resolveDate(one, today));
  const sign = optional(phrase(",|.|. ,"), true);
  const the = optional(phrase(words.the), true);
  const both = sequence(
    before(weekday, sequence(sign, the)),
    longest<DayFromToday>(date, map(ordinalDate, nextDateOfMonth)),
  );
  return {
    near: map(oneOf(words.near), (days) => (today: string) => formatDay(parseDay(today) + days)),
    weekday: map(weekday, nextWeekday),
    date,
    /** "Friday 11 December", "Friday the 11th": no day if that is not a Friday. */
    weekdayAndDate: map(both, ([number, dayOf]) => (today: string) => {
      const day = dayOf(today);
      return day && weekdayOfDay(parseDay(day)) === number ? day : undefined;
    }),
  };
}

/** "tomorrow", "Monday", "1 December": the first day of a repetition. A weekday is the next one after today. */
export function firstDayParser(words: Vocabulary): Parser<DayFromToday> {
  const { near, weekday, date, weekdayAndDate } = namedDays(words);
  return longest<DayFromToday>(near, weekday, date, weekdayAndDate);
}

const lastOfMonth = (month: number, today: string, of?: NamedYear) => {
  const { year: thisYear, month: thisMonth } = civilDate(parseDay(today));
  const next = yearNumber(of, thisYear) ?? (month < thisMonth ? thisYear + 1 : thisYear);
  return formatDay(dayNumber(next, month, monthLength(next, month)));
};

/** "Friday", "24 December", "the 15th", "the end of the year", "Ende März 2027": the last day of a repetition. */
export function lastDayParser(words: Vocabulary): Parser<DayFromToday> {
  const { near, weekday, date, weekdayAndDate } = namedDays(words);
  const endOfMonth = map(
    phrase(words.endOfMonth),
    () => (today: string) => lastOfMonth(civilDate(parseDay(today)).month, today),
  );
  const endOf = phrase(words.endOf);
  const endOfNamed = map(
    longest(
      sequence(
        longest(
          after(endOf, oneOf(words.months)),
          map(phrase(words.endOfYear), () => 12),
        ),
        yearAfterName(anyYear(words)),
      ),
      map(after(endOf, anyYear(words)), (of): [number, NamedYear] => [12, of]),
    ),
    ([month, of]) =>
      (today: string) =>
        lastOfMonth(month, today, of),
  );
  const dateOfMonth = map(ordinalDate, nextDateOfMonth);
  return longest<DayFromToday>(
    near,
    date,
    weekdayAndDate,
    whole(longest<DayFromToday>(weekday, endOfMonth, endOfNamed), words, words.afterDay),
    whole(dateOfMonth, words, words.afterOrdinal),
  );
}
