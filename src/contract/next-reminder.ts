import { Temporal } from "temporal-polyfill";
import { startOfDay } from "./days.ts";
import type { LifeCycleStatus } from "./life-cycle.ts";
import { type ReminderList, reminderInstants } from "./remind.ts";

export type RemindableMemory = {
  due_date: string | null;
  due_time: string | null;
  remind: ReminderList | null;
  remind_until_done: boolean | null;
  status?: LifeCycleStatus;
  deferred_until?: string | null;
  trashed_at?: string | null;
};

const HOUR_MS = 3_600_000;
/** Reminders are only repeated between these hours of the day. */
const [FIRST_HOUR, LAST_HOUR] = [8, 22];
const HOURS_OF_TWO_DAYS = 48;

function isInDaytime(instant: number, zone: string): boolean {
  const { hour, minute } = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
  return hour >= FIRST_HOUR && (hour < LAST_HOUR || (hour === LAST_HOUR && minute === 0));
}

/** The first repetition after `after`: a whole number of hours after the last reminder, in the daytime. */
function nextRepetition(last: string, { zone, after }: { zone: string; after: string }): string | null {
  const start = Date.parse(last);
  const passed = Math.max(0, Math.floor(((Date.parse(after) || start) - start) / HOUR_MS));
  for (let hours = passed + 1; hours <= passed + HOURS_OF_TWO_DAYS; hours++) {
    const instant = start + hours * HOUR_MS;
    if (isInDaytime(instant, zone)) return new Date(instant).toISOString();
  }
  return null;
}

/** ISO 8601 writes years outside 0 to 9999 with a sign. */
const hasPlainYear = (instant: string) => instant >= "0";

/** The instant from which a memory may have reminders, empty for any time; undefined if it has none. */
function firstReminderInstant(
  { status = "active", deferred_until, trashed_at }: RemindableMemory,
  zone: string,
) {
  if (trashed_at) return undefined;
  if (status === "active") return "";
  return status === "deferred" && deferred_until ? startOfDay(deferred_until, zone) : undefined;
}

/**
 * The next reminder of a memory. A deferred memory has reminders from the day on which it becomes active again.
 *
 * @param after only reminders after this instant; empty for all
 * @returns an instant in UTC, or null if there is none
 */
export function nextReminder(
  record: RemindableMemory,
  { zone, after }: { zone: string; after: string },
): string | null {
  const earliest = firstReminderInstant(record, zone);
  const { due_date, due_time, remind, remind_until_done } = record;
  if (earliest === undefined || !remind) return null;
  const instants = reminderInstants(remind, { due_date, due_time, zone }).filter(hasPlainYear);
  const next = instants.find((instant) => instant > after && instant >= earliest);
  const last = instants.at(-1);
  if (next || !last || !remind_until_done) return next ?? null;
  const justBefore = earliest && new Date(Date.parse(earliest) - 1).toISOString();
  return nextRepetition(last, { zone, after: after > justBefore ? after : justBefore });
}

/**
 * The next reminder of a memory after its owner changed the time zone: the same reminder at the same local time. None is
 * sent twice. If its time has already passed there, it is sent immediately.
 */
export function reminderInNewZone(
  zone: string,
  record: RemindableMemory & { remind_at: string },
  { from, now }: { from: string; now: string },
): string | null {
  const { remind_at, due_date, due_time } = record;
  const left = (record.remind ?? []).filter((one) => {
    const [instant = ""] = reminderInstants([one], { due_date, due_time, zone: from });
    return instant >= remind_at;
  });
  return left.length > 0
    ? nextReminder({ ...record, remind: left }, { zone, after: "" })
    : nextReminder(record, { zone, after: now });
}
