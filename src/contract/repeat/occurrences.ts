import {
  type CivilDate,
  civilDate,
  dayNumber,
  formatDay,
  MAX_YEAR,
  monthLength,
  monthsLater,
  parseDay,
  weekdayOfDay,
} from "./day-numbers.ts";
import type { Rule, RuleDay } from "./shape.ts";

const MAX_COUNTED = 999;
const LAST_DAY = dayNumber(MAX_YEAR, 12, 31);
const CYCLE_YEARS = 400;
const CYCLE_DAYS = 146_097;

/** A rule with its start, as a day number. */
type AnchoredRule = { rule: Rule; anchor: number };

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
const ALL_MONTHS = range(1, 12);
const ALL_DATES = range(1, 31);

/** The days that one part of BYDAY names in a period beginning at `first`. */
function weekdaysIn(first: number, length: number, { weekday, nth }: RuleDay): number[] {
  const start = first + ((weekday - weekdayOfDay(first) + 7) % 7);
  const end = first + length;
  const all = Math.ceil((end - start) / 7);
  if (nth === undefined) return Array.from({ length: all }, (_, week) => start + 7 * week);
  const week = nth > 0 ? nth - 1 : all + nth;
  return week >= 0 && week < all ? [start + 7 * week] : [];
}

const allWeekdaysIn = (first: number, length: number, days: readonly RuleDay[]) =>
  days.flatMap((day) => weekdaysIn(first, length, day));

/** The dates that BYMONTHDAY names in a month of this length. Negative ones count from its end. */
const datesInMonth = (by_month_day: readonly number[], length: number) =>
  by_month_day
    .map((date) => (date > 0 ? date : length + 1 + date))
    .filter((date) => date >= 1 && date <= length);

/**
 * The days that a rule names in a month.
 *
 * @param named the days that BYDAY names; undefined without that part
 */
function daysInMonth(
  { rule, anchor }: AnchoredRule,
  first: number,
  length: number,
  named?: readonly number[],
) {
  const { by_month_day } = rule;
  if (named && by_month_day.length === 0) return named;
  const dates = by_month_day.length > 0 ? by_month_day : [civilDate(anchor).date];
  const days = datesInMonth(dates, length).map((date) => first + date - 1);
  return named ? days.filter((day) => named.includes(day)) : days;
}

function daysOfMonth(started: AnchoredRule, year: number, month: number): readonly number[] {
  const { by_day, by_month } = started.rule;
  if (by_month.length > 0 && !by_month.includes(month)) return [];
  const [first, length] = [dayNumber(year, month, 1), monthLength(year, month)];
  const named = by_day.length > 0 ? allWeekdaysIn(first, length, by_day) : undefined;
  return daysInMonth(started, first, length, named);
}

function daysOfYear(started: AnchoredRule, year: number): readonly number[] {
  const { by_day, by_month, by_month_day } = started.rule;
  if (by_month.length > 0) return by_month.flatMap((month) => daysOfMonth(started, year, month));
  if (by_day.length === 0) {
    const months = by_month_day.length > 0 ? ALL_MONTHS : [civilDate(started.anchor).month];
    return months.flatMap((month) => daysOfMonth(started, year, month));
  }
  const first = dayNumber(year, 1, 1);
  const named = allWeekdaysIn(first, dayNumber(year + 1, 1, 1) - first, by_day);
  if (by_month_day.length === 0) return named;
  return ALL_MONTHS.flatMap((month) =>
    daysInMonth(started, dayNumber(year, month, 1), monthLength(year, month), named),
  );
}

const startOfWeek = (day: number, { week_start }: Rule) => day - ((weekdayOfDay(day) - week_start + 7) % 7);

function daysOfWeek({ rule, anchor }: AnchoredRule, first: number): readonly number[] {
  const weekdays =
    rule.by_day.length > 0 ? rule.by_day.map(({ weekday }) => weekday) : [weekdayOfDay(anchor)];
  const days = weekdays.map((weekday) => first + ((weekday - rule.week_start + 7) % 7));
  return rule.by_month.length === 0
    ? days
    : days.filter((day) => rule.by_month.includes(civilDate(day).month));
}

/** BYSETPOS: some of the days of one year, month or week. */
function applySetPos({ by_set_pos }: Rule, days: readonly number[]): readonly number[] {
  const sorted = days.length < 2 ? days : [...new Set(days)].sort((a, b) => a - b);
  if (by_set_pos.length === 0 || days.length === 0) return sorted;
  const all = by_set_pos.map((place) => sorted[place > 0 ? place - 1 : sorted.length + place]);
  return [...new Set(all)].flatMap((day) => day ?? []).sort((a, b) => a - b);
}

