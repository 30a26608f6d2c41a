import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countOccurrences,
  firstOccurrence,
  listOccurrences,
  nextDayAfterDone,
} from "../../../src/contract/repeat/occurrences.ts";
import { rulesAsText, ruleWith, TODAY } from "./kit.ts";

// rules.txt: rules with their next ten days, computed by another implementation: dateutil 2.8.2 (rules.py), the
// python3-dateutil of Debian 12. Of the first week, dateutil applies BYSETPOS only to the days from the start on, where
// RFC 5545 takes the whole week: those rules begin with a week here.

const table = Object.values(
  import.meta.glob<string>("./rules.txt", { query: "?raw", import: "default", eager: true }),
)[0];
const rows = (table ?? "")
  .trim()
  .split("\n")
  .map((line) => line.split("|").map((part) => part.trim()) as [string, string, string, string]);

const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
const MOST = "9999-12-31";

describe("the days of a rule", () => {
  it.each(rows)("%s from %s, after %s: as dateutil says", (text, anchor, from, days) => {
    const after = from === "-" ? dayBefore(anchor) : from;
    const found = listOccurrences(ruleWith(text), { anchor, after, limit: 10 });
    expect(found.join(" ")).toBe(days);
  });

  const day = fc
    .integer({ min: -300, max: 3_000 })
    .map((days) => new Date(Date.UTC(2026, 10, 25 + days)).toISOString().slice(0, 10));

  it("go on where they stopped, and are counted", () => {
    fc.assert(
      fc.property(rulesAsText, day, (text, anchor) => {
        const rule = ruleWith(text);
        const after = dayBefore(anchor);
        const all = listOccurrences(rule, { anchor, after, limit: 12 });
        const [middle = anchor, last = anchor] = [all[5], all.at(-1)];
        if (all.length > 6)
          expect(listOccurrences(rule, { anchor, after: middle, limit: 6 })).toEqual(all.slice(6));
        expect(countOccurrences(rule, { anchor, after, until: last })).toBe(all.length);
        expect(listOccurrences(rule, { anchor, after, limit: 0 })).toEqual([]);
      }),
    );
  });

  it("are counted up to 999", () => {
    const daily = ruleWith("FREQ=DAILY");
    const span = { anchor: "1970-01-01", after: "2026-11-25" };
    expect(countOccurrences(daily, { ...span, until: "2026-12-25" })).toBe(30);
    expect(countOccurrences(daily, { ...span, until: MOST })).toBe(999);
    expect(countOccurrences(daily, { ...span, until: "2026-11-25" })).toBe(0);
    expect(countOccurrences(ruleWith("FREQ=DAILY;COUNT=7"), { ...span, until: MOST })).toBe(0);
  });

  it.each([
    // BYSETPOS chooses among the days of the whole week, also of the first one, and each day once.
    ["FREQ=WEEKLY;BYDAY=MO,WE,SU;BYSETPOS=2", ["2026-11-25", "2026-12-02", "2026-12-09"]],
    ["FREQ=MONTHLY;BYDAY=1MO;BYSETPOS=1,-1", ["2026-12-07", "2027-01-04", "2027-02-01"]],
    ["FREQ=DAILY;BYDAY=MO,TU;BYSETPOS=-1", ["2026-11-30", "2026-12-01", "2026-12-07"]],
    ["FREQ=DAILY;INTERVAL=2;BYDAY=FR;BYMONTHDAY=13", ["2028-10-13", "2029-04-13", "2030-09-13"]],
    // With and without an ordinal are both meant.
    ["FREQ=MONTHLY;BYDAY=MO,1TU;BYMONTH=12", ["2026-12-01", "2026-12-07", "2026-12-14"]],
  ])("%s from a Wednesday: %j", (text, days) => {
    const found = listOccurrences(ruleWith(text), { anchor: TODAY, after: dayBefore(TODAY), limit: 3 });
    expect(found).toEqual(days);
  });

  it("are found in bounded time, from 1970 on and with whatever rule", () => {
    const hard = [
      "FREQ=MONTHLY;BYMONTH=2",
      "FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31",
      "FREQ=YEARLY;INTERVAL=2;BYMONTH=2;BYMONTHDAY=29",
      "FREQ=DAILY;INTERVAL=773;BYMONTH=2;BYMONTHDAY=29",
      "FREQ=DAILY;INTERVAL=21;BYMONTH=2;BYMONTHDAY=29;BYDAY=FR",
      "FREQ=DAILY;INTERVAL=2;BYMONTH=2;BYMONTHDAY=29;COUNT=1000",
      "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;COUNT=1000",
      "FREQ=WEEKLY;INTERVAL=999;BYMONTH=2;BYDAY=MO",
      "FREQ=YEARLY;BYDAY=FR;BYMONTHDAY=13;BYSETPOS=3",
      "FREQ=DAILY;COUNT=1000",
    ].map(ruleWith);
    const begun = performance.now();
    for (let run = 0; run < 10; run += 1)
      for (const rule of hard) listOccurrences(rule, { anchor: "1969-11-30", after: "2026-11-25", limit: 3 });
    // About 100 ms on an idle machine.
    expect(performance.now() - begun).toBeLessThan(3_000);
  });

  it("stay within what was asked for, up to the year 9999", () => {
    fc.assert(
      fc.property(rulesAsText, (text) => {
        const span = { anchor: "0001-01-01", after: "9990-01-01", limit: 50 };
        const days = listOccurrences(ruleWith(text), span);
        expect([...days].sort()).toEqual(days);
        for (const one of days) expect(one > "9990-01-01" && one <= MOST).toBe(true);
      }),
    );
  });
});

