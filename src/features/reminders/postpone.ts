import { Temporal } from "temporal-polyfill";
import { addDays, localDay } from "../../contract/days.ts";
import type { Memory } from "../../contract/memory.ts";
import { DEFAULT_REMINDER_TIME, MAX_REMINDERS, type ReminderList } from "../../contract/remind.ts";
import type { Clock } from "../memories/ages.ts";

type ReminderPlan = Pick<Memory, "due_date" | "due_time" | "remind">;

const MINUTE = { smallestUnit: "minute", roundingMode: "floor" } as const;

const localNow = ({ now, timezone }: Clock): Temporal.PlainDateTime =>
  Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timezone)
    .toPlainDateTime()
    .round(MINUTE);

/** Adds a reminder. At the limit, it replaces a past one, or else the first. */
function addReminder(remind: ReminderList | null, at: string, now: string): ReminderList {
  const others = (remind ?? []).filter((one) => !("at" in one && one.at === at));
  if (others.length < MAX_REMINDERS) return [...others, { at }];
  const passed = others.findIndex((one) => "at" in one && one.at <= now);
  return [...others.toSpliced(passed === -1 ? 0 : passed, 1), { at }];
}

const toMinute = (time: Temporal.PlainDateTime) => time.toString({ smallestUnit: "minute" });

export function remindInAnHour({ remind }: ReminderPlan, clock: Clock): { remind: ReminderList } {
  const now = localNow(clock);
  return { remind: addReminder(remind, toMinute(now.add({ hours: 1 })), toMinute(now)) };
}

/** Makes a record due tomorrow. Without a reminder relative to its due date, it gets one for tomorrow. */
export function postponeToTomorrow(
  { due_date, due_time, remind }: ReminderPlan,
  clock: Clock,
): { due_date?: string; remind?: ReminderList } {
  const day = addDays(localDay(clock.now, clock.timezone), 1);
  const hasRelativeReminder = due_date !== null && (remind ?? []).some((one) => "before" in one);
  const at = `${day}T${due_time ?? DEFAULT_REMINDER_TIME}`;
  return {
    ...(due_date !== null && { due_date: day }),
    ...(!hasRelativeReminder && { remind: addReminder(remind, at, toMinute(localNow(clock))) }),
  };
}
