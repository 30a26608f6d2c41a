import { parseDate, startOfWeek } from "@internationalized/date";
import { useSearchParams } from "wouter";
import { addDays, addMonths } from "../../kit/dates.ts";

// The view of the calendar, as encoded in its URL: a day, and the month or week around it.

export type View = "month" | "week";

/** The choice between the views; the list is a screen of its own. */
export const VIEWS = { list: "Upcoming", month: "Month", week: "Week" } as const;

const DAYS_A_WEEK = 7;

export type CalendarRange = {
  /** The visible weeks, each with its days. */
  weeks: string[][];
  first: string;
  last: string;
};

/** The first day of the week of a day, which depends on the locale. */
export const weekStart = (day: string, locale = navigator.language): string =>
  startOfWeek(parseDate(day), locale).toString();

const weekDays = (first: string) => Array.from({ length: DAYS_A_WEEK }, (_, more) => addDays(first, more));

/** The visible days: a week, or all weeks that overlap a month. */
export function visibleRange(day: string, view: View, locale = navigator.language): CalendarRange {
  const firstOfMonth = `${day.slice(0, 7)}-01`;
  const end = view === "week" ? day : addDays(addMonths(firstOfMonth, 1), -1);
  const weeks: string[][] = [];
  let first = weekStart(view === "week" ? day : firstOfMonth, locale);
  for (; first <= end; first = addDays(first, DAYS_A_WEEK)) weeks.push(weekDays(first));
  return { weeks, first: weeks[0]?.[0] ?? day, last: addDays(first, -1) };
}

/** The day one month or week later or earlier. */
export const shiftDay = (day: string, view: View, by: 1 | -1): string =>
  view === "month" ? addMonths(day, by) : addDays(day, by * DAYS_A_WEEK);

/** Whether the text is a valid date, away from the limits of four-digit years. */
function isDay(text: string | null): text is string {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  try {
    return parseDate(text).toString() === text && text > "1000-12" && text < "9998-12";
  } catch {
    return false;
  }
}

/** Day and view from the URL, and a function that changes them. */
export function useCalendarView(today: string, usual: View) {
  const [search, setSearch] = useSearchParams();
  const asked = search.get("day");
  const wanted = search.get("view");
  const day = isDay(asked) ? asked : today;
  const view: View = wanted === "month" || wanted === "week" ? wanted : usual;
  const go = (next: { day?: string; view?: View }) => setSearch({ view, day, ...next }, { replace: true });
  return { day, view, go };
}
