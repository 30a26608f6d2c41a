import {
  civilDate,
  dayNumber,
  formatDay,
  isCivilDate,
  monthLength,
  monthsLater,
  parseDay,
  weekdayOfDay,
} from "../../contract/repeat/day-numbers.ts";

// Date arithmetic shared by the rules of all languages, relative to the person's day.

export type MatchGroups = Record<string, string | undefined>;

/** The reference day. `isPast`: a day without a year or week is the last one instead of the next. */
export type DayContext = { today: string; isPast?: boolean };

type DayReader = (groups: MatchGroups, context: DayContext) => string | undefined;

export type DayRule = {
  patterns: string[];
  /** Where in a sentence it is recognized without a preposition: "may" and "3/4" are rarely dates. */
  bare: "anywhere" | "at the end" | "after its weekday" | "never";
  /** The prepositions after which it is a date: "for 2 weeks" is not one. */
  lead?: string;
  /** What may follow without a space: "Freitagabend". */
  suffix?: string;
  /** Whether it is a date, which may have a weekday: "Friday, 27 November". */
  isDate?: true;
  day: DayReader;
  other?: DayReader;
};

const DUE = "f(?:ä|ae)llig(?::| bis zum| bis| am| zum)?";
const LATEST = "(?:bis )?sp(?:ä|ae)testens(?: bis zum| bis| zum| am)?";
export const GERMAN_PREPOSITIONS = `${DUE}|${LATEST}|bis zum|bis am|bis|(?<!(?<!\\p{L})i )am|zum|ab|für|vor`;
/** Both languages, because people mix them: "am 3 December". */
export const DAY_PREPOSITIONS = `due by|due on|due:?|no later than|by|until|till?|on|for|before|from|${GERMAN_PREPOSITIONS}`;

const LAST_DAY = dayNumber(9999, 12, 31);

/** As YYYY-MM-DD; undefined outside years with four digits. */
const formatInRange = (day: number): string | undefined =>
  day >= dayNumber(1000, 1, 1) && day <= LAST_DAY ? formatDay(day) : undefined;

const civilDay = (year: number, month: number, date: number): string | undefined =>
  isCivilDate(year, month, date) ? formatInRange(dayNumber(year, month, date)) : undefined;

export const addDays = (day: string, days: number): string => formatInRange(parseDay(day) + days) ?? day;

/** 1 is Monday, 7 is Sunday. */
export const isoWeekday = (day: string): number => weekdayOfDay(parseDay(day)) + 1;

const mondayOf = (day: string) => addDays(day, 1 - isoWeekday(day));

const UNIT_DAYS: Record<string, number> = { d: 1, t: 1, w: 7, f: 14 };

/** @param count number of days, weeks, fortnights, months or years, in English or German; negative for the past */
export function addUnits(count: number, unit: string, from: string): string | undefined {
  const days = UNIT_DAYS[unit.charAt(0)];
  if (days) return formatInRange(parseDay(from) + count * days);
  return formatInRange(monthsLater(parseDay(from), count * (/^[yj]/.test(unit) ? 12 : 1)));
}

/** 29 February may be eight years away, around a century without a leap day. */
const MAX_YEARS = 8;

/** The years in the patterns: "2027", "27", "next year", "dieses Jahres", "im letzten Jahr". */
function yearNumber(words: string, thisYear: number): number {
  if (/^\d/.test(words)) return Number(words.length === 2 ? `20${words}` : words);
  if (/last|letzt|previous|vorig|vergangen/.test(words)) return thisYear - 1;
  return /next|n(?:ä|ae)chst|kommend/.test(words) ? thisYear + 1 : thisYear;
}

/** The day with this month and date: in the given year, or else the next or last one, which may be today. */
export function resolveMonthDate(
  month: number,
  date: number,
  year: string | undefined,
  { today, isPast = false }: DayContext,
): string | undefined {
  const thisYear = Number(today.slice(0, 4));
  if (year) return civilDay(yearNumber(year, thisYear), month, date);
  for (let years = 0; years <= MAX_YEARS; years += 1) {
    const day = civilDay(thisYear + (isPast ? -years : years), month, date);
    if (day && (isPast ? day <= today : day >= today)) return day;
  }
  return undefined;
}

/** The first or last day of a month; undefined for the first day of the current month if it has passed. */
function edgeOfMonth(
  month: number,
  year: string | undefined,
  context: DayContext,
  edge: "first" | "last" = "first",
) {
  if (month < 1) return undefined;
  const thisMonth = Number(context.today.slice(5, 7));
  if (edge === "first" && !year && month === thisMonth && !context.today.endsWith("-01") && !context.isPast)
    return undefined;
  const inYear = year ?? (month === thisMonth ? context.today.slice(0, 4) : undefined);
  const first = resolveMonthDate(month, 1, inYear, context);
  // "By November this year" is no deadline that is over.
  if (edge === "first" && year && !/^\d/.test(year) && first && first < context.today) return undefined;
  return first && edge === "last" ? lastOfMonth(first) : first;
}

