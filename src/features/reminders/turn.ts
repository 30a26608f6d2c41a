import { lastAtHour, nextAtHour } from "../../contract/days.ts";

/**
 * Whether the hour (`at`) has come, and when it comes next. It counts however late it is handled, but in another zone,
 * where the clock has not struck since, it is waited for.
 */
export function turnOf(
  { hour, at }: { hour: number; at: string },
  clock: { now: Date; timezone: string },
): { hasCome: boolean; next: string } {
  return { hasCome: lastAtHour(hour, clock) >= at, next: nextAtHour(hour, clock) };
}
