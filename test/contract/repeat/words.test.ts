import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findRepetition, readRepetition } from "../../../src/contract/repeat/find-repetition.ts";
import { ruleText } from "../../../src/contract/repeat/rule-text.ts";
import { ruleWith, TODAY } from "./kit.ts";

const list = (texts: string) => texts.split("|");

/** Words for one rule. */
const says = (rule: string, ...words: string[]) => words.map((text) => [text, rule] as const);

const WORKING_DAYS = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR";

describe("words of repetition", () => {
  it.each([
    ...says("FREQ=DAILY", "every day", "Daily", "täglich", "jeden Tag"),
    ...says("FREQ=DAILY;INTERVAL=2", "every other day", "every second day", "jeden zweiten Tag"),
    ...says("FREQ=DAILY;INTERVAL=3", "every third day", "alle drei Tage"),
    ...says("FREQ=DAILY;INTERVAL=14", "every 14 days"),
    ...says(
      WORKING_DAYS,
      "weekdays",
      "on weekdays",
      "every weekday",
      "every working day",
      "on business days",
      "an Arbeitstagen",
      "jeden Wochentag",
      "every Monday to Friday",
      "werktags",
      "jeden Werktag",
      "jeden Montag bis Freitag",
    ),
    ...says("FREQ=WEEKLY;BYDAY=SA,SU", "weekends"),
    ...says("FREQ=WEEKLY;BYDAY=SA", "every weekend"),
    ...says("FREQ=WEEKLY;BYDAY=MO", "every Monday", "jeden Montag", "every week on Monday"),
    ...says("FREQ=WEEKLY;BYDAY=MO,WE,FR", "each mon, wed & fri"),
    ...says("FREQ=WEEKLY;BYDAY=MO,TH", "Mondays and Thursdays"),
    ...says("FREQ=WEEKLY;BYDAY=TU,TH", "jeden Dienstag und Donnerstag"),
    ...says("FREQ=WEEKLY;BYDAY=MO,FR", "montags und freitags"),
    ...says("FREQ=WEEKLY", "weekly", "once a week", "einmal pro Woche"),
    ...says(
      "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR",
      "every other Friday",
      "every two weeks on Friday",
      "alle 2 Wochen am Freitag",
    ),
    ...says("FREQ=WEEKLY;INTERVAL=2", "fortnightly", "alle zwei Wochen", "jede zweite Woche"),
    ...says("FREQ=MONTHLY", "every month"),
    ...says("FREQ=MONTHLY;BYMONTHDAY=15", "monthly on the 15th", "am 15. jedes Monats", "monatlich am 15."),
    ...says(
      "FREQ=MONTHLY;BYMONTHDAY=1,15",
      "every month on the 1st and 15th",
      "on the 1st and 15th",
      "am 1. und 15.",
    ),
    ...says("FREQ=MONTHLY;BYMONTHDAY=1", "every 1st of the month", "jeden 1."),
    ...says("FREQ=MONTHLY;BYMONTHDAY=3", "every 3rd"),
    ...says("FREQ=MONTHLY;BYMONTHDAY=-1", "every last day of the month", "am letzten Tag jedes Monats"),
    ...says("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "every month on the last weekday"),
    ...says(
      "FREQ=MONTHLY;BYDAY=1MO",
      "every first Monday",
      "the first Monday of every month",
      "jeden ersten Montag im Monat",
      "jeden 1. Montag",
    ),
    ...says("FREQ=MONTHLY;BYDAY=-1FR", "every last Friday", "jeden letzten Freitag im Monat"),
    ...says("FREQ=MONTHLY;BYDAY=2FR", "every second Friday of the month"),
    ...says("FREQ=MONTHLY;BYDAY=1MO,3MO", "every first and third Monday"),
    ...says("FREQ=MONTHLY;INTERVAL=2;BYDAY=1TU", "every two months on the first Tuesday"),
    ...says("FREQ=MONTHLY;INTERVAL=3", "every quarter", "vierteljährlich"),
    ...says("FREQ=MONTHLY;INTERVAL=6", "halbjährlich"),
    ...says("FREQ=YEARLY", "every year"),
    ...says(
      "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24",
      "every 24 December",
      "every December 24th",
      "jeden 24.12.",
    ),
    ...says("FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3", "jährlich am 3. Mai", "am 3. Mai jedes Jahr"),
    ...says("FREQ=YEARLY;BYMONTH=1,7;BYMONTHDAY=1", "every year on 1 January and 1 July"),
    ...says("FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "every year on the fourth Thursday of November"),
    ...says("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "every 29 February"),
    ...says("FREQ=WEEKLY;BYDAY=MO;UNTIL=20270503", "every Monday until 3 May"),
    ...says("FREQ=DAILY;UNTIL=20270503", "täglich bis 3.5.2027"),
    ...says("FREQ=WEEKLY;BYDAY=MO;COUNT=5", "every Monday, 5 times", "every Monday for 5 times."),
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
    ...list("every|soon|Monday|every may|every Monday call Ada|call Ada every Monday|biweekly"),
    ...list("bimonthly|twice a week|every second Monday|jeden zweiten Montag|every third Friday"),
    ...list("every morning|jeden Morgen|every Monday morning|every Monday at 9|every day 3 times"),
    ...list("every hour|every 2000 days|every 0 days|every 30 February|every 3 May and 4 June"),
    ...list("every Monday until 1 May 2026|jeder so wie er will|İ every Monday"),
    `every Monday${" ".repeat(300)}`,
  ])("%j is not understood", (text) => {
    expect(readRepetition(text, { today: TODAY })).toBeUndefined();
  });

  it("are understood as the rule's text says them", () => {
    for (const rule of [
      ...list("FREQ=DAILY;INTERVAL=3;UNTIL=20270503|FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
      ...list(
        "FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,FR;COUNT=7|FREQ=MONTHLY;BYDAY=2MO|FREQ=MONTHLY;BYDAY=1MO,-1FR",
      ),
      ...list("FREQ=MONTHLY;BYMONTHDAY=1,15|FREQ=MONTHLY;BYMONTHDAY=-1|FREQ=MONTHLY;INTERVAL=2;BYDAY=1TU"),
      ...list("FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24|FREQ=YEARLY;BYMONTH=11;BYDAY=4TH"),
      WORKING_DAYS,
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
    ...list("send the weekly report|weekly report to Ada|every 3rd customer gets a cake"),
    ...list("go to the 1st and 2nd floor|call each other by Friday|each may bring a cake"),
    ...list("see everyone Monday|in jedem Fall|am Montag Sport|on the first Monday call Ada"),
    ...list("am 1. und 15. Dezember|twice a week run"),
    ...list("see mondays.example.com|read daily.dev|file the weekly-report|pay the every day-care bill"),
    ...list("visit every Christmas market|return every Halloween costume"),
  ])("%s: none", (sentence) => {
    expect(findRepetition(sentence, { today: TODAY })).toBeUndefined();
  });

  it("is looked for in any text", () => {
    const words =
      "every on the 1st 15. and , Monday jeden und month bis until 3 May 12. times after done \0 İ";
    const piece = fc.constantFrom(...words.split(" "));
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