type Days = Generator<number, void>;

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b);

/** Number of steps after which a rule is at the same point of the calendar again, which repeats every 400 years. */
const stepsPerCycle = (cycle: number, interval: number) => cycle / greatestCommonDivisor(cycle, interval);

type Periods = {
  first: number;
  last: number;
  step: number;
  cycle: number;
  daysAt: (at: number) => readonly number[];
};

/** The days of consecutive years, months or weeks. Ends when a full cycle of the calendar has no day. */
function* inPeriods(rule: Rule, { first, last, step, cycle, daysAt }: Periods): Days {
  const most = stepsPerCycle(cycle, rule.interval);
  let empty = 0;
  for (let at = first; at <= last && empty <= most; at += step) {
    const days = applySetPos(rule, daysAt(at));
    empty = days.length === 0 ? empty + 1 : 0;
    yield* days;
  }
}

/** The last period of the rule that begins at or before another period. */
const lastBefore = (first: number, other: number, step: number) =>
  first + Math.max(0, Math.floor((other - first) / step)) * step;

function yearly(started: AnchoredRule, from: number): Days {
  const { interval: step } = started.rule;
  return inPeriods(started.rule, {
    first: lastBefore(civilDate(started.anchor).year, civilDate(from).year, step),
    last: MAX_YEAR,
    step,
    cycle: CYCLE_YEARS,
    daysAt: (year) => daysOfYear(started, year),
  });
}

/** A month as a number: 0 is January of the year 0. */
const monthNumber = ({ year, month }: CivilDate) => 12 * year + month - 1;

function monthly(started: AnchoredRule, from: number): Days {
  const { interval: step } = started.rule;
  return inPeriods(started.rule, {
    first: lastBefore(monthNumber(civilDate(started.anchor)), monthNumber(civilDate(from)), step),
    last: 12 * MAX_YEAR + 11,
    step,
    cycle: 12 * CYCLE_YEARS,
    daysAt: (month) => daysOfMonth(started, Math.floor(month / 12), (month % 12) + 1),
  });
}

function weekly(started: AnchoredRule, from: number): Days {
  const { rule, anchor } = started;
  const step = 7 * rule.interval;
  return inPeriods(rule, {
    first: lastBefore(startOfWeek(anchor, rule), from, step),
    last: LAST_DAY,
    step,
    cycle: CYCLE_DAYS / 7,
    daysAt: (week) => daysOfWeek(started, week),
  });
}

function nextMonth({ by_month }: Rule, { year, month }: CivilDate): number {
  const next = by_month.find((one) => one > month);
  return next ? dayNumber(year, next, 1) : dayNumber(year + 1, by_month[0] ?? 1, 1);
}

function fits({ by_day, by_month_day }: Rule, day: number, { year, month, date }: CivilDate): boolean {
  const isNamed = by_day.length === 0 || by_day.some(({ weekday }) => weekday === weekdayOfDay(day));
  if (!isNamed || by_month_day.length === 0) return isNamed;
  return datesInMonth(by_month_day, monthLength(year, month)).includes(date);
}

function* everyNDays({ rule, anchor }: AnchoredRule, from: number): Days {
  const { interval, by_day, by_month } = rule;
  // An interval of whole weeks always leads to the same weekday.
  const weekday = interval % 7 === 0 && by_day.length > 0 ? weekdayOfDay(anchor) : undefined;
  if (weekday !== undefined && !by_day.some((day) => day.weekday === weekday)) return;
  const cycleDays = interval * stepsPerCycle(CYCLE_DAYS, interval);
  const stepFrom = (day: number) => anchor + Math.max(0, Math.ceil((day - anchor) / interval)) * interval;
  let day = stepFrom(from);
  for (let last = day + cycleDays; day <= LAST_DAY && day <= last; ) {
    const civil = civilDate(day);
    const isInMonth = by_month.length === 0 || by_month.includes(civil.month);
    if (isInMonth && fits(rule, day, civil)) {
      yield day;
      last = day + cycleDays;
    }
    day = isInMonth ? day + interval : stepFrom(nextMonth(rule, civil));
  }
}

/** In daily rules each period has one day, so BYSETPOS either includes it or not. */
const setPosAllowsSingle = ({ by_set_pos }: Rule) =>
  by_set_pos.length === 0 || by_set_pos.includes(1) || by_set_pos.includes(-1);

