import { lastAtHour, nextAtHour } from "../../contract/days.ts";

/**
 * Whether the hour (`at`) has come, and when it comes next. It counts however late it is handled, but not if the account
 * has moved to a time zone where that hour has not come yet.
 */
export function turnOf(
  { hour, at }: { hour: number; at: string },
  clock: { now: Date; timezone: string },
): { hasCome: boolean; next: string } {
  return { hasCome: lastAtHour(hour, clock) >= at, next: nextAtHour(hour, clock) };
}