describe("the first day of something that repeats", () => {
  it.each([
    ["FREQ=DAILY;INTERVAL=3", "2026-11-25"],
    ["FREQ=WEEKLY;INTERVAL=2", "2026-11-25"],
    ["FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "2026-11-27"],
    ["FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", "2026-12-01"],
    ["FREQ=MONTHLY;INTERVAL=6;BYMONTHDAY=15", "2026-12-15"],
    ["FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29", "2028-02-29"],
    ["FREQ=WEEKLY;BYDAY=TU;UNTIL=20261130", undefined],
  ])("%s: %s", (text, day) => {
    expect(firstOccurrence(ruleWith(text), { from: TODAY })).toBe(day);
  });
});

describe("the day after something was done", () => {
  it.each([
    ["FREQ=DAILY;INTERVAL=3", "2026-11-25", "2026-11-28"],
    ["FREQ=WEEKLY", "2026-11-25", "2026-12-02"],
    ["FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "2026-11-25", "2026-12-07"],
    ["FREQ=WEEKLY;BYDAY=MO", "2026-11-25", "2026-11-30"],
    ["FREQ=MONTHLY", "2027-01-31", "2027-02-28"],
    ["FREQ=MONTHLY;INTERVAL=3", "2026-11-30", "2027-02-28"],
    ["FREQ=YEARLY", "2028-02-29", "2029-02-28"],
    ["FREQ=MONTHLY;BYMONTHDAY=31", "2027-01-31", "2027-03-31"],
    ["FREQ=MONTHLY;BYDAY=1MO", "2026-11-25", "2026-12-07"],
    ["FREQ=DAILY;COUNT=1", "2026-11-25", "2026-11-26"],
    ["FREQ=DAILY;INTERVAL=3;UNTIL=20261127", "2026-11-25", undefined],
    ["FREQ=MONTHLY;UNTIL=20261224", "2026-11-25", undefined],
    ["FREQ=MONTHLY;UNTIL=20261225", "2026-11-25", "2026-12-25"],
  ])("%s, done on %s: %s", (text, done, next) => {
    expect(nextDayAfterDone(ruleWith(text), { done })).toBe(next);
  });
});
