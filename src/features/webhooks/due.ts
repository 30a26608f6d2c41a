import { addDays, dayOf, nextAtHour } from "../../contract/days.ts";
import { DUE_HOUR } from "../../contract/webhook-events.ts";

type Clock = { now: Date; timezone: string };

export type Announced = { due_day: string; due_at: string };

/** What has been announced by now: today from 8 in the morning on, and yesterday before. */
export function announcedBy(clock: Clock): Announced {
  const due_at = nextAtHour(DUE_HOUR, clock);
  return { due_day: addDays(dayOf(due_at, clock.timezone), -1), due_at };
}
