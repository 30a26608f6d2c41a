import { addDays } from "../../src/contract/days.ts";
import type { Memory } from "../../src/contract/memory.ts";

// When the next reminder of a record is, found by looking at one instant after the other: slow, and hard to get wrong.

type Reminded = Pick<
  Memory,
  "status" | "deferred_until" | "due_date" | "due_time" | "remind" | "remind_until_done"
> & { trashed_at?: string | null };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockIn(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known) return known;
  const digits = "2-digit";
  const parts = { year: "numeric", month: digits, day: digits, hour: digits, minute: digits } as const;
  const made = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, hourCycle: "h23", ...parts });
  clocks.set(zone, made);
  return made;
}

/** What a clock on the wall shows: 2026-12-01T09:00. */
export const wall = (instant: number, zone: string): string =>
  clockIn(zone).format(instant).replace(" ", "T");

/** The first instant at which a clock shows this time. These tests have no reminders at times that are skipped. */
function instantOf(local: string, zone: string): number {
  const around = Date.parse(`${local}:00Z`);
  for (let instant = around - DAY; instant <= around + DAY; instant += 15 * MINUTE) {
    const minutes = Date.parse(`${local}:00Z`) - Date.parse(`${wall(instant, zone)}:00Z`);
    if (minutes >= 0 && minutes < 15 * MINUTE && wall(instant + minutes, zone) === local)
      return instant + minutes;
  }
  throw new Error(`${local} is skipped in ${zone}`);
}

const DURATION = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:0S)?)?$/;

function momentOf(
  one: NonNullable<Memory["remind"]>[number],
  { due_date, due_time }: Reminded,
  zone: string,
) {
  if ("at" in one) return [instantOf(one.at, zone)];
  if (due_date === null) return [];
  const [, days = 0, hours = 0, minutes = 0] = DURATION.exec(one.before) ?? [];
  const local = `${addDays(due_date, -Number(days))}T${due_time ?? "09:00"}`;
  return [instantOf(local, zone) - Number(hours) * HOUR - Number(minutes) * MINUTE];
}

const isByDay = (instant: number, zone: string) => {
  const time = wall(instant, zone).slice(11);
  return time >= "08:00" && time <= "22:00";
};

/** When a deferred record wakes, or undefined for one without reminders. */
function beginningOf({ status, deferred_until, trashed_at }: Reminded, zone: string): number | undefined {
  if (trashed_at) return undefined;
  if (status === "active") return Number.NEGATIVE_INFINITY;
  return status === "deferred" && deferred_until ? instantOf(`${deferred_until}T00:00`, zone) : undefined;
}

/** The next reminder after an instant. */
export function slowReminder(record: Reminded, zone: string, after: number): string | null {
  const wakes = beginningOf(record, zone);
  const { remind } = record;
  if (wakes === undefined || !remind?.length) return null;
  const moments = remind.flatMap((one) => momentOf(one, record, zone)).sort((a, b) => a - b);
  const iso = (instant: number) => new Date(instant).toISOString();
  for (const moment of moments) if (moment > after && moment >= wakes) return iso(moment);
  const last = moments.at(-1);
  if (last === undefined || !record.remind_until_done) return null;
  for (let moment = last + HOUR; ; moment += HOUR)
    if (moment > after && moment >= wakes && isByDay(moment, zone)) return iso(moment);
}

/** The next reminder after a journey: of those that had not come, the first one there. */
export function slowReminderAfterJourney(
  record: Reminded & { remind_at: string | null },
  { from, to, now }: { from: string; to: string; now: number },
): string | null {
  const { remind_at, remind } = record;
  if (remind_at === null || Date.parse(remind_at) <= now) return remind_at;
  const left = (remind ?? []).filter((one) =>
    momentOf(one, record, from).some((moment) => moment >= Date.parse(remind_at)),
  );
  return left.length > 0
    ? slowReminder({ ...record, remind: left }, to, Number.NEGATIVE_INFINITY)
    : slowReminder(record, to, now);
}
