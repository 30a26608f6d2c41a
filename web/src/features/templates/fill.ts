import { dayInZone } from "../../kit/dates.ts";

/** The time in a time zone, such as 09:05. */
const timeIn = (timezone: string, now: Date) =>
  new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).format(now);

/** Replaces `{date}` and `{time}` in a template's text or title. Other braces are kept. */
export function fillPlaceholders(text: string, timezone: string, now = new Date()): string {
  const values = { "{date}": () => dayInZone(timezone, now), "{time}": () => timeIn(timezone, now) };
  return text.replace(/\{(?:date|time)\}/g, (name) => values[name as keyof typeof values]());
}
