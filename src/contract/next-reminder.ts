import { Temporal } from "temporal-polyfill";
import { startOfDay } from "./days.ts";
import type { Status } from "./life-cycle.ts";
import { instantsOf, type Remind } from "./remind.ts";

export type Reminded = {
  due_date: string | null;
  due_time: string | null;
  remind: Remind | null;
  remind_until_done: boolean | null;
  status?: Status;
  deferred_until?: string | null;
  trashed_at?: string | null;
};

const HOUR_MS = 3_600_000;
/** Between these hours of the day a reminder comes again. */
const [FIRST_HOUR, LAST_HOUR] = [8, 22];
const HOURS_OF_TWO_DAYS = 48;

function isByDay(instant: number, zone: string): boolean {
  const { hour, minute } = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
  return hour >= FIRST_HOUR && (hour < LAST_HOUR || (hour === LAST_HOUR && minute === 0));
}

/** The first full hour by day since the last reminder that is after `after`. */
function againAfter(last: string, { zone, after }: { zone: string; after: string }): string | null {
  const start = Date.parse(last);
  const passed = Math.max(0, Math.floor(((Date.parse(after) || start) - start) / HOUR_MS));
  for (let hours = passed + 1; hours <= passed + HOURS_OF_TWO_DAYS; hours++) {
    const instant = start + hours * HOUR_MS;
    if (isByDay(instant, zone)) return new Date(instant).toISOString();
  }
  return null;
}

/** Years beyond 0 to 9999 begin with a sign. */
const isOfOurTime = (instant: string) => instant >= "0";

/** The instant before which a record reminds of nothing; undefined for one that never does. */
function beginningOf({ status = "active", deferred_until, trashed_at }: Reminded, zone: string) {
  if (trashed_at) return undefined;
  if (status === "active") return "";
  return status === "deferred" && deferred_until ? startOfDay(deferred_until, zone) : undefined;
}

/**
 * When somebody is next reminded of a record. A deferred one reminds from the day on which it wakes.
 *
 * @param after the reminders after this instant; empty for all
 * @returns an instant in UTC, or null if there is none
 */
export function nextReminder(
  record: Reminded,
  { zone, after }: { zone: string; after: string },
): string | null {
  const beginning = beginningOf(record, zone);
  const { due_date, due_time, remind, remind_until_done } = record;
  if (beginning === undefined || !remind) return null;
  const instants = instantsOf(remind, { due_date, due_time, zone }).filter(isOfOurTime);
  const next = instants.find((instant) => instant > after && instant >= beginning);
  const last = instants.at(-1);
  if (next || !last || !remind_until_done) return next ?? null;
  const justBefore = beginning && new Date(Date.parse(beginning) - 1).toISOString();
  return againAfter(last, { zone, after: after > justBefore ? after : justBefore });
}

/**
 * The next reminder of a record after its person has come to another time zone: the one that was next, at the same time of
 * the day there. None comes twice, and one whose time has passed there comes at once.
 */
export function reminderMovedTo(
  zone: string,
  record: Reminded & { remind_at: string },
  { from, now }: { from: string; now: string },
): string | null {
  const { remind_at, due_date, due_time } = record;
  const left = (record.remind ?? []).filter((one) => {
    const [instant = ""] = instantsOf([one], { due_date, due_time, zone: from });
    return instant >= remind_at;
  });
  return left.length > 0
    ? nextReminder({ ...record, remind: left }, { zone, after: "" })
    : nextReminder(record, { zone, after: now });
}
