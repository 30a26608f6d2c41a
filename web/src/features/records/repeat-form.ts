import { listOccurrences, nextDayAfterDone } from "../../../../src/contract/repeat/occurrences.ts";
import { parseStoredRule, type Rule, writeRule } from "../../../../src/contract/repeat/rule.ts";
import { addDays, addMonths, isoWeekday } from "../../kit/dates.ts";

// A repetition rule as the form edits it, and the days that it yields.

export type RepeatFrequency = Rule["freq"];
export type RepeatFrom = "due" | "done";

const EMPTY: Rule = {
  freq: "DAILY",
  interval: 1,
  by_month: [],
  by_month_day: [],
  by_day: [],
  by_set_pos: [],
  count: undefined,
  until: undefined,
  week_start: 0,
};

/** 0 is Monday, as in rules. */
const weekdayIn = (day: string) => isoWeekday(day) - 1;
const onWeekdays = (...weekdays: number[]) => weekdays.map((weekday) => ({ weekday, nth: undefined }));

const WORKDAYS = [0, 1, 2, 3, 4];
const WEEK = 7;
const LAST_DAYS = 28;

const lengthOfMonth = (day: string) => Number(addDays(addMonths(`${day.slice(0, 7)}-01`, 1), -1).slice(-2));

/** Rules for a day of the month: by date, by weekday from the start or the end, or as the last day. */
export function monthlyRules(day: string): Rule[] {
  const date = Number(day.slice(-2));
  const weekday = weekdayIn(day);
  const nth = Math.ceil(date / WEEK);
  const monthly: Rule = { ...EMPTY, freq: "MONTHLY" };
  return [
    { ...monthly, by_month_day: [date] },
    ...(nth < WEEK - 2 ? [{ ...monthly, by_day: [{ weekday, nth }] }] : []),
    ...(date + WEEK > lengthOfMonth(day) ? [{ ...monthly, by_day: [{ weekday, nth: -1 }] }] : []),
    ...(date >= LAST_DAYS ? [{ ...monthly, by_month_day: [-1] }] : []),
  ];
}

/** Common rules for a record that is due on this day. */
export const presetRules = (day: string): Rule[] => [
  EMPTY,
  { ...EMPTY, freq: "WEEKLY", by_day: onWeekdays(...WORKDAYS) },
  { ...EMPTY, freq: "WEEKLY", by_day: onWeekdays(weekdayIn(day)) },
  { ...EMPTY, freq: "WEEKLY", interval: 2, by_day: onWeekdays(weekdayIn(day)) },
  ...monthlyRules(day),
  { ...EMPTY, freq: "YEARLY", by_month: [Number(day.slice(5, 7))], by_month_day: [Number(day.slice(-2))] },
];

/** The rule with the days that it implies from its first day. */
export function withImpliedDays(rule: Rule, start: string): Rule {
  if (rule.by_day.length + rule.by_month_day.length + rule.by_month.length > 0) return rule;
  const [month, date] = start.split("-").slice(1).map(Number) as [number, number];
  if (rule.freq === "WEEKLY") return { ...rule, by_day: onWeekdays(weekdayIn(start)) };
  if (rule.freq === "MONTHLY") return { ...rule, by_month_day: [date] };
  return rule.freq === "YEARLY" ? { ...rule, by_month: [month], by_month_day: [date] } : rule;
}

export const withoutEnd = (rule: Rule): Rule => ({ ...rule, count: undefined, until: undefined });

export const isSameRule = (one: Rule, other: Rule): boolean => writeRule(one) === writeRule(other);

/** The rule with another unit. Its days do not apply to the new unit. */
export function withFrequency(rule: Rule, freq: RepeatFrequency, day: string): Rule {
  const { interval, count, until } = rule;
  const [first = EMPTY] = presetRules(day).filter((one) => one.freq === freq && !isSameRule(one, EMPTY));
  const days = freq === "WEEKLY" ? { ...EMPTY, freq, by_day: onWeekdays(weekdayIn(day)) } : first;
  return { ...(freq === "DAILY" ? EMPTY : days), interval, count, until };
}

/** Adds or removes a weekday; the last one cannot be removed. */
export function withWeekday(rule: Rule, weekday: number): Rule {
  const has = rule.by_day.some((one) => one.weekday === weekday);
  const others = rule.by_day.filter((one) => one.weekday !== weekday).map((one) => one.weekday);
  const next = has ? others : [...others, weekday].sort((a, b) => a - b);
  return next.length === 0 ? rule : { ...rule, by_day: onWeekdays(...next) };
}

/** Parses the rule of a record; undefined if it has none, or one that cannot be read. */
export function parseRepeatRule(text: string | null | undefined): Rule | undefined {
  if (!text) return undefined;
  try {
    return parseStoredRule(text);
  } catch {
    return undefined;
  }
}

type Start = { due: string; today: string; from: RepeatFrom };

const SHOWN_DAYS = 3;

/** The next three days of a rule; fewer if it ends before. */
export function upcomingDays(rule: Rule, { due, today, from }: Start): string[] {
  const after = due > today ? due : today;
  if (from === "due") return listOccurrences(rule, { anchor: due, after, limit: SHOWN_DAYS });
  const days: string[] = [];
  for (let done: string | undefined = today; days.length < SHOWN_DAYS; ) {
    done = nextDayAfterDone(rule, { done });
    if (done === undefined) break;
    days.push(done);
  }
  return days;
}

export const firstDayOfRule = (rule: Rule, today: string): string | undefined =>
  listOccurrences(rule, { anchor: today, after: addDays(today, -1), limit: 1 })[0];
