import { MONTH_NAMES as MONTHS, WEEKDAY_NAMES as WEEKDAYS } from "../day-names.ts";
import type { REPEATS_FROM } from "../record-words.ts";
import type { Rule } from "./shape.ts";

const PLACES = ["first", "second", "third", "fourth", "fifth"];

type Frequency = Rule["freq"];
const UNITS: Record<Frequency, string> = { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year" };

const joinWords = (words: readonly string[], and = "and") =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${and} ${words.at(-1)}`;

const ENDINGS: Record<string, string> = { one: "st", two: "nd", few: "rd" };
const ordinals = new Intl.PluralRules("en", { type: "ordinal" });
const ordinal = (number: number) => `${number}${ENDINGS[ordinals.select(number)] ?? "th"}`;

/** "first", "last", "third last", "20th" */
function ordinalWord(nth: number): string {
  const place = PLACES[Math.abs(nth) - 1] ?? ordinal(Math.abs(nth));
  if (nth > 0) return place;
  return nth === -1 ? "last" : `${place} last`;
}

/** Positive numbers first: "1st and last". */
const inOrder = (numbers: readonly number[]) => [
  ...numbers.filter((number) => number > 0),
  ...numbers.filter((number) => number < 0).sort((a, b) => a - b),
];

const dateText = (date: number) => (date > 0 ? ordinal(date) : `${ordinalWord(date)} day`);
const datesText = ({ by_month_day }: Rule, and?: string) =>
  joinWords(inOrder(by_month_day).map(dateText), and);
const setPosText = ({ by_set_pos }: Rule) => joinWords(inOrder(by_set_pos).map(ordinalWord));
const monthsText = ({ by_month }: Rule) => joinWords(by_month.map((month) => MONTHS[month - 1] ?? ""));

/** "every month", "every other month", "every 3 months" */
const everyUnit = ({ freq, interval }: Rule) =>
  interval > 2
    ? `every ${interval} ${UNITS[freq]}s`
    : `every ${interval === 2 ? "other " : ""}${UNITS[freq]}`;

const weekdayCodes = ({ by_day }: Rule) => by_day.map(({ weekday }) => weekday).join("");
const isCounted = ({ by_day }: Rule) => by_day.some(({ nth }) => nth !== undefined);

/** "Monday and Thursday", "weekday", "day" */
function weekdayNames(rule: Rule, and?: string): string {
  const codes = weekdayCodes(rule);
  if (codes === "01234") return "weekday";
  if (codes === "0123456") return "day";
  const names = rule.by_day.map(({ weekday }) => WEEKDAYS[weekday] ?? "");
  return joinWords(names, and);
}

/** "first Monday", "first and third Monday", "first Monday and last Friday" */
function countedDays({ by_day }: Rule): string {
  const each = [...Map.groupBy(by_day, ({ weekday }) => weekday)].map(([weekday, days]) => {
    const nths = days.map(({ nth = 0 }) => nth);
    const counted = inOrder(nths).map(ordinalWord);
    return `${joinWords(nths.includes(0) ? ["each", ...counted] : counted)} ${WEEKDAYS[weekday] ?? ""}`;
  });
  return joinWords(each);
}

/** BYSETPOS of the days that BYDAY names: "last weekday", "first of Saturday and Sunday". */
function setPosDays(rule: Rule): string {
  const places = setPosText(rule);
  const isOneKind = !isCounted(rule) && (rule.by_day.length === 1 || weekdayCodes(rule).length >= 5);
  const name = weekdayNames(rule);
  return isOneKind && !name.includes(" ") ? `${places} ${name}` : `${places} of ${daysText(rule)}`;
}

const daysText = (rule: Rule) => (isCounted(rule) ? `the ${countedDays(rule)}` : weekdayNames(rule));

/** With BYDAY and BYMONTHDAY, a day has to fit both. */
function bothText(rule: Rule): string {
  const days = isCounted(rule) ? `the ${countedDays(rule)}` : weekdayNames(rule, "or");
  return `${days}, if it is the ${datesText(rule, "or")}`;
}

function weeklyText(rule: Rule): string {
  if (rule.by_day.length === 0) return everyUnit(rule);
  if (rule.by_set_pos.length > 0) return `${everyUnit(rule)} on the ${setPosDays(rule)}`;
  const isOneDay = rule.by_day.length === 1 && rule.interval === 2;
  return isOneDay ? `every other ${weekdayNames(rule)}` : `${everyUnit(rule)} on ${weekdayNames(rule)}`;
}

/** "Friday the 13th"; undefined unless the rule has one weekday and one date. */
function namedDate(rule: Rule): string | undefined {
  const [date] = rule.by_month_day;
  const isOne = rule.by_day.length === 1 && rule.by_month_day.length === 1 && !isCounted(rule);
  return isOne && date !== undefined && date > 0 ? `${weekdayNames(rule)} the ${ordinal(date)}` : undefined;
}

/** The days of a month or year, to follow "every month". */
function onDays(rule: Rule): string {
  const { by_day, by_month_day, by_set_pos } = rule;
  if (by_day.length > 0 && by_month_day.length > 0) {
    const both = namedDate(rule) ?? bothText(rule);
    return by_set_pos.length > 0 ? ` on the ${setPosText(rule)} of: ${both}` : ` on ${both}`;
  }
  if (by_month_day.length > 0) {
    const chosen = by_set_pos.length > 0 ? `${setPosText(rule)} of the ` : "";
    return ` on the ${chosen}${datesText(rule)}`;
  }
  if (by_day.length === 0) return "";
  if (by_set_pos.length > 0) return ` on the ${setPosDays(rule)}`;
  return isCounted(rule) ? ` on the ${countedDays(rule)}` : ` on each ${weekdayNames(rule)}`;
}

const inMonths = (rule: Rule) => (rule.by_month.length > 0 ? ` in ${monthsText(rule)}` : "");

/** "every Monday", "every Friday the 13th": the days alone, if the frequency adds nothing. */
function everyDay(rule: Rule): string | undefined {
  const { by_day, by_month_day, by_set_pos, interval } = rule;
  if (interval > 1 || by_day.length === 0 || by_set_pos.length > 0 || isCounted(rule)) return undefined;
  const days = by_month_day.length === 0 ? weekdayNames(rule) : namedDate(rule);
  return days && `every ${days}${inMonths(rule)}`;
}

function monthlyText(rule: Rule): string {
  const { by_month_day, by_set_pos, interval } = rule;
  if (interval > 1 || !isCounted(rule) || by_month_day.length + by_set_pos.length > 0)
    return `${everyUnit(rule)}${onDays(rule)}${inMonths(rule)}`;
  // "Every second Monday" is often understood as every other one.
  const mayBeOther = rule.by_day.length === 1 && Math.abs(rule.by_day[0]?.nth ?? 1) > 1;
  const ofMonth = mayBeOther && rule.by_month.length === 0 ? " of the month" : "";
  return `every ${countedDays(rule)}${ofMonth}${inMonths(rule)}`;
}

/** "29 February", "1 January and 1 July" */
function datesOfYear({ by_day, by_month, by_month_day, by_set_pos }: Rule): string {
  if (by_day.length + by_set_pos.length > 0 || by_month_day.some((date) => date < 0)) return "";
  return joinWords(by_month.flatMap((month) => by_month_day.map((date) => `${date} ${MONTHS[month - 1]}`)));
}

const isLeapDay = ({ interval, by_day, by_month, by_month_day }: Rule) =>
  interval === 1 && by_day.length === 0 && by_month.join() === "2" && by_month_day.join() === "29";

function yearlyText(rule: Rule): string {
  const dates = datesOfYear(rule);
  if (dates) return `${everyUnit(rule)} on ${dates}`;
  const days = onDays(rule);
  if (rule.by_month.length > 0) return `${everyUnit(rule)}${days}${inMonths(rule)}`;
  return `${everyUnit(rule)}${days}${rule.by_day.length > 0 ? " of the year" : days && " of each month"}`;
}

function dailyText(rule: Rule): string {
  const { by_day, by_month_day, interval } = rule;
  if (interval === 1 && by_month_day.length > 0)
    return monthlyText({ ...rule, by_set_pos: [], freq: "MONTHLY" });
  let days = by_day.length > 0 ? weekdayNames(rule, "or") : "";
  if (by_month_day.length > 0) days = days ? bothText(rule) : `the ${datesText(rule, "or")}`;
  return `${everyUnit(rule)}${inMonths(rule)}${days && `, if it is ${days}`}`;
}

function endText({ count, until }: Rule): string {
  if (count !== undefined) return count === 1 ? ", once" : `, ${count} times`;
  if (until === undefined) return "";
  const [year, month, date] = until.split("-").map(Number);
  return ` until ${date} ${MONTHS[(month ?? 1) - 1]} ${year}`;
}

const BY_FREQUENCY: Record<Frequency, (rule: Rule) => string> = {
  DAILY: dailyText,
  WEEKLY: (rule) => `${weeklyText(rule)}${inMonths(rule)}`,
  MONTHLY: monthlyText,
  YEARLY: yearlyText,
};

/**
 * A rule in English: "every first Monday", "every 3 days until 3 May 2027". 29 February is explained as every fourth year. The
 * start of the week is not mentioned. `from`: what it counts from, `due` by default.
 */
export function ruleText(rule: Rule, from?: (typeof REPEATS_FROM)[number] | null): string {
  const often = everyDay(rule) ?? BY_FREQUENCY[rule.freq](rule);
  return `${often}${from === "done" ? " after it was done" : ""}${isLeapDay(rule) ? " (every fourth year)" : ""}${endText(rule)}`;
}
