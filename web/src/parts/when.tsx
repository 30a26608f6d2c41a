import { useMe } from "../queries.ts";

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

/** An instant as people say it: "now", "5 minutes ago", "in 3 days". */
export function agoOf(at: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000);
  const [unit, length] = STEPS.find(([, step]) => Math.abs(seconds) >= step) ?? ["second", 1];
  return unit === "second"
    ? RELATIVE.format(0, "second")
    : RELATIVE.format(Math.trunc(seconds / length), unit);
}

/** An instant with its day and time, in the person's time zone. */
export const dateTimeOf = (at: string, timeZone: string | undefined) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "short", timeZone }).format(
    new Date(at),
  );

/** An instant's time of the day; with the day when it was not today. */
export function timeOf(at: string, timeZone: string | undefined): string {
  const day = (instant: Date) =>
    new Intl.DateTimeFormat("sv", { dateStyle: "short", timeZone }).format(instant);
  const isToday = day(new Date(at)) === day(new Date());
  const style: Intl.DateTimeFormatOptions = isToday
    ? { timeStyle: "short" }
    : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(undefined, { ...style, timeZone }).format(new Date(at));
}

/** When something happened: relative, with the date and time on hover. */
export function When({ at }: { at: string }) {
  const me = useMe();
  return (
    <time dateTime={at} title={dateTimeOf(at, me?.timezone)}>
      {agoOf(at)}
    </time>
  );
}
