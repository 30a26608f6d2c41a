import { useMe } from "../queries.ts";

const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** How long ago an instant was, in words: "3 days ago", "just now". */
export function agoOf(at: string, now = Date.now()): string {
  const seconds = (new Date(at).getTime() - now) / 1000;
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length);
  return unit ? relative.format(Math.trunc(seconds / unit[1]), unit[0]) : "just now";
}

/** An instant, relative to now; the exact time in the person's time zone is in its title. */
export function Moment({ at }: { at: string }) {
  const timeZone = useMe()?.timezone;
  const exact = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "short", timeZone });
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {agoOf(at)}
    </time>
  );
}

const withYear = new Intl.DateTimeFormat("en", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** A calendar day, as "24 Dec 2026". */
export const Day = ({ day }: { day: string }) => (
  <time dateTime={day}>{withYear.format(new Date(`${day}T00:00:00Z`))}</time>
);