function* daily(started: AnchoredRule, from: number): Days {
  const { rule } = started;
  if (!setPosAllowsSingle(rule)) return;
  if (rule.interval > 1) yield* everyNDays(started, from);
  else {
    const by_month_day = rule.by_month_day.length + rule.by_day.length > 0 ? rule.by_month_day : ALL_DATES;
    yield* monthly({ ...started, rule: { ...rule, by_month_day, by_set_pos: [] } }, from);
  }
}

const BY_FREQUENCY = { YEARLY: yearly, MONTHLY: monthly, WEEKLY: weekly, DAILY: daily };

/** The occurrences in order, from about `from` on, or from the anchor on if the rule has COUNT. */
function* occurrences(started: AnchoredRule, from: number): Days {
  const { rule, anchor } = started;
  const last = rule.until === undefined ? LAST_DAY : Math.min(LAST_DAY, parseDay(rule.until));
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  const start = rule.count === undefined ? Math.max(anchor, from) : anchor;
  for (const day of BY_FREQUENCY[rule.freq](started, start)) {
    if (day > last) return;
    if (day < anchor) continue;
    yield day;
    left -= 1;
    if (left <= 0) return;
  }
}

function occurrencesBetween(
  started: AnchoredRule,
  after: number,
  { until = LAST_DAY, limit }: { until?: number; limit: number },
) {
  const days: number[] = [];
  if (limit < 1) return days;
  for (const day of occurrences(started, after + 1)) {
    if (day > until) break;
    if (day > after) days.push(day);
    if (days.length >= limit) break;
  }
  return days;
}

/**
 * The days on which a rule occurs, up to the year 9999.
 *
 * @param anchor the day of DTSTART, which is an occurrence only if it fits the rule
 * @param after only occurrences after this day
 * @returns at most `limit` days in order; none if the rule has ended or never occurs after its anchor
 */
export function listOccurrences(
  rule: Rule,
  { anchor, after, limit }: { anchor: string; after: string; limit: number },
): string[] {
  return occurrencesBetween({ rule, anchor: parseDay(anchor) }, parseDay(after), { limit }).map(formatDay);
}

/**
 * The first day of a repetition, which becomes the rule's anchor. "Every other Friday" begins on the next Friday, wherever in
 * the week `from` is.
 *
 * @returns the first day on or after `from` that fits the rule; undefined if the rule has ended or never occurs
 */
export function firstOccurrence(rule: Rule, { from }: { from: string }): string | undefined {
  const after = formatDay(parseDay(from) - 1);
  return listOccurrences({ ...rule, interval: 1 }, { anchor: from, after, limit: 1 })[0];
}

/** The number of occurrences after one day and up to another, at most 999. */
export function countOccurrences(
  rule: Rule,
  { anchor, after, until }: { anchor: string; after: string; until: string },
): number {
  const started = { rule, anchor: parseDay(anchor) };
  return occurrencesBetween(started, parseDay(after), { until: parseDay(until), limit: MAX_COUNTED }).length;
}

/** Whether the rule names no day, month or weekday, so that it is a plain span such as "every month". */
const isSpan = ({ by_day, by_month, by_month_day }: Rule) =>
  by_day.length + by_month.length + by_month_day.length === 0;

/**
 * The next day of a rule that counts from completion (`repeat_from: done`). A month after 31 January is 28 February, where
 * RFC 5545 would skip February. COUNT is ignored: only the caller knows how often it was done.
 *
 * @returns the first day after `done`, or undefined if the rule has ended
 */
export function nextDayAfterDone(rule: Rule, { done }: { done: string }): string | undefined {
  const day = parseDay(done);
  const months = { YEARLY: 12, MONTHLY: 1, WEEKLY: undefined, DAILY: undefined }[rule.freq];
  if (months === undefined || !isSpan(rule))
    return listOccurrences({ ...rule, count: undefined }, { anchor: done, after: done, limit: 1 })[0];
  const next = monthsLater(day, months * rule.interval);
  return next <= (rule.until === undefined ? LAST_DAY : parseDay(rule.until)) ? formatDay(next) : undefined;
}

/** 28 years contain every kind of year: beginning on each weekday, with and without 29 February. */
const KINDS_OF_YEARS = { first: dayNumber(2000, 1, 1), last: dayNumber(2028, 12, 31) };

/** Whether a rule occurs at all, ignoring INTERVAL, COUNT and UNTIL. */
export function everOccurs(rule: Rule): boolean {
  const { first, last } = KINDS_OF_YEARS;
  const started = { rule: { ...rule, interval: 1, count: undefined, until: undefined }, anchor: first };
  return occurrencesBetween(started, first - 1, { until: last, limit: 1 }).length > 0;
}
