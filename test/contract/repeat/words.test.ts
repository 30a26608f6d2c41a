import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findRepetition, readRepetition } from "../../../src/contract/repeat/find-repetition.ts";
import { ruleText } from "../../../src/contract/repeat/rule-text.ts";
import { ruleWith, TODAY } from "./kit.ts";

const WORKING_DAYS = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR";

describe("words of repetition", () => {
  it.each([
    ["every day", "FREQ=DAILY"],
    ["Daily", "FREQ=DAILY"],
    ["täglich", "FREQ=DAILY"],
    ["jeden Tag", "FREQ=DAILY"],
    ["every other day", "FREQ=DAILY;INTERVAL=2"],
    ["every second day", "FREQ=DAILY;INTERVAL=2"],
    ["jeden zweiten Tag", "FREQ=DAILY;INTERVAL=2"],
    ["every third day", "FREQ=DAILY;INTERVAL=3"],
    ["alle drei Tage", "FREQ=DAILY;INTERVAL=3"],
    ["every 14 days", "FREQ=DAILY;INTERVAL=14"],
    ["weekdays", WORKING_DAYS],
    ["on weekdays", WORKING_DAYS],
    ["every weekday", WORKING_DAYS],
    ["every working day", WORKING_DAYS],
    ["on business days", WORKING_DAYS],
    ["an Arbeitstagen", WORKING_DAYS],
    ["jeden Wochentag", WORKING_DAYS],
    ["every Monday to Friday", WORKING_DAYS],
    ["werktags", WORKING_DAYS],
    ["jeden Werktag", WORKING_DAYS],
    ["jeden Montag bis Freitag", WORKING_DAYS],
    ["weekends", "FREQ=WEEKLY;BYDAY=SA,SU"],
    ["every weekend", "FREQ=WEEKLY;BYDAY=SA"],
    ["every Monday", "FREQ=WEEKLY;BYDAY=MO"],
    ["each mon, wed & fri", "FREQ=WEEKLY;BYDAY=MO,WE,FR"],
    ["Mondays and Thursdays", "FREQ=WEEKLY;BYDAY=MO,TH"],
    ["jeden Montag", "FREQ=WEEKLY;BYDAY=MO"],
    ["jeden Dienstag und Donnerstag", "FREQ=WEEKLY;BYDAY=TU,TH"],
    ["montags und freitags", "FREQ=WEEKLY;BYDAY=MO,FR"],
    ["every week on Monday", "FREQ=WEEKLY;BYDAY=MO"],
    ["weekly", "FREQ=WEEKLY"],
    ["once a week", "FREQ=WEEKLY"],
    ["einmal pro Woche", "FREQ=WEEKLY"],
    ["every other Friday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"],
    ["every two weeks on Friday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"],
    ["fortnightly", "FREQ=WEEKLY;INTERVAL=2"],
    ["alle zwei Wochen", "FREQ=WEEKLY;INTERVAL=2"],
    ["alle 2 Wochen am Freitag", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"],
    ["jede zweite Woche", "FREQ=WEEKLY;INTERVAL=2"],
    ["every month", "FREQ=MONTHLY"],
    ["monthly on the 15th", "FREQ=MONTHLY;BYMONTHDAY=15"],
    ["every month on the 1st and 15th", "FREQ=MONTHLY;BYMONTHDAY=1,15"],
    ["on the 1st and 15th", "FREQ=MONTHLY;BYMONTHDAY=1,15"],
    ["am 1. und 15.", "FREQ=MONTHLY;BYMONTHDAY=1,15"],
    ["am 15. jedes Monats", "FREQ=MONTHLY;BYMONTHDAY=15"],
    ["monatlich am 15.", "FREQ=MONTHLY;BYMONTHDAY=15"],
    ["every 1st of the month", "FREQ=MONTHLY;BYMONTHDAY=1"],
    ["every 3rd", "FREQ=MONTHLY;BYMONTHDAY=3"],
    ["jeden 1.", "FREQ=MONTHLY;BYMONTHDAY=1"],
    ["every last day of the month", "FREQ=MONTHLY;BYMONTHDAY=-1"],
    ["am letzten Tag jedes Monats", "FREQ=MONTHLY;BYMONTHDAY=-1"],
    ["every month on the last weekday", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"],
    ["every first Monday", "FREQ=MONTHLY;BYDAY=1MO"],
    ["the first Monday of every month", "FREQ=MONTHLY;BYDAY=1MO"],
    ["jeden ersten Montag im Monat", "FREQ=MONTHLY;BYDAY=1MO"],
    ["jeden 1. Montag", "FREQ=MONTHLY;BYDAY=1MO"],
    ["every last Friday", "FREQ=MONTHLY;BYDAY=-1FR"],
    ["jeden letzten Freitag im Monat", "FREQ=MONTHLY;BYDAY=-1FR"],
    ["every second Friday of the month", "FREQ=MONTHLY;BYDAY=2FR"],
    ["every first and third Monday", "FREQ=MONTHLY;BYDAY=1MO,3MO"],
    ["every two months on the first Tuesday", "FREQ=MONTHLY;INTERVAL=2;BYDAY=1TU"],
    ["every quarter", "FREQ=MONTHLY;INTERVAL=3"],
    ["vierteljährlich", "FREQ=MONTHLY;INTERVAL=3"],
    ["halbjährlich", "FREQ=MONTHLY;INTERVAL=6"],
    ["every year", "FREQ=YEARLY"],
    ["every 24 December", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24"],
    ["every December 24th", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24"],
    ["jeden 24.12.", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24"],
    ["jährlich am 3. Mai", "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3"],
    ["am 3. Mai jedes Jahr", "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3"],
    ["every year on 1 January and 1 July", "FREQ=YEARLY;BYMONTH=1,7;BYMONTHDAY=1"],
    ["every year on the fourth Thursday of November", "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH"],
    ["every 29 February", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"],
    ["every Monday until 3 May", "FREQ=WEEKLY;BYDAY=MO;UNTIL=20270503"],
    ["täglich bis 3.5.2027", "FREQ=DAILY;UNTIL=20270503"],
    ["every Monday, 5 times", "FREQ=WEEKLY;BYDAY=MO;COUNT=5"],
    ["every Monday for 5 times.", "FREQ=WEEKLY;BYDAY=MO;COUNT=5"],
  ])("%s: %s", (text, rule) => {
    expect(readRepetition(text, { today: TODAY })).toEqual({ rule, from: "due" });
  });

  it.each([
    ["every 3 days after done", "FREQ=DAILY;INTERVAL=3"],
    ["every 6 months after it's done", "FREQ=MONTHLY;INTERVAL=6"],
    ["weekly after completion", "FREQ=WEEKLY"],
    ["alle drei Tage nach Erledigung", "FREQ=DAILY;INTERVAL=3"],
    ["alle 2 Wochen, nachdem es erledigt wurde", undefined],
    ["alle 2 Wochen nachdem es erledigt wurde", "FREQ=WEEKLY;INTERVAL=2"],
  ])("%s counts from when it was done", (text, rule) => {
    expect(readRepetition(text, { today: TODAY })).toEqual(rule && { rule, from: "done" });
  });

  it.each([
    ["every 2 weeks starting Monday", "2026-11-30"],
    ["every month from 1 January 2027", "2027-01-01"],
    ["alle 2 Wochen ab morgen", "2026-11-26"],
    ["jeden Tag ab 1.12.", "2026-12-01"],
  ])("%s begins on %s", (text, first) => {
    expect(readRepetition(text, { today: TODAY })?.first).toBe(first);
  });

  it.each([
    "",
    "every",
    "soon",
    "Monday",
    "every may",
    "every Monday call Ada",
    "call Ada every Monday",
    "biweekly",
    "bimonthly",
    "twice a week",
    "every second Monday",
    "jeden zweiten Montag",
    "every third Friday",
    "every morning",
    "jeden Morgen",
    "every Monday morning",
    "every Monday at 9",
    "every day 3 times",
    "every hour",
    "every 2000 days",
    "every 0 days",
    "every 30 February",
    "every 3 May and 4 June",
    "every Monday until 1 May 2026",
    "jeder so wie er will",
    `every Monday${" ".repeat(300)}`,
    "İ every Monday",
  ])("%j is not understood", (text) => {
    expect(readRepetition(text, { today: TODAY })).toBeUndefined();
  });

  it("are understood as the rule's text says them", () => {
    for (const rule of [
      "FREQ=DAILY;INTERVAL=3;UNTIL=20270503",
      WORKING_DAYS,
      "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR",
      "FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,FR;COUNT=7",
      "FREQ=MONTHLY;BYDAY=1MO",
      "FREQ=MONTHLY;BYDAY=2MO",
      "FREQ=MONTHLY;BYDAY=1MO,-1FR",
      "FREQ=MONTHLY;BYMONTHDAY=1,15",
      "FREQ=MONTHLY;BYMONTHDAY=-1",
      "FREQ=MONTHLY;INTERVAL=2;BYDAY=1TU",
      "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24",
      "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH",
    ])
      expect(readRepetition(ruleText(ruleWith(rule)), { today: TODAY })?.rule, rule).toBe(rule);
  });
});

describe("a repetition in a sentence", () => {
  it.each([
    ["every Monday write the report", "every Monday"],
    ["gym every Tuesday and Thursday", "every Tuesday and Thursday"],
    ["Each Tuesday and Thursday: gym", "Each Tuesday and Thursday"],
    ["water plants daily", "daily"],
    ["pay rent on the 1st and 15th", "on the 1st and 15th"],
    ["on the 1st and 15th pay rent", "on the 1st and 15th"],
    ["monthly on the 15th: pay", "monthly on the 15th"],
    ["every Monday, call Ada", "every Monday"],
    ["Jede Woche am Freitag Müll", "Jede Woche am Freitag"],
    ["täglich bis 3.12. lesen", "täglich bis 3.12."],
    ["choir on Mondays", "on Mondays"],
    ["every morning run", "every morning"],
  ])("%s: %s", (sentence, words) => {
    const found = findRepetition(sentence, { today: TODAY });
    expect(sentence.slice(found?.start, found?.end)).toBe(words);
  });

  it.each([
    "send the weekly report",
    "weekly report to Ada",
    "every 3rd customer gets a cake",
    "go to the 1st and 2nd floor",
    "call each other by Friday",
    "each may bring a cake",
    "see everyone Monday",
    "in jedem Fall",
    "am Montag Sport",
    "on the first Monday call Ada",
    "am 1. und 15. Dezember",
    "twice a week run",
  ])("%s: none", (sentence) => {
    expect(findRepetition(sentence, { today: TODAY })).toBeUndefined();
  });

  it("is looked for in any text", () => {
    const piece = fc.constantFrom(
      ..."every on the 1st 15. and , Monday jeden und month bis until 3 May 12. times after done \0 İ".split(
        " ",
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 5 }))), (words) => {
        const text = words.join(" ");
        const found = findRepetition(text, { today: TODAY });
        if (found) expect(text.slice(found.start, found.end).trim().length).toBeGreaterThan(4);
        expect(readRepetition(text, { today: TODAY })?.rule ?? "FREQ=").toMatch(/^FREQ=/);
      }),
    );
  });
});
