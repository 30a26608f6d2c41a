import type ICAL from "ical.js";
import { addDays } from "../../../contract/days.ts";
import { listOccurrences } from "../../../contract/repeat/occurrences.ts";
import { type Rule, readRule } from "../../../contract/repeat/rule.ts";
import { type LocalTime, type TimeZones, toLocalTime } from "./calendar-times.ts";

// The rules of calendar files. Compared to records they also support excluded or added days, times and several rules.

/** What was understood of a repetition: a rule and its excluded days, with texts and notes about the rest. */
type CalendarRepetition = { rule?: Rule; leavesOut: string[]; texts: string[]; notes: string[] };

const NOTHING: CalendarRepetition = { leavesOut: [], texts: [], notes: [] };

/** A property as written in the file, with folded lines joined. */
const propertyLine = (property: ICAL.Property) => property.toICALString().replace(/\r?\n[ \t]/g, "");

const keepAsText = (text: string, why: string): CalendarRepetition => ({
  leavesOut: [],
  texts: [`Repeats: ${text}`],
  notes: [`${text}: ${why}. The record does not repeat, and the rule is in its text`],
});

/** The last day of a rule. If UNTIL has a time before that of the start, the last occurrence is on the day before. */
function lastDay({ until }: ICAL.Recur, component: ICAL.Component, start: LocalTime, zones: TimeZones) {
  if (!until) return undefined;
  const { day, time } = toLocalTime(until, component.getFirstProperty("dtstart"), zones);
  return time !== undefined && start.time !== undefined && time < start.time ? addDays(day, -1) : day;
}

function readDays(properties: readonly ICAL.Property[], zones: TimeZones): string[] {
  return properties.flatMap((property) =>
    (property.getValues() as ICAL.Time[]).map((time) => toLocalTime(time, property, zones).day),
  );
}

/** Rules that name weekdays, dates or months would change if the start moved to another day. */
const namesDays = ({ by_day, by_month_day, by_month, by_set_pos }: Rule) =>
  by_day.length + by_month_day.length + by_month.length + by_set_pos.length > 0;

/**
 * Reads how a component repeats.
 *
 * @param start its first day in the person's time zone, from which the rule counts
 */
export function readRepetition(
  component: ICAL.Component,
  start: LocalTime,
  zones: TimeZones,
): CalendarRepetition {
  const [property, ...others] = component.getAllProperties("rrule");
  const added = component.getAllProperties("rdate");
  if (!property)
    return added.length > 0
      ? keepAsText(added.map(propertyLine).join(", "), "a list of single dates is not a rule")
      : NOTHING;
  const text = [property, ...others, ...added].map(propertyLine).join(", ");
  if (others.length + added.length > 0) return keepAsText(text, "a record can have only one rule");
  const recur = property.getFirstValue() as ICAL.Recur;
  const until = lastDay(recur, component, start, zones);
  const open = propertyLine(property).replace(/;?UNTIL=[^;]*/i, "");
  const read = readRule(open, { today: "" });
  if ("problem" in read) return keepAsText(text, read.problem);
  if (start.moved !== 0 && namesDays(read.rule))
    return keepAsText(text, "its days are different in your time zone");
  const leavesOut = readDays(component.getAllProperties("exdate"), zones);
  return { rule: { ...read.rule, until }, leavesOut, texts: [], notes: [] };
}

const MAX_EXCLUDED = 1000;

/** The first day of a rule on or after a day that is not excluded; undefined if the rule has ended. */
export function firstDayFrom(
  rule: Rule,
  { anchor, from, leavesOut }: { anchor: string; from: string; leavesOut: readonly string[] },
) {
  const without = new Set(leavesOut);
  const limit = Math.min(without.size, MAX_EXCLUDED) + 1;
  return listOccurrences(rule, { anchor, after: addDays(from, -1), limit }).find((day) => !without.has(day));
}

/** Text and note about excluded days after `day`, because rules of records cannot exclude days. */
export function excludedDaysAfter(
  day: string,
  leavesOut: readonly string[],
): Pick<CalendarRepetition, "texts" | "notes"> {
  const ahead = leavesOut.filter((one) => one > day).sort();
  if (ahead.length === 0) return { texts: [], notes: [] };
  const days = ahead.join(", ");
  return {
    texts: [`Not on: ${days}`],
    notes: [`its rule skips these days, but the record will still come up on them: ${days}`],
  };
}
