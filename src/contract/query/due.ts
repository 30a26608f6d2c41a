import { addDays } from "../days.ts";
import { words } from "../text/words.ts";
import { type DayRange, inEnglish, rangeNamed } from "./filter-dates.ts";
import { spanFrom } from "./relative-days.ts";

// What `due:` says: a day, a week, a month or a year, alone or after a comparison; overdue; none.

export type AskedDue = "overdue" | "none" | DayRange;

const COMPARED = /^([<>]=?)?\s*([\p{L}\p{N}][\p{L}\p{N}\s.,-]*)$/u;
const MAX_LENGTH = 40;
/** Before and after every day. */
const [ALWAYS, NEVER] = ["", "~"];

/** The first day of this name from today on. */
function weekdayAhead(value: string, today: string): DayRange | undefined {
  const [name = "", ...others] = words(value).map(({ text }) => text);
  const span = others.length === 0 ? spanFrom(today, ["this", name]) : undefined;
  if (!span || !("days" in span) || span.days.length !== 1) return undefined;
  const [day = today] = span.days;
  const from = day < today ? addDays(day, 7) : day;
  return { from, until: addDays(from, 1) };
}

const rangeOf = (value: string, today: string): DayRange | undefined =>
  weekdayAhead(value, today) ?? rangeNamed(value, today);

function compared(operator: string, { from, until }: DayRange): DayRange {
  if (operator === "<") return { from: ALWAYS, until: from };
  if (operator === "<=") return { from: ALWAYS, until };
  return operator === ">" ? { from: until, until: NEVER } : { from, until: NEVER };
}

/** What is asked for, counted from `today` (YYYY-MM-DD); undefined if it is none of these. */
export function dueNamed(value: string, today: string): AskedDue | undefined {
  if (value.length > MAX_LENGTH) return undefined;
  const asked = value.trim().toLowerCase();
  if (asked === "overdue" || asked === "none") return asked;
  const [, operator, days = ""] = COMPARED.exec(asked) ?? [];
  const range = rangeOf(inEnglish(days), today);
  if (!range) return undefined;
  return operator === undefined ? range : compared(operator, range);
}

export const isDue = (value: string): boolean => dueNamed(value, "2026-01-31") !== undefined;

type Due = { due_date: string | null; due_time: string | null; isActive: boolean };

/** Whether a record is due as asked. `now`: the person's day and hour, as 2026-12-01T09:00. */
export function isDueAs(asked: AskedDue, { due_date, due_time, isActive }: Due, now: string): boolean {
  if (asked === "none") return due_date === null;
  if (due_date === null) return false;
  if (asked !== "overdue") return due_date >= asked.from && due_date < asked.until;
  const today = now.slice(0, "2026-12-01".length);
  return isActive && (due_time === null ? due_date < today : `${due_date}T${due_time}` <= now);
}
