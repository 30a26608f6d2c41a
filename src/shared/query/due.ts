import { addDays } from "../../contract/days.ts";
import { splitWords } from "../text/words.ts";
import { type DayRange, parseDayRange, toEnglish } from "./filter-dates.ts";
import { parseRelativeSpan } from "./relative-days.ts";

// The value of `due:`: a day, week, month or year, optionally with a comparison; overdue; none.

export type DueCondition = "overdue" | "none" | DayRange;

const COMPARED = /^([<>]=?)?\s*([\p{L}\p{N}][\p{L}\p{N}\s.,-]*)$/u;
const MAX_LENGTH = 40;
/** Sort before and after every day. */
const [BEGINNING_OF_TIME, END_OF_TIME] = ["", "~"];

/** The next day of this name, including today. */
function weekdayAhead(value: string, today: string): DayRange | undefined {
  const [name = "", ...others] = splitWords(value).map(({ text }) => text);
  const span = others.length === 0 ? parseRelativeSpan(today, ["this", name]) : undefined;
  if (!span || !("days" in span) || span.days.length !== 1) return undefined;
  const [day = today] = span.days;
  const from = day < today ? addDays(day, 7) : day;
  return { from, until: addDays(from, 1) };
}

const parseRange = (value: string, today: string): DayRange | undefined =>
  weekdayAhead(value, today) ?? parseDayRange(value, today);

function applyComparison(operator: string, { from, until }: DayRange): DayRange {
  if (operator === "<") return { from: BEGINNING_OF_TIME, until: from };
  if (operator === "<=") return { from: BEGINNING_OF_TIME, until };
  return operator === ">" ? { from: until, until: END_OF_TIME } : { from, until: END_OF_TIME };
}

/** Parses the value of `due:` relative to `today` (YYYY-MM-DD); undefined if it is not valid. */
export function parseDueFilter(value: string, today: string): DueCondition | undefined {
  if (value.length > MAX_LENGTH) return undefined;
  const condition = value.trim().toLowerCase();
  if (condition === "overdue" || condition === "none") return condition;
  const [, operator, days = ""] = COMPARED.exec(condition) ?? [];
  const range = parseRange(toEnglish(days), today);
  if (!range) return undefined;
  return operator === undefined ? range : applyComparison(operator, range);
}

export const isDueFilter = (value: string): boolean => parseDueFilter(value, "2026-01-31") !== undefined;

type Due = { due_date: string | null; due_time: string | null; isActive: boolean };

/** Whether a memory fulfils the condition. `now`: the person's local time, such as 2026-12-01T09:00. */
export function matchesDue(
  condition: DueCondition,
  { due_date, due_time, isActive }: Due,
  now: string,
): boolean {
  if (condition === "none") return due_date === null;
  if (due_date === null) return false;
  if (condition !== "overdue") return due_date >= condition.from && due_date < condition.until;
  const today = now.slice(0, "2026-12-01".length);
  return isActive && (due_time === null ? due_date < today : `${due_date}T${due_time}` <= now);
}
