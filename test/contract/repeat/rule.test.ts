import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseStoredRule, readRule } from "../../../src/contract/repeat/rule.ts";
import { ruleText } from "../../../src/contract/repeat/rule-text.ts";
import { rulesAsText, ruleWith, TODAY } from "./kit.ts";

const read = (text: string) => readRule(text, { today: TODAY });

describe("a rule", () => {
  it.each([
    ["FREQ=DAILY", "FREQ=DAILY"],
    ["RRULE:FREQ=DAILY", "FREQ=DAILY"],
    [" rrule:freq=weekly;byday=fr,mo;wkst=mo;interval=01 ", "FREQ=WEEKLY;BYDAY=MO,FR"],
    ["BYDAY=+1MO,-1FR,1MO;FREQ=MONTHLY", "FREQ=MONTHLY;BYDAY=1MO,-1FR"],
    ["FREQ=MONTHLY;BYMONTHDAY=15,1,15", "FREQ=MONTHLY;BYMONTHDAY=1,15"],
    ["FREQ=WEEKLY;WKST=SU;COUNT=10", "FREQ=WEEKLY;COUNT=10;WKST=SU"],
    ["FREQ=DAILY;UNTIL=20261125", "FREQ=DAILY;UNTIL=20261125"],
    ["FREQ=DAILY;UNTIL=20270503T235959Z", "FREQ=DAILY;UNTIL=20270503"],
    ["FREQ=DAILY;UNTIL=20270503T100000", "FREQ=DAILY;UNTIL=20270503"],
    ["FREQ=YEARLY;BYMONTHDAY=29;BYMONTH=2;BYDAY=SU", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU"],
    ["FREQ=DAILY;INTERVAL=1000;COUNT=1000", "FREQ=DAILY;INTERVAL=1000;COUNT=1000"],
    ["FREQ=YEARLY;BYDAY=53MO", "FREQ=YEARLY;BYDAY=53MO"],
  ])("%s is read", (text, stored) => {
    expect(read(text)).toMatchObject({ text: stored });
    expect(read(stored)).toEqual(read(text));
  });

  it.each([
    ["", "Write “” as NAME=VALUE, as in FREQ=MONTHLY;BYDAY=1MO"],
    ["every day", "Write “EVERY DAY” as NAME=VALUE, as in FREQ=MONTHLY;BYDAY=1MO"],
    ["FREQ=", "Write “FREQ=” as NAME=VALUE, as in FREQ=MONTHLY;BYDAY=1MO"],
    ["INTERVAL=2", "Say how often: FREQ=DAILY, WEEKLY, MONTHLY or YEARLY"],
    ["FREQ=HOURLY", "FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY, not “HOURLY”"],
    ["FREQ=DAILY;BYHOUR=9", "Leave out BYHOUR: the hour is the record's due_time"],
    [
      "FREQ=YEARLY;BYWEEKNO=20",
      "Leave out BYWEEKNO: a rule has only FREQ, INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, COUNT, UNTIL and WKST",
    ],
    [
      "DTSTART:20261125\nRRULE:FREQ=DAILY",
      "Write only one rule, such as FREQ=MONTHLY;BYDAY=1MO: it starts on the due date",
    ],
    ["FREQ=DAILY;COUNT=2;UNTIL=20270101", "Write either COUNT or UNTIL, not both"],
    [
      "FREQ=DAILY;UNTIL=20261124",
      "UNTIL is 2026-11-24, which has passed: write a day from 2026-11-25 on, or leave UNTIL out",
    ],
    ["FREQ=DAILY;UNTIL=20270230", "UNTIL must be a day, such as UNTIL=20301231, not “20270230”"],
    ["FREQ=DAILY;UNTIL=soon", "UNTIL must be a day, such as UNTIL=20301231, not “SOON”"],
    ["FREQ=DAILY;INTERVAL=0", "INTERVAL must be a whole number from 1 to 1000, not “0”"],
    ["FREQ=DAILY;INTERVAL=1001", "INTERVAL must be a whole number from 1 to 1000, not “1001”"],
    ["FREQ=DAILY;COUNT=1000000000", "COUNT must be a whole number from 1 to 1000, not “1000000000”"],
    ["FREQ=DAILY;FREQ=DAILY", "Write FREQ only once"],
    ["FREQ=MONTHLY;BYDAY=1XX", "BYDAY must name weekdays as MO, TU, WE, TH, FR, SA or SU, not “XX”"],
    ["FREQ=MONTHLY;BYDAY=6MO", "The number in BYDAY must be a whole number from 1 to 5 or -1 to -5, not “6”"],
    ["FREQ=WEEKLY;BYDAY=1MO", "BYDAY=1MO needs FREQ=MONTHLY or YEARLY: write BYDAY=MO with WEEKLY"],
    ["FREQ=WEEKLY;BYMONTHDAY=1", "BYMONTHDAY needs FREQ=MONTHLY or YEARLY: with WEEKLY write BYDAY"],
    ["FREQ=MONTHLY;BYMONTHDAY=32", "BYMONTHDAY must be a whole number from 1 to 31 or -1 to -31, not “32”"],
    ["FREQ=YEARLY;BYMONTH=13", "BYMONTH must be a whole number from 1 to 12, not “13”"],
    ["FREQ=MONTHLY;BYSETPOS=1", "BYSETPOS chooses among days: name them with BYDAY, BYMONTHDAY or BYMONTH"],
    ...[
      "BYMONTH=2;BYMONTHDAY=30",
      "BYMONTH=4,6;BYMONTHDAY=31",
      "BYDAY=1MO;BYMONTHDAY=8",
      "BYDAY=MO;BYSETPOS=6",
    ].map((parts) => [
      `FREQ=MONTHLY;${parts}`,
      "No day fits this rule: write days that exist, such as BYMONTH=2;BYMONTHDAY=-1 for the last of February",
    ]),
    [`FREQ=DAILY;BYMONTH=${"1,".repeat(300)}1`, "Write a rule of at most 500 bytes"],
    ["ü".repeat(251), "Write a rule of at most 500 bytes"],
  ])("%s is refused with what to write instead", (text = "", problem) => {
    expect(read(text)).toEqual({ problem });
  });

  it("is read as it was written", () => {
    fc.assert(
      fc.property(rulesAsText, (text) => {
        const first = read(text);
        if ("problem" in first) throw new Error(first.problem);
        expect(read(first.text)).toEqual(first);
        expect(parseStoredRule(first.text)).toEqual(first.rule);
      }),
    );
  });

  it("that was stored is read when it is over, too", () => {
    expect(parseStoredRule("FREQ=DAILY;UNTIL=20010101").until).toBe("2001-01-01");
    expect(() => parseStoredRule("nonsense")).toThrow();
  });

  it("is read from any text, or the problem is named", () => {
    const piece = fc.constantFrom(
      ..."FREQ=DAILY ; BYDAY=MO COUNT=5 , = -1 99 ü \0 \n RRULE: UNTIL=20270101".split(" "),
    );
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(piece).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const answer = read(text);
        if ("problem" in answer) expect(answer.problem).toMatch(/^[A-Z].{10,}/s);
        else expect(answer.text).toMatch(/^FREQ=/);
      }),
    );
  });
});

