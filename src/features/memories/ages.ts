import { addDays, daysBetween, firstOfMonth, localDay, mondayOf, startOfDay } from "../../contract/days.ts";

// Date rules for records, in calendar days of the user's time zone unless stated otherwise.

export type StaleAfterDays = { commitment: number; blocker: number };

/** `remind_before`: default reminder for records with a due time, as a duration before it; null for none. */
export type Clock = { now: Date; timezone: string; remind_before?: string | null | undefined };

const WINDOW_DAYS = 30;
const DAY_MS = 86_400_000;

export const currentDay = ({ now, timezone }: Clock): string => localDay(now, timezone);

/** Calendar days from an instant to today; 0 for an instant in the future. */
export const daysSince = (instant: string, clock: Clock): number =>
  Math.max(0, daysBetween(localDay(instant, clock.timezone), currentDay(clock)));

/** Calendar days from creation to resolution, or null if not resolved. */
export const daysToResolve = (created: string, resolved: string | null, timezone: string): number | null =>
  resolved === null
    ? null
    : Math.max(0, daysBetween(localDay(created, timezone), localDay(resolved, timezone)));

/** Monday 00:00 of the user's week. */
export const weekStart = (clock: Clock): string => startOfDay(mondayOf(currentDay(clock)), clock.timezone);

/** The 1st 00:00 of the user's month. */
export const monthStart = (clock: Clock): string =>
  startOfDay(firstOfMonth(currentDay(clock)), clock.timezone);

/** 30 days ago, to the millisecond. */
export const windowStart = ({ now }: Clock): string =>
  new Date(now.getTime() - WINDOW_DAYS * DAY_MS).toISOString();

/** Records last touched before this instant have not changed for `days` days and are stale. */
export const staleBefore = (days: number, clock: Clock): string =>
  startOfDay(addDays(currentDay(clock), 1 - days), clock.timezone);

/** Mean days from creation to resolution, to one decimal; null if nothing was resolved. */
export const averageDays = (seconds: number, records: number): number | null =>
  records === 0 ? null : Math.round((seconds / records / 86_400) * 10) / 10;

/** The share of resolved records among those that left `active`, 0 to 1; null if none of these was closed: all were deferred. */
export const completionRate = (resolved: number, deferred: number, left: number): number | null =>
  left === deferred ? null : resolved / left;
