import ICAL from "ical.js";
import { MAX_LEAD_DAYS, type Reminder } from "../../../contract/reminder-text.ts";
import { type LocalTime, minutesAfter, minutesFrom, type TimeZones, toLocalTime } from "./calendar-times.ts";

// Alarms of calendar files as reminders. Records due on a day without a time are reminded from 9:00 (contract/remind.ts).

const MINUTES_PER_DAY = 1440;

type AlarmContext = {
  due: LocalTime;
  start: LocalTime | undefined;
  end: LocalTime | undefined;
  zones: TimeZones;
};

/** A reminder `minutes` after the beginning of the due day; undefined outside the supported dates. */
function reminderAt(minutes: number, { day, time }: LocalTime): Reminder | undefined {
  const before = minutesFrom(day, { day, time: time ?? "09:00" }) - minutes;
  if (before < 0 || before > MAX_LEAD_DAYS * MINUTES_PER_DAY) {
    const at = minutesAfter(day, minutes);
    return at === undefined ? undefined : { at };
  }
  if (before % MINUTES_PER_DAY === 0 && before > 0) return { before: `P${before / MINUTES_PER_DAY}D` };
  return { before: before === 0 ? "PT0S" : `PT${before}M` };
}

function readAlarm(alarm: ICAL.Component, { due, start, end, zones }: AlarmContext): Reminder | undefined {
  const trigger = alarm.getFirstProperty("trigger");
  const value = trigger?.getFirstValue();
  if (value instanceof ICAL.Time) {
    const { day, time = "09:00" } = toLocalTime(value, trigger, zones);
    return { at: `${day}T${time}` };
  }
  if (!(value instanceof ICAL.Duration)) return undefined;
  const isFromEnd = trigger?.getFirstParameter("related")?.toUpperCase() === "END";
  const from = (isFromEnd ? end : start) ?? due;
  const minutes = minutesFrom(due.day, from) + Math.round(value.toSeconds() / 60);
  return reminderAt(minutes, due);
}

/** The reminders of a component, with notes about alarms that could not be converted. */
export function readAlarms(
  component: ICAL.Component,
  context: AlarmContext,
): { remind: Reminder[]; notes: string[] } {
  const alarms = component.getAllSubcomponents("valarm");
  const remind = alarms.map((alarm) => readAlarm(alarm, context));
  const unread = remind.filter((one) => one === undefined).length;
  const repeated = alarms.some((alarm) => alarm.hasProperty("repeat"));
  return {
    remind: remind.flatMap((one) => one ?? []),
    notes: [
      ...(unread > 0 ? [`${unread} of its alarms have no time and were not imported`] : []),
      ...(repeated ? ["its alarms go off once instead of several times"] : []),
    ],
  };
}