describe("a rule in English", () => {
  it.each([
    ["FREQ=DAILY", "every day"],
    ["FREQ=DAILY;INTERVAL=2", "every other day"],
    ["FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR", "every weekday"],
    ["FREQ=DAILY;INTERVAL=2;BYMONTHDAY=31", "every other day, if it is the 31st"],
    ["FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every weekday"],
    ["FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU", "every day"],
    ["FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "every other Friday"],
    ["FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR", "every other week on Monday and Friday"],
    ["FREQ=WEEKLY;INTERVAL=3;BYDAY=FR", "every 3 weeks on Friday"],
    ["FREQ=MONTHLY;BYDAY=1MO", "every first Monday"],
    ["FREQ=MONTHLY;BYDAY=2MO", "every second Monday of the month"],
    ["FREQ=MONTHLY;BYDAY=1MO,3MO", "every first and third Monday"],
    ["FREQ=MONTHLY;BYDAY=-1FR", "every last Friday"],
    ["FREQ=MONTHLY;BYMONTHDAY=1,15", "every month on the 1st and 15th"],
    ["FREQ=MONTHLY;BYMONTHDAY=2,3,11,22,-1", "every month on the 2nd, 3rd, 11th, 22nd and last day"],
    ["FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR", "every Friday the 13th"],
    ["FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "every month on the last weekday"],
    ["FREQ=MONTHLY;INTERVAL=2;BYDAY=1TU", "every other month on the first Tuesday"],
    ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "every year on 29 February (every fourth year)"],
    ["FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29", "every 4 years on 29 February"],
    ["FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "every year on the fourth Thursday in November"],
    ["FREQ=YEARLY;BYDAY=20MO", "every year on the 20th Monday of the year"],
    ["FREQ=DAILY;INTERVAL=3;UNTIL=20270503", "every 3 days until 3 May 2027"],
    ["FREQ=WEEKLY;BYDAY=MO;COUNT=5", "every Monday, 5 times"],
    ["FREQ=WEEKLY;COUNT=1", "every week, once"],
  ])("%s: %s", (rule, text) => {
    expect(ruleText(ruleWith(rule))).toBe(text);
  });

  it("is given for every rule", () => {
    fc.assert(
      fc.property(rulesAsText, (text) => {
        expect(ruleText(ruleWith(text))).toMatch(/^every (?!.*(undefined|NaN| {2}| ,)).*[a-z\d)]$/);
      }),
    );
  });
});
