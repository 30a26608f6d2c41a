import { isDay } from "../../../contract/days.ts";
import { findRepetition } from "../../../contract/repeat/find-repetition.ts";
import { firstOccurrence } from "../../../contract/repeat/occurrences.ts";
import { parseStoredRule } from "../../../contract/repeat/rule.ts";
import { findTime, timeOfDaypart } from "../../../contract/repeat/time-phrase.ts";
import { readDay } from "../../when/day.ts";
import type { TaskSchedule } from "./task.ts";

// Todoist's phrases for dates and repetition (https://www.todoist.com/help/articles/introduction-to-recurring-dates),
// rewritten into those of this service where their meaning is certain.

const WEEKDAY = "(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?";
const PLACE = "(?:\\d(?:st|nd|rd|th)|first|second|third|fourth|fifth|last)";

const REWRITTEN: readonly [RegExp, string][] = [
  [/^ev(?:ery)?\s?!\s?/, "every "],
  [/^after (?=\d|an? )/, "every "],
  [/^ev /, "every "],
  [/^every last day\b/, "last day of every month"],
  [new RegExp(`^every (${PLACE} (?:${WEEKDAY}|workday))$`), "every $1 of the month"],
  [/\bending\b/, "until"],
];

/** "every! 3 days" and "after 3 days" count from completion. */
const FROM_DONE = /^(?:ev(?:ery)?\s?!|after (?=\d|an? ))/;

const ISO = /^(\d{4}-\d\d-\d\d)(?:[t ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?)?$/;
const CLOCK = /(?<![\d:])(\d{1,2}):([0-5]\d)(?![\d:])/;

/** Separates the time from the words. `isOpen`: the time could be in the morning or in the afternoon. */
function splitTime(lower: string) {
  const found = findTime(lower);
  const [whole = "", hour = "", minute = ""] = (!found && CLOCK.exec(lower)) || [];
  const at = found ?? { start: lower.indexOf(whole), end: lower.indexOf(whole) + whole.length };
  const due_time =
    found?.time ?? (whole && Number(hour) < 24 ? `${hour.padStart(2, "0")}:${minute}` : undefined);
  if (due_time === undefined) return { rest: lower, due_time };
  const rest = `${lower.slice(0, at.start)} ${lower.slice(at.end)}`.replace(/\s+/g, " ").trim();
  return { rest, due_time, isOpen: found?.other !== undefined };
}

export type TodoistSchedule = TaskSchedule & { isOpen?: boolean | undefined };

function readRepeated(words: string, today: string): TaskSchedule | undefined {
  const rewritten = REWRITTEN.reduce((text, [from, to]) => text.replace(from, to), words);
  const found = findRepetition(rewritten, { today });
  if (!found || found.start > 0 || found.end < rewritten.length) return undefined;
  const repeat_from = FROM_DONE.test(words) ? "done" : found.from;
  return {
    repeat: found.rule,
    repeat_from,
    due_date: found.first ?? firstOccurrence(parseStoredRule(found.rule), { from: today }) ?? today,
    due_time: found.daypart && timeOfDaypart(found.daypart),
  };
}

/**
 * Reads a date in Todoist's words: "2027-05-03", "5 Oct 2027 10:00", "every! 3 days at 9am".
 *
 * @param today the person's day, for dates without a year
 * @returns undefined unless all words are understood. `isOpen`: the time could be in the morning or in the afternoon
 */
export function parseTodoistSchedule(text: string, today: string): TodoistSchedule | undefined {
  const lower = text.trim().toLowerCase().replace(/\s+/g, " ");
  const [, day, time] = ISO.exec(lower) ?? [];
  if (day) return isDay(day) ? { due_date: day, due_time: time } : undefined;
  const { rest, due_time, isOpen } = splitTime(lower);
  if (rest === "") return due_time ? { due_date: today, due_time, isOpen } : undefined;
  const due_date = readDay(rest, today);
  if (due_date) return { due_date, due_time, isOpen };
  const repeating = readRepeated(rest, today);
  return repeating && { ...repeating, due_time: due_time ?? repeating.due_time, isOpen };
}
