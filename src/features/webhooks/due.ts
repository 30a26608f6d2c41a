import { addDays, dayOf, nextAtHour } from "../../contract/days.ts";
import { DUE_HOUR } from "../../contract/webhook-events.ts";

type Clock = { now: Date; timezone: string };

export type Announced = { due_day: string; due_at: string };

/** `due_day`: the last announced day, which is today from 8:00 on. `due_at`: when the next day is announced. */
export function announcedBy(clock: Clock): Announced {
  const due_at = nextAtHour(DUE_HOUR, clock);
  return { due_day: addDays(dayOf(due_at, clock.timezone), -1), due_at };
}
