import { nextInstantAtHour, previousInstantAtHour } from "../../contract/days.ts";

/** Whether the hour (`at`) has come, and when it comes next. After a change of time zone, it may not have come there yet. */
export function dailySchedule(
  { hour, at }: { hour: number; at: string },
  clock: { now: Date; timezone: string },
): { hasCome: boolean; next: string } {
  return { hasCome: previousInstantAtHour(hour, clock) >= at, next: nextInstantAtHour(hour, clock) };
}
