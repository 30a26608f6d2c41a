import { formatDate, utcDate } from "../../kit/dates.ts";

// Headings of the calendar.

/** "November 2026" */
export const monthName = (day: string): string =>
  formatDate(utcDate(day), { timeZone: "UTC", month: "long", year: "numeric" });

/** "23 – 29 November 2026", "30 November – 6 December 2026" */
export function rangeName(first: string, last: string): string {
  const [from, to] = [utcDate(first), utcDate(last)];
  const isOneMonth = first.slice(0, 7) === last.slice(0, 7);
  const year = first.slice(0, 4) === last.slice(0, 4) ? {} : ({ year: "numeric" } as const);
  const start = formatDate(from, {
    timeZone: "UTC",
    day: "numeric",
    ...(!isOneMonth && { month: "long" }),
    ...year,
  });
  return `${start} – ${formatDate(to, { timeZone: "UTC", day: "numeric", month: "long", year: "numeric" })}`;
}

/** "Mon" */
export const weekdayName = (day: string): string =>
  formatDate(utcDate(day), { timeZone: "UTC", weekday: "short" });
