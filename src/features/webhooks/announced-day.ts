import { addDays, localDay, nextInstantAtHour } from "../../contract/days.ts";
import { DUE_EVENT_HOUR } from "../../contract/webhook-events.ts";

type Clock = { now: Date; timezone: string };

export type AnnouncedDay = { due_day: string; due_at: string };

/** `due_day`: the last announced day, which is today from 8:00 on. `due_at`: when the next day is announced. */
export function lastAnnouncedDay(clock: Clock): AnnouncedDay {
  const due_at = nextInstantAtHour(DUE_EVENT_HOUR, clock);
  return { due_day: addDays(localDay(due_at, clock.timezone), -1), due_at };
}
