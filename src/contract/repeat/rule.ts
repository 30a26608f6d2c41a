import { isCivilDate } from "./day-numbers.ts";
import { everOccurs } from "./occurrences.ts";
import { FREQUENCIES, type Rule, type RuleDay, WEEKDAY_CODES } from "./shape.ts";

export type { Rule, RuleDay } from "./shape.ts";

export type ReadRuleResult = { rule: Rule; text: string } | { problem: string };

const MAX_BYTES = 500;
const MAX_INTERVAL = 1000;
const MAX_COUNT = 1000;
const PARTS = "FREQ INTERVAL BYDAY BYMONTHDAY BYMONTH BYSETPOS COUNT UNTIL WKST".split(" ");

/** A problem with a rule. Thrown only inside this file. */
class Problem extends Error {}

function reject(problem: string): never {
  throw new Problem(problem);
}

function splitParts(text: string): Map<string, string> {
  const parts = new Map<string, string>();
  for (const part of text.replace(/^RRULE:/, "").split(";")) {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(part) ?? [];
    if (/^DTSTART|^EXDATE|^RDATE|[\r\n]/.test(part))
      reject("Write only one rule, such as FREQ=MONTHLY;BYDAY=1MO: it starts on the due date");
    if (!value) reject(`Write “${excerpt(part)}” as NAME=VALUE, as in FREQ=MONTHLY;BYDAY=1MO`);
    if (/^BY(HOUR|MINUTE|SECOND)$/.test(name)) reject(`Leave out ${name}: the hour is the record's due_time`);
    if (!PARTS.includes(name))
      reject(`Leave out ${excerpt(name)}: a rule has only ${PARTS.slice(0, -1).join(", ")} and WKST`);
    if (parts.has(name)) reject(`Write ${name} only once`);
    parts.set(name, value);
  }
  return parts;
}

const excerpt = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

type Range = { name: string; max: number; isSigned?: boolean };

const rangeText = ({ max, isSigned }: Range) => (isSigned ? `1 to ${max} or -1 to -${max}` : `1 to ${max}`);

function readNumber(text: string, range: Range): number {
  const { name, max, isSigned } = range;
  const value = /^[+-]?\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value === 0 || value > max || value < (isSigned ? -max : 1))
    reject(`${name} must be a whole number from ${rangeText(range)}, not “${excerpt(text)}”`);
  return value;
}

const ascending = (values: readonly number[]) => [...new Set(values)].sort((a, b) => a - b);

const readNumbers = (text: string | undefined, range: Range) =>
  ascending(text?.split(",").map((one) => readNumber(one, range)) ?? []);

function readWeekday(code: string, name: string): number {
  const weekday = WEEKDAY_CODES.indexOf(code);
  if (weekday < 0)
    reject(`${name} must name weekdays as MO, TU, WE, TH, FR, SA or SU, not “${excerpt(code)}”`);
  return weekday;
}

/** Sort order: days that count from the end of a month or year come last. */
const sortRank = ({ nth = 0 }: RuleDay) => (nth < 0 ? 1000 + nth : nth);

function readDays(text: string | undefined, freq: Rule["freq"], hasMonths: boolean): RuleDay[] {
  const days = (text?.split(",") ?? []).map((one) => {
    const [, ordinal, code = one] = /^([+-]?\d+)(.*)$/s.exec(one) ?? [];
    const weekday = readWeekday(code, "BYDAY");
    if (ordinal === undefined) return { weekday, nth: undefined };
    if (freq !== "MONTHLY" && freq !== "YEARLY")
      reject(`BYDAY=${excerpt(one)} needs FREQ=MONTHLY or YEARLY: write BYDAY=${code} with ${freq}`);
    const max = freq === "YEARLY" && !hasMonths ? 53 : 5;
    return { weekday, nth: readNumber(ordinal, { name: "The number in BYDAY", max, isSigned: true }) };
  });
  const unique = new Map(days.map((day) => [writeRuleDay(day), day]));
  return [...unique.values()].sort((a, b) => sortRank(a) - sortRank(b) || a.weekday - b.weekday);
}

function readUntil(text: string | undefined, today: string): string | undefined {
  if (text === undefined) return undefined;
  const [, year = "", month = "", date = ""] = /^(\d{4})(\d\d)(\d\d)(?:T\d{6}Z?)?$/.exec(text) ?? [];
  if (!isCivilDate(Number(year), Number(month), Number(date)))
    reject(`UNTIL must be a day, such as UNTIL=20301231, not “${excerpt(text)}”`);
  const until = `${year}-${month}-${date}`;
  if (until < today)
    reject(`UNTIL is ${until}, which has passed: write a day from ${today} on, or leave UNTIL out`);
  return until;
}

