import { expect, test } from "vitest";
import { shortInstant } from "../../web/src/kit/dates.ts";

test.for([
  ["today, by the clock of the zone", "2026-11-23T13:05:00Z", "Europe/Berlin", "14:05"],
  ["today in the zone, yesterday in UTC", "2026-11-22T23:30:00Z", "Europe/Berlin", "00:30"],
  ["yesterday", "2026-11-22T12:00:00Z", "UTC", "22 Nov"],
  ["a month with a long abbreviation", "2026-09-03T12:00:00Z", "UTC", "3 Sep"],
  ["another year", "2025-12-31T12:00:00Z", "UTC", "31 Dec 2025"],
] as const)("a short date: %s", ([, instant, timezone, words]) => {
  expect(shortInstant(instant, timezone, "2026-11-23")).toBe(words);
});