function lastOfMonth(day: string): string | undefined {
  const { year, month } = civilDate(parseDay(day));
  return civilDay(year, month, monthLength(year, month));
}

/** The next day with this date of a month, which may be today: "the 31st". */
export function readDateOfMonth({ date }: MatchGroups, { today }: DayContext): string | undefined {
  const { year, month } = civilDate(parseDay(today));
  for (let months = 0; months <= 2; months += 1) {
    const first = civilDate(dayNumber(year, month + months, 1));
    const day = civilDay(first.year, first.month, Number(date));
    if (day && day >= today) return day;
  }
  return undefined;
}

function startOfNextUnit(unit: string, today: string): string | undefined {
  if (unit.startsWith("w")) return addDays(mondayOf(today), 7);
  const { year, month } = civilDate(parseDay(today));
  return /^[yj]/.test(unit) ? civilDay(year + 1, 1, 1) : formatInRange(dayNumber(year, month + 1, 1));
}

export type WeekdayChoice = "this" | "next" | "last" | undefined;

/** A weekday (1 is Monday): by default the next one after today, or that of this or next week, or the last one before today. */
export function resolveWeekday(number: number, which: WeekdayChoice, { today, isPast }: DayContext): string {
  const inThisWeek = addDays(mondayOf(today), number - 1);
  if (which === "next") return addDays(inThisWeek, 7);
  if (which === "last" || (isPast && !which))
    return inThisWeek < today ? inThisWeek : addDays(inThisWeek, -7);
  if (which === "this" && inThisWeek >= today) return inThisWeek;
  return inThisWeek > today ? inThisWeek : addDays(inThisWeek, 7);
}

/** The alternative meaning of "next Friday", which may be that of this week or of the next. */
function otherNextWeekday(number: number, context: DayContext): string | undefined {
  const nearest = resolveWeekday(number, undefined, { today: context.today });
  return nearest === resolveWeekday(number, "next", context) ? undefined : nearest;
}

/** The last working day of this or the next week, or the last day of this or the next month or year. */
export function readEndOfUnit({ unit = "", next }: MatchGroups, { today }: DayContext): string | undefined {
  const day = next === undefined ? today : (startOfNextUnit(unit, today) ?? today);
  if (unit.startsWith("m")) return lastOfMonth(day);
  if (/^[yj]/.test(unit)) return `${day.slice(0, 4)}-12-31`;
  const friday = addDays(mondayOf(day), 4);
  return friday >= day ? friday : addDays(friday, 7);
}

export const daysFromToday =
  (days: number): DayReader =>
  (_, { today }) =>
    addDays(today, days);

export const readNextUnit: DayReader = ({ unit = "" }, { today }) => startOfNextUnit(unit, today);

const SATURDAY = 6;
export const thisSaturday: DayReader = (_, context) => resolveWeekday(SATURDAY, "this", context);
export const nextSaturday: DayReader = (_, context) => resolveWeekday(SATURDAY, "next", context);
export const otherNextSaturday: DayReader = (_, context) => otherNextWeekday(SATURDAY, context);

/** How a language writes numbers, months and weekdays, each from 1, and 0 if unknown. */
type DayWords = {
  count: (word?: string) => number;
  month: (name?: string) => number;
  weekday: (name?: string) => number;
  which: (word?: string) => WeekdayChoice;
  tomorrow: string;
};

/** Readers of the named groups in the patterns of a language. */
export function dayReaders(words: DayWords) {
  const nearDay = ({ near, weekday }: MatchGroups, today: string) =>
    near
      ? addDays(today, near === words.tomorrow ? 1 : 0)
      : resolveWeekday(words.weekday(weekday), undefined, { today });
  return {
    weekday: ({ which, weekday }, context) =>
      resolveWeekday(words.weekday(weekday), words.which(which), context),
    otherWeekday: ({ which, weekday }, context) =>
      words.which(which) === "next" ? otherNextWeekday(words.weekday(weekday), context) : undefined,
    weekdayOfNextWeek: ({ weekday }, context) => resolveWeekday(words.weekday(weekday), "next", context),
    monthDate: ({ month, date, year }, context) =>
      resolveMonthDate(words.month(month), Number(date), year, context),
    edgeOfMonth: ({ edge, month, short, year }, context) =>
      edgeOfMonth(words.month(month ?? short), year, context, edge?.startsWith("end") ? "last" : "first"),
    inUnits: ({ count, unit = "" }, { today }) => addUnits(words.count(count), unit, today),
    unitsAgo: ({ count, unit = "" }, { today }) => addUnits(-words.count(count), unit, today),
    unitsAfter: ({ count, unit = "", ...from }, { today }) =>
      addUnits(words.count(count), unit, nearDay(from, today)),
  } satisfies Record<string, DayReader>;
}
