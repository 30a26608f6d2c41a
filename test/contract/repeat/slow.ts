import type { Rule } from "../../../src/contract/repeat/rule.ts";

// The days of a rule, found by asking of every day of some years whether the rule names it. Slow, and obvious.

type Day = { text: string; year: number; month: number; date: number; weekday: number; number: number };

const dayAt = (number: number): Day => {
  const at = new Date(number * 86_400_000);
  return {
    text: at.toISOString().slice(0, 10),
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    date: at.getUTCDate(),
    weekday: (at.getUTCDay() + 6) % 7,
    number,
  };
};
const numberOf = (day: string) => Date.parse(day) / 86_400_000;
const lengthOf = ({ year, month }: Day) => new Date(Date.UTC(year, month, 0)).getUTCDate();

const weekOf = (day: Day, { week_start }: Rule) => day.number - ((day.weekday - week_start + 7) % 7);
/** Which year, month, week or day a day is in. */
const periodOf = (day: Day, rule: Rule): number =>
  ({
    YEARLY: day.year,
    MONTHLY: day.year * 12 + day.month,
    WEEKLY: weekOf(day, rule) / 7,
    DAILY: day.number,
  })[rule.freq];

/** The day's place among the same weekdays of its year or month, from the beginning and from the end. */
function placesOf(day: Day, rule: Rule): number[] {
  const isOfYear = rule.freq === "YEARLY" && rule.by_month.length === 0;
  const isBeside = (other: Day) => other.year === day.year && (isOfYear || other.month === day.month);
  let [before, later] = [0, 0];
  while (isBeside(dayAt(day.number - 7 * (before + 1)))) before += 1;
  while (isBeside(dayAt(day.number + 7 * (later + 1)))) later += 1;
  return [before + 1, -later - 1];
}

function isWeekday(day: Day, rule: Rule): boolean {
  const same = rule.by_day.filter(({ weekday }) => weekday === day.weekday);
  if (same.length === 0 || same.some(({ nth }) => nth === undefined)) return same.length > 0;
  const places = placesOf(day, rule);
  return same.some(({ nth = 0 }) => places.includes(nth));
}

function isNamed(day: Day, rule: Rule, anchor: Day): boolean {
  const { freq, by_day, by_month, by_month_day } = rule;
  const hasDays = by_day.length + by_month_day.length > 0;
  if (by_month.length > 0 && !by_month.includes(day.month)) return false;
  if (freq === "YEARLY" && by_month.length === 0 && !hasDays && day.month !== anchor.month) return false;
  if ((freq === "YEARLY" || freq === "MONTHLY") && !hasDays && day.date !== anchor.date) return false;
  if (freq === "WEEKLY" && !hasDays && day.weekday !== anchor.weekday) return false;
  const fromEnd = day.date - lengthOf(day) - 1;
  if (by_month_day.length > 0 && !by_month_day.includes(day.date) && !by_month_day.includes(fromEnd))
    return false;
  return by_day.length === 0 || isWeekday(day, rule);
}

/** The days from the anchor on, of eleven years. */
export function slowDays(rule: Rule, anchor: string): string[] {
  const start = dayAt(numberOf(anchor));
  // Weeks and months that the anchor is in begin before it.
  const all = Array.from({ length: 366 + 12 * 366 }, (_, index) => dayAt(start.number - 366 + index));
  const named = all.filter((day) => {
    const apart = periodOf(day, rule) - periodOf(start, rule);
    return apart >= 0 && Math.round(apart) % rule.interval === 0 && isNamed(day, rule, start);
  });
  const periods = [...Map.groupBy(named, (day) => periodOf(day, rule)).values()];
  const { by_set_pos, count, until } = rule;
  return (
    periods
      .flatMap((days) =>
        by_set_pos.length === 0
          ? days
          : days.filter((_, at) => by_set_pos.includes(at + 1) || by_set_pos.includes(at - days.length)),
      )
      // The last period is cut off.
      .filter(({ number }) => number >= start.number && number < start.number + 11 * 366)
      .slice(0, count)
      .map(({ text }) => text)
      .filter((text) => until === undefined || text <= until)
  );
}
