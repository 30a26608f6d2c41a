import { expect, test } from "vitest";
import {
  addDays,
  daysBetween,
  firstOfMonth,
  localDay,
  mondayOf,
  startOfDay,
} from "../../src/contract/days.ts";
import * as ages from "../../src/features/memories/ages.ts";

test.each([
  // instant, zone, day
  ["2026-11-20T09:59:59.999Z", "Pacific/Kiritimati", "2026-11-20"],
  ["2026-11-20T10:00:00.000Z", "Pacific/Kiritimati", "2026-11-21"],
  ["2026-11-20T10:59:59.999Z", "Pacific/Niue", "2026-11-19"],
  ["2026-11-20T11:00:00.000Z", "Pacific/Niue", "2026-11-20"],
  ["2026-11-20T18:14:59.999Z", "Asia/Kathmandu", "2026-11-20"],
  ["2026-11-20T18:15:00.000Z", "Asia/Kathmandu", "2026-11-21"],
])("%s in %s is %s", (instant, zone, day) => {
  expect(localDay(instant, zone)).toBe(day);
});

test.each([
  // day, zone, its first instant
  ["2026-11-21", "Pacific/Kiritimati", "2026-11-20T10:00:00.000Z"],
  ["2026-11-20", "Pacific/Niue", "2026-11-20T11:00:00.000Z"],
  ["2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00.000Z"],
  ["2026-03-30", "Europe/Berlin", "2026-03-29T22:00:00.000Z"],
  ["2026-10-25", "Europe/Berlin", "2026-10-24T22:00:00.000Z"],
  ["2026-10-26", "Europe/Berlin", "2026-10-25T23:00:00.000Z"],
  // Midnight does not exist on the day on which summer time begins here.
  ["2026-09-06", "America/Santiago", "2026-09-06T04:00:00.000Z"],
  // Midnight happens twice here: the day begins with the first.
  ["2026-11-01", "America/Havana", "2026-11-01T04:00:00.000Z"],
])("%s in %s begins at %s", (day, zone, instant) => {
  expect(startOfDay(day, zone)).toBe(instant);
});

test.each([
  ["2028-02-28", 1, "2028-02-29"],
  ["2028-02-29", 366, "2029-03-01"],
  ["2028-02-29", -1, "2028-02-28"],
  ["2026-12-31", 1, "2027-01-01"],
])("%s and %i days is %s", (day, days, other) => {
  expect(addDays(day, days)).toBe(other);
  expect(daysBetween(day, other)).toBe(days);
});

test.each([
  ["2026-11-16", "2026-11-16", "2026-11-01"],
  ["2026-11-22", "2026-11-16", "2026-11-01"],
  ["2026-11-23", "2026-11-23", "2026-11-01"],
  ["2027-01-01", "2026-12-28", "2027-01-01"],
  ["2028-02-29", "2028-02-28", "2028-02-01"],
])("%s is in the week of %s and the month of %s", (day, monday, first) => {
  expect(mondayOf(day)).toBe(monday);
  expect(firstOfMonth(day)).toBe(first);
});

test.each([
  // now, zone, week, month
  ["2026-11-16T10:59:59Z", "Pacific/Niue", "2026-11-09T11:00:00.000Z", "2026-11-01T11:00:00.000Z"],
  // A week and a month that summer time begins or ends in.
  ["2026-03-29T12:00:00Z", "Europe/Berlin", "2026-03-22T23:00:00.000Z", "2026-02-28T23:00:00.000Z"],
  ["2026-03-31T12:00:00Z", "Europe/Berlin", "2026-03-29T22:00:00.000Z", "2026-02-28T23:00:00.000Z"],
  ["2026-10-25T12:00:00Z", "Europe/Berlin", "2026-10-18T22:00:00.000Z", "2026-09-30T22:00:00.000Z"],
  ["2026-10-26T12:00:00Z", "Europe/Berlin", "2026-10-25T23:00:00.000Z", "2026-09-30T22:00:00.000Z"],
])("at %s in %s the week began at %s and the month at %s", (now, timezone, week, month) => {
  const clock = { now: new Date(now), timezone };
  expect(ages.weekStart(clock)).toBe(week);
  expect(ages.monthStart(clock)).toBe(month);
});

test.each([
  // since, now, zone, days
  ["2026-11-20T23:59:00Z", "2026-11-21T00:01:00Z", "UTC", 1],
  ["2026-11-20T23:59:00Z", "2026-11-21T00:01:00Z", "Pacific/Niue", 0],
  ["2026-11-20T09:59:00Z", "2026-11-20T10:01:00Z", "Pacific/Kiritimati", 1],
  // The day that has 23 hours, and the one that has 25.
  ["2026-03-28T23:30:00Z", "2026-03-29T22:30:00Z", "Europe/Berlin", 1],
  ["2026-10-24T22:30:00Z", "2026-10-25T22:30:00Z", "Europe/Berlin", 0],
  ["2026-10-24T22:30:00Z", "2026-10-25T23:30:00Z", "Europe/Berlin", 1],
  ["2028-02-28T12:00:00Z", "2028-03-01T12:00:00Z", "UTC", 2],
  // Created in the future: no age yet.
  ["2026-12-24T00:00:00Z", "2026-11-20T00:00:00Z", "UTC", 0],
])("from %s to %s in %s it is %i days", (since, now, timezone, days) => {
  expect(ages.daysSince(since, { now: new Date(now), timezone })).toBe(days);
});
