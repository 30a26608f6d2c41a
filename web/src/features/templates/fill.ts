import { dayIn } from "../../kit/dates.ts";

/** The time of day in a time zone, as `{time}` stands for it: 09:05. */
const timeIn = (timezone: string, now: Date) =>
  new Intl.DateTimeFormat("en-GB", {
    ...{ timeZone: timezone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  }).format(now);

/** A template's text or title with today's date for `{date}` and the time for `{time}`. What else is in braces stays. */
export function filled(text: string, timezone: string, now = new Date()): string {
  const values = { "{date}": () => dayIn(timezone, now), "{time}": () => timeIn(timezone, now) };
  return text.replace(/\{(?:date|time)\}/g, (name) => values[name as keyof typeof values]());
}
