import { dayInZone, fullInstant } from "../../kit/dates.ts";
import { useTimezone } from "../../kit/time.tsx";

/** The time of a recent instant; with the date if it is not today. */
export function TimeOfDay({ at }: { at: string }) {
  const timeZone = useTimezone();
  const full = fullInstant(at, timeZone);
  const isToday = dayInZone(timeZone, at) === dayInZone(timeZone);
  const time = new Intl.DateTimeFormat("en", { timeStyle: "short", hourCycle: "h23", timeZone });
  return (
    <time dateTime={at} title={full}>
      {isToday ? time.format(new Date(at)) : full}
    </time>
  );
}
