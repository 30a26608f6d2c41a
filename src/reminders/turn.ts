import { lastAtHour, nextAtHour } from "../contract/days.ts";

/**
 * Whether a reminder's hour has come, and when it comes next. The hour counts however late it is handled, also after
 * midnight; but if the account is in another time zone now, where the clock has not struck since, it is waited for.
 *
 * @param at the instant that was waited for, which is not in the future
 */
export function turnOf(
  { hour, at }: { hour: number; at: string },
  clock: { now: Date; timezone: string },
): { hasCome: boolean; next: string } {
  return { hasCome: lastAtHour(hour, clock) >= at, next: nextAtHour(hour, clock) };
}
