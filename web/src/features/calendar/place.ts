import { parseDate, startOfWeek } from "@internationalized/date";
import { useSearchParams } from "wouter";
import { addDays, addMonths } from "../../kit/dates.ts";

// What the calendar shows, as its address says it: a day, and the month or the week around it.

export type View = "month" | "week";

const DAYS_A_WEEK = 7;

export type Range = {
  /** The weeks that are shown, each with its days. */
  weeks: string[][];
  first: string;
  last: string;
};

/** The first day of a week: a Sunday in one country, a Monday or a Saturday in another. */
export const weekStart = (day: string, locale = navigator.language): string =>
  startOfWeek(parseDate(day), locale).toString();

const weekFrom = (first: string) => Array.from({ length: DAYS_A_WEEK }, (_, more) => addDays(first, more));

/** The days that are shown: a week, or the weeks that a month has part of. */
export function rangeOf(day: string, view: View, locale = navigator.language): Range {
  const firstOfMonth = `${day.slice(0, 7)}-01`;
  const end = view === "week" ? day : addDays(addMonths(firstOfMonth, 1), -1);
  const weeks: string[][] = [];
  let first = weekStart(view === "week" ? day : firstOfMonth, locale);
  for (; first <= end; first = addDays(first, DAYS_A_WEEK)) weeks.push(weekFrom(first));
  return { weeks, first: weeks[0]?.[0] ?? day, last: addDays(first, -1) };
}

/** The same place in the next month or week, or in the one before. */
export const stepped = (day: string, view: View, by: 1 | -1): string =>
  view === "month" ? addMonths(day, by) : addDays(day, by * DAYS_A_WEEK);

/** A day that there is, within the years that have four digits. */
function isDay(text: string | null): text is string {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  try {
    return parseDate(text).toString() === text && text > "1000-12" && text < "9998-12";
  } catch {
    return false;
  }
}

/** The day and the view in the address, and how to change them. */
export function usePlace(today: string, usual: View) {
  const [search, setSearch] = useSearchParams();
  const asked = search.get("day");
  const wanted = search.get("view");
  const day = isDay(asked) ? asked : today;
  const view: View = wanted === "month" || wanted === "week" ? wanted : usual;
  const go = (next: { day?: string; view?: View }) =>
    setSearch({ ...{ view, day }, ...next }, { replace: true });
  return { day, view, go };
}
