import { expect, test } from "vitest";
import { parseStoredRule, writeRule } from "../../src/contract/repeat/rule.ts";
import { ruleText } from "../../src/contract/repeat/rule-text.ts";
import {
  firstDayOfRule,
  monthlyRules,
  parseRepeatRule,
  presetRules,
  upcomingDays,
  withFrequency,
  withWeekday,
} from "../src/features/records/repeat-form.ts";

const FRIDAY = "2026-11-27";

test("what is offered fits the day on which something is due", () => {
  expect(presetRules(FRIDAY).map((rule) => ruleText(rule))).toEqual([
    "every day",
    "every weekday",
    "every Friday",
    "every other Friday",
    "every month on the 27th",
    "every fourth Friday of the month",
    "every last Friday",
    "every year on 27 November",
  ]);
  expect(monthlyRules("2026-02-28").map((rule) => ruleText(rule))).toContain("every month on the last day");
  expect(monthlyRules("2026-05-29").map((rule) => ruleText(rule))).not.toContain(
    "every fifth Friday of the month",
  );
});

test("a rule of one's own keeps how often and its end when the unit changes", () => {
  const rule = parseStoredRule("FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,FR;COUNT=5");
  expect(writeRule(withFrequency(rule, "DAILY", FRIDAY))).toBe("FREQ=DAILY;INTERVAL=3;COUNT=5");
  expect(writeRule(withFrequency(rule, "WEEKLY", FRIDAY))).toBe("FREQ=WEEKLY;INTERVAL=3;BYDAY=FR;COUNT=5");
  expect(writeRule(withFrequency(rule, "MONTHLY", FRIDAY))).toBe(
    "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=27;COUNT=5",
  );
});

test("a weekday is added and removed, but never the last one", () => {
  const friday = parseStoredRule("FREQ=WEEKLY;BYDAY=FR");
  const both = withWeekday(friday, 0);
  expect(writeRule(both)).toBe("FREQ=WEEKLY;BYDAY=MO,FR");
  expect(writeRule(withWeekday(both, 4))).toBe("FREQ=WEEKLY;BYDAY=MO");
  expect(withWeekday(friday, 4)).toBe(friday);
});

test("the next days are counted from the due date, or from today when it is done", () => {
  const everyThird = parseStoredRule("FREQ=DAILY;INTERVAL=3");
  const start = { due: "2026-11-20", today: "2026-11-25" };
  expect(upcomingDays(everyThird, { ...start, from: "due" })).toEqual([
    "2026-11-26",
    "2026-11-29",
    "2026-12-02",
  ]);
  expect(upcomingDays(everyThird, { ...start, from: "done" })).toEqual([
    "2026-11-28",
    "2026-12-01",
    "2026-12-04",
  ]);
  const over = parseStoredRule("FREQ=DAILY;UNTIL=20261126");
  expect(upcomingDays(over, { ...start, from: "due" })).toEqual(["2026-11-26"]);
});

test("what has no day yet begins on the first day of its rule, which may be today", () => {
  expect(firstDayOfRule(parseStoredRule("FREQ=WEEKLY;BYDAY=WE"), "2026-11-25")).toBe("2026-11-25");
  expect(firstDayOfRule(parseStoredRule("FREQ=MONTHLY;BYMONTHDAY=1"), "2026-11-25")).toBe("2026-12-01");
});

test("a rule that is not understood is none", () => {
  expect(parseRepeatRule(null)).toBeUndefined();
  expect(parseRepeatRule("FREQ=SECONDLY")).toBeUndefined();
});