function readFrequency(text: string | undefined): Rule["freq"] {
  const freq = FREQUENCIES.find((one) => one === text);
  if (freq) return freq;
  if (text === undefined) return reject("Say how often: FREQ=DAILY, WEEKLY, MONTHLY or YEARLY");
  return reject(`FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY, not “${excerpt(text)}”`);
}

function parseRule(text: string, today: string): Rule {
  const parts = splitParts(text);
  const freq = readFrequency(parts.get("FREQ"));
  const by_month = readNumbers(parts.get("BYMONTH"), { name: "BYMONTH", max: 12 });
  const interval = parts.get("INTERVAL");
  const count = parts.get("COUNT");
  if (count !== undefined && parts.has("UNTIL")) reject("Write either COUNT or UNTIL, not both");
  return {
    freq,
    interval: interval === undefined ? 1 : readNumber(interval, { name: "INTERVAL", max: MAX_INTERVAL }),
    by_month,
    by_month_day: readNumbers(parts.get("BYMONTHDAY"), { name: "BYMONTHDAY", max: 31, isSigned: true }),
    by_day: readDays(parts.get("BYDAY"), freq, by_month.length > 0),
    by_set_pos: readNumbers(parts.get("BYSETPOS"), { name: "BYSETPOS", max: 366, isSigned: true }),
    count: count === undefined ? undefined : readNumber(count, { name: "COUNT", max: MAX_COUNT }),
    until: readUntil(parts.get("UNTIL"), today),
    week_start: readWeekday(parts.get("WKST") ?? "MO", "WKST"),
  };
}

/** Rejects what RFC 5545 forbids, and rules without any day. */
function checkRule(rule: Rule): void {
  const { freq, by_day, by_month, by_month_day, by_set_pos } = rule;
  if (freq === "WEEKLY" && by_month_day.length > 0)
    reject("BYMONTHDAY needs FREQ=MONTHLY or YEARLY: with WEEKLY write BYDAY");
  if (by_set_pos.length > 0 && by_day.length + by_month.length + by_month_day.length === 0)
    reject("BYSETPOS chooses among days: name them with BYDAY, BYMONTHDAY or BYMONTH");
  if (!everOccurs(rule))
    reject(
      "No day fits this rule: write days that exist, such as BYMONTH=2;BYMONTHDAY=-1 for the last of February",
    );
}

const writeRuleDay = ({ weekday, nth }: RuleDay) => `${nth ?? ""}${WEEKDAY_CODES[weekday]}`;

/** The rule as stored: in a fixed order, without redundant parts. */
export function writeRule(rule: Rule): string {
  const { interval, by_month, by_month_day, by_day, by_set_pos, count, until, week_start } = rule;
  const parts: [string, string | number | undefined][] = [
    ["FREQ", rule.freq],
    ["INTERVAL", interval === 1 ? undefined : interval],
    ["BYMONTH", by_month.join()],
    ["BYMONTHDAY", by_month_day.join()],
    ["BYDAY", by_day.map(writeRuleDay).join()],
    ["BYSETPOS", by_set_pos.join()],
    ["COUNT", count],
    ["UNTIL", until?.replaceAll("-", "")],
    ["WKST", week_start === 0 ? undefined : WEEKDAY_CODES[week_start]],
  ];
  return parts.flatMap(([name, value]) => (value ? `${name}=${value}` : [])).join(";");
}

/**
 * Reads an RRULE (RFC 5545) without DTSTART, from YEARLY to DAILY, in any letter case, with or without the prefix `RRULE:`.
 * Takes bounded time.
 *
 * @param today the person's day: a rule that ended before it is rejected
 * @returns the rule and the text to store, or one sentence that says what to write instead
 */
export function readRule(text: string, { today }: { today: string }): ReadRuleResult {
  if (text.length > MAX_BYTES || new TextEncoder().encode(text).length > MAX_BYTES)
    return { problem: `Write a rule of at most ${MAX_BYTES} bytes` };
  try {
    const rule = parseRule(text.trim().toUpperCase(), today);
    checkRule(rule);
    return { rule, text: writeRule(rule) };
  } catch (error) {
    if (error instanceof Problem) return { problem: error.message };
    throw error;
  }
}

/** Parses a stored rule, which may have ended by now. Throws for a text that `readRule` never returns. */
export const parseStoredRule = (text: string): Rule => parseRule(text, "");
