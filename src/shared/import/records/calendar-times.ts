import ICAL from "ical.js";
import { Temporal } from "temporal-polyfill";
import { isDay } from "../../../contract/days.ts";

// Times of a calendar file as day and time in the person's time zone. Times without a zone are floating, as in records.

/** A day, and a time unless it is for the whole day. `moved`: by how many days the time zone shifts it. */
export type LocalTime = { day: string; time: string | undefined; moved: number };

export type TimeZones = { timezone: string; known: ReadonlyMap<string, ICAL.Timezone> };

/** The time zones defined in the file, whose names are arbitrary. */
export const readTimeZones = (texts: readonly string[]): Map<string, ICAL.Timezone> =>
  new Map(
    texts.flatMap((text): [string, ICAL.Timezone][] => {
      try {
        const zone = new ICAL.Timezone(new ICAL.Component(ICAL.parse(text)));
        return [[zone.tzid, zone]];
      } catch {
        // Times in this zone are then reported as unknown.
        return [];
      }
    }),
  );

const wallTime = (time: ICAL.Time) =>
  new Temporal.PlainDateTime(time.year, time.month, time.day, time.hour, time.minute, time.second);

function instantIn(time: ICAL.Time, zone: string, { known }: TimeZones): Temporal.Instant {
  const described = known.get(zone);
  try {
    return wallTime(time).toZonedDateTime(zone).toInstant();
  } catch {
    if (!described) throw new Error(`has a time in the zone ${zone}, which the file does not define`);
    const copy = time.clone();
    copy.zone = described;
    return Temporal.Instant.fromEpochMilliseconds(copy.toUnixTime() * 1000);
  }
}

const isUtc = (time: ICAL.Time) => time.zone === ICAL.Timezone.utcTimezone;

/** Converts the time of a property to the person's zone. Throws for an unknown zone and for years outside the range. */
export function toLocalTime(
  time: ICAL.Time,
  property: ICAL.Property | null | undefined,
  zones: TimeZones,
): LocalTime {
  const wall = wallTime(time);
  const day = wall.toPlainDate().toString();
  if (time.isDate) return { day, time: undefined, moved: 0 };
  const zone = isUtc(time) ? "UTC" : property?.getFirstParameter("tzid");
  const local = zone
    ? instantIn(time, zone, zones).toZonedDateTimeISO(zones.timezone).toPlainDateTime()
    : wall;
  const date = local.toPlainDate();
  if (!isDay(date.toString())) throw new Error("has a date outside the supported range");
  return {
    day: date.toString(),
    time: local.toPlainTime().toString({ smallestUnit: "minute" }),
    moved: wall.toPlainDate().until(date).days,
  };
}

/** The instant of a local time, or of the beginning of a day. */
export const toInstant = (
  { day, time = "00:00" }: Pick<LocalTime, "day" | "time">,
  timezone: string,
): string =>
  new Date(
    Temporal.PlainDateTime.from(`${day}T${time}`).toZonedDateTime(timezone).epochMilliseconds,
  ).toISOString();

/** `minutes` after the beginning of a day, as a local date and time; undefined outside the supported dates. */
export function minutesAfter(day: string, minutes: number): string | undefined {
  const start = Temporal.PlainDateTime.from(`${day}T00:00`);
  try {
    const at = start.add({ minutes }).toString().slice(0, 16);
    return isDay(at.slice(0, 10)) ? at : undefined;
  } catch {
    return undefined;
  }
}

/** Minutes from the beginning of a day to a time on any day. */
export const minutesFrom = (
  day: string,
  { day: other, time = "00:00" }: Pick<LocalTime, "day" | "time">,
): number =>
  Temporal.PlainDateTime.from(`${day}T00:00`)
    .until(`${other}T${time}`)
    .total({ unit: "minute", relativeTo: Temporal.PlainDate.from(day) });
