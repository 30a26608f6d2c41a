import { addDays, dayOf, daysBetween, firstOfMonth, mondayOf, startOfDay } from "../core/days.ts";

// The rules about time. All of them count calendar days in the user's time zone.

/** The types that go stale, each after the user's own number of days. */
export type StaleAfterDays = { commitment: number; blocker: number };

/** Whose clock it is. */
export type Clock = { now: Date; timezone: string };

const WINDOW_DAYS = 30;
const DAY_MS = 86_400_000;

/** The user's calendar day. */
export const todayOf = ({ now, timezone }: Clock): string => dayOf(now, timezone);

/** Full calendar days between an instant and today; 0 for an instant in the future. */
export const daysSince = (instant: string, clock: Clock): number =>
  Math.max(0, daysBetween(dayOf(instant, clock.timezone), todayOf(clock)));

/** Calendar days from creation to resolution, or null for what is not resolved. */
export const daysToResolve = (created: string, resolved: string | null, timezone: string): number | null =>
  resolved === null ? null : Math.max(0, daysBetween(dayOf(created, timezone), dayOf(resolved, timezone)));

/** How many days a due date has passed; 0 or less means that it is not overdue. Due today is not overdue. */
export const daysOverdue = (dueDate: string, today: string): number => daysBetween(dueDate, today);

/** Monday 00:00 of the user's week. */
export const weekStart = (clock: Clock): string => startOfDay(mondayOf(todayOf(clock)), clock.timezone);

/** The 1st 00:00 of the user's month. */
export const monthStart = (clock: Clock): string => startOfDay(firstOfMonth(todayOf(clock)), clock.timezone);

/** The beginning of the last 30 days, to the millisecond. */
export const windowStart = ({ now }: Clock): string =>
  new Date(now.getTime() - WINDOW_DAYS * DAY_MS).toISOString();

/** What was touched before this instant has been left alone for so many days: it is stale. */
export const staleBefore = (days: number, clock: Clock): string =>
  startOfDay(addDays(todayOf(clock), 1 - days), clock.timezone);

/** Mean of created → resolved in days, one decimal; null when nothing was resolved. */
export const averageDays = (seconds: number, records: number): number | null =>
  records === 0 ? null : Math.round((seconds / records / 86_400) * 10) / 10;

/** Resolved among all that left `active`, 0 to 1; null when nothing did. */
export const completionRate = (resolved: number, left: number): number | null =>
  left === 0 ? null : resolved / left;
