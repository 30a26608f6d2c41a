import { Temporal } from "temporal-polyfill";
import { addDays, dayOf } from "../../contract/days.ts";
import type { Memory } from "../../contract/memory.ts";
import type { Remind } from "../../contract/remind.ts";
import { MAX_REMINDERS } from "../../contract/remind.ts";
import type { Clock } from "../memories/ages.ts";

type Planned = Pick<Memory, "due_date" | "due_time" | "remind">;

const MINUTE = { smallestUnit: "minute", roundingMode: "floor" } as const;

const localNow = ({ now, timezone }: Clock): Temporal.PlainDateTime =>
  Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timezone)
    .toPlainDateTime()
    .round(MINUTE);

/** The reminders with one more. Where there is no room, the earliest moment that has passed gives way. */
function withOne(remind: Remind | null, at: string, now: string): Remind {
  const others = (remind ?? []).filter((one) => !("at" in one && one.at === at));
  if (others.length < MAX_REMINDERS) return [...others, { at }];
  const passed = others.findIndex((one) => "at" in one && one.at <= now);
  return [...others.toSpliced(passed === -1 ? 0 : passed, 1), { at }];
}

const minuteOf = (time: Temporal.PlainDateTime) => time.toString({ smallestUnit: "minute" });

/** The change by which a record is reminded of again in an hour. */
export function inAnHour({ remind }: Planned, clock: Clock): { remind: Remind } {
  const now = localNow(clock);
  return { remind: withOne(remind, minuteOf(now.add({ hours: 1 })), minuteOf(now)) };
}

/** At this time of the morning a day begins for reminders without an hour. */
const MORNING = "09:00";

/**
 * The change by which a record is due tomorrow. One whose reminders do not follow its due date, or that has none, is reminded
 * of tomorrow, too.
 */
export function tomorrow(
  { due_date, due_time, remind }: Planned,
  clock: Clock,
): { due_date?: string; remind?: Remind } {
  const day = addDays(dayOf(clock.now, clock.timezone), 1);
  const follows = due_date !== null && (remind ?? []).some((one) => "before" in one);
  const at = `${day}T${due_time ?? MORNING}`;
  return {
    ...(due_date !== null && { due_date: day }),
    ...(!follows && { remind: withOne(remind, at, minuteOf(localNow(clock))) }),
  };
}
