import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findDay, readDay } from "../../src/shared/when/day.ts";
import { dayProblem } from "../../src/shared/when/day-problem.ts";
import { findRepetitions } from "../../src/shared/when/repetition.ts";
import {
  addDays,
  addMonths,
  dayInZone,
  daysBetween,
  dueText,
  fullDay,
  isoWeekday,
  relativeDay,
  relativeInstant,
  shortDay,
  shortInstant,
} from "../../web/src/kit/dates.ts";

/** A Saturday. */
const TODAY = "2026-11-21";

const day = fc.integer({ min: 0, max: 30_000 }).map((days) => addDays("2000-01-01", days));

describe("a typed day", () => {
  it("is understood", () => {
    for (const [phrase, expected] of [
      [" by  tomorrow ", "2026-11-22"],
      ["tmr", "2026-11-22"],
      ["day after tomorrow", "2026-11-23"],
      ["yesterday", "2026-11-20"],
      ["thurs", "2026-11-26"],
      ["sat", "2026-11-28"],
      ["sunday", "2026-11-22"],
      ["in 2 weeks", "2026-12-05"],
      ["2 weeks", "2026-12-05"],
      ["2w", "2026-12-05"],
      ["in 10d", "2026-12-01"],
      ["in three days", "2026-11-24"],
      ["a couple of weeks", "2026-12-05"],
      ["a week from now", "2026-11-28"],
      ["1 year", "2027-11-21"],
      ["next year", "2027-01-01"],
      ["end of the year", "2026-12-31"],
      ["eow", "2026-11-27"],
      ["weekend", "2026-11-21"],
      ["3.12.", "2026-12-03"],
      ["3.12", "2026-12-03"],
      ["3. 12.", "2026-12-03"],
      ["3.12.27", "2027-12-03"],
      ["03.12.2027", "2027-12-03"],
      ["21.11.", "2026-11-21"],
      ["20.11.", "2027-11-20"],
      ["3/12", "2026-12-03"],
      ["12/25", "2026-12-25"],
      ["2026-12-03", "2026-12-03"],
      ["3 dec", "2026-12-03"],
      ["3rd of December", "2026-12-03"],
      ["3. Dec.", "2026-12-03"],
      ["Dec 3, 2028", "2028-12-03"],
      ["december 3rd", "2026-12-03"],
      ["the 30th", "2026-11-30"],
      ["the 31st", "2026-12-31"],
      ["the 3rd", "2026-12-03"],
      ["january", "2027-01-01"],
      ["in march 2027", "2027-03-01"],
      ["29.2.", "2028-02-29"],
      ["before today", "2026-11-21"],
      ["am Freitag", "2026-11-27"],
      ["bis Montag", "2026-11-23"],
      ["diesen Samstag", "2026-11-28"],
      ["in 2 Wochen", "2026-12-05"],
      ["in drei Tagen", "2026-11-24"],
      ["3. Mai", "2027-05-03"],
      ["am 3. Mai 2028", "2028-05-03"],
      ["am 3.12.", "2026-12-03"],
      ["the day before yesterday", "2026-11-19"],
      ["last friday", "2026-11-20"],
      ["last Saturday", "2026-11-14"],
      ["previous Monday", "2026-11-16"],
      ["3 days ago", "2026-11-18"],
      ["gestern", "2026-11-20"],
      ["vorgestern", "2026-11-19"],
      ["letzten Freitag", "2026-11-20"],
      ["am letzten Montag", "2026-11-16"],
      ["vor zwei Wochen", "2026-11-07"],
      ["Ende des Monats", "2026-11-30"],
      ["last week", undefined],
      ["letzte Woche", undefined],
      ["Friday at 5", undefined],
      [`Friday${" ".repeat(2_000)}`, "2026-11-27"],
      [`Friday ${"x".repeat(2_000)}`, undefined],
    ] as const) {
      expect(readDay(phrase, TODAY), phrase).toBe(expected);
    }
  });

  it("is undefined where there is none", () => {
    const phrases =
      "|soon|31.2.|30 Feb|0.5.|13.13.|29.2.2027|in weeks|friday morning tea|9999 years|guten Morgen|31. April";
    for (const phrase of phrases.split("|")) {
      expect(readDay(phrase, TODAY), phrase).toBeUndefined();
    }
  });

  it("a weekday is the next one after today, on every day of every year", () => {
    const names = ["Monday", "tue", "wednesday", "thu", "Fri", "sat", "sunday"];
    fc.assert(
      fc.property(day, fc.integer({ min: 0, max: 6 }), (today, index) => {
        const found = readDay(names[index] ?? "", today) ?? "";
        expect(isoWeekday(found)).toBe(index + 1);
        expect(daysBetween(today, found)).toBeGreaterThanOrEqual(1);
        expect(daysBetween(today, found)).toBeLessThanOrEqual(7);
      }),
    );
  });

  it("a month is a month at its end too, and in leap years", () => {
    expect(readDay("in a month", "2027-01-31")).toBe("2027-02-28");
    expect(readDay("in a month", "2028-01-31")).toBe("2028-02-29");
    expect(readDay("in a year", "2028-02-29")).toBe("2029-02-28");
    expect(readDay("in 3 months", "2026-11-30")).toBe("2027-02-28");
    expect(addMonths("2026-03-31", -1)).toBe("2026-02-28");
  });

  it("every day is understood as it is written, with and without its year", () => {
    fc.assert(
      fc.property(day, day, (today, wanted) => {
        const [year, month, date] = wanted.split("-").map(Number);
        expect(readDay(wanted, today)).toBe(wanted);
        expect(readDay(`${date}.${month}.${year}`, today)).toBe(wanted);
        const next = readDay(`${date}.${month}.`, today) ?? "";
        expect(next.slice(5)).toBe(wanted.slice(5));
        expect(next >= today).toBe(true);
      }),
    );
  });

  it("no text makes it fail, and what it answers is a day", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), day, (text, today) => {
        const found = findDay(text, today);
        if (found) expect(text.slice(found.start, found.end).length).toBeGreaterThan(0);
        expect(readDay(text, today) ?? today).toMatch(/^\d{4}-\d\d-\d\d$/);
      }),
    );
  });
});

describe("a day in a sentence", () => {
  it("is found", () => {
    for (const [sentence, expected, words] of [
      ["send Grace the slides by Friday", "2026-11-27", "by Friday"],
      ["call tomorrow about the flat", "2026-11-22", "tomorrow"],
      ["send the Friday report by Monday", "2026-11-23", "by Monday"],
      ["tell Ada before Thursday that it works", "2026-11-25", "before Thursday"],
      ["pay the bill, due 3.12.", "2026-12-03", "due 3.12."],
      ["pay rent on 1 dec please", "2026-12-01", "on 1 dec"],
      ["renew in 2 weeks", "2026-12-05", "in 2 weeks"],
      ["dinner with Linus fri", "2026-11-27", "fri"],
      ["close the books by the 30th", "2026-11-30", "by the 30th"],
      ["taxes by end of month", "2026-11-30", "by end of month"],
      ["visa until March", "2027-03-01", "until March"],
      ["see you at the end of the month.", "2026-11-30", "at the end of the month"],
      ["bis Freitag Angebot schicken", "2026-11-27", "bis Freitag"],
      ["am 3.12. zum Zahnarzt", "2026-12-03", "am 3.12."],
      ["morgen Ada anrufen", "2026-11-22", "morgen"],
    ] as const) {
      const found = findDay(sentence, TODAY);
      expect(found?.day, sentence).toBe(expected);
      expect(sentence.slice(found?.start, found?.end)).toBe(words);
    }
  });

  it("is read beside a link, a quotation or inches", () => {
    for (const [sentence, expected] of [
      ["read https://example.com/a?b=2026-12-01 by Friday", "by Friday"],
      ['send "Monday" to Ada tomorrow', "tomorrow"],
      ['buy 5" pipe by Friday and 6" more', "by Friday"],
      ["don't forget Ada's slides by Friday", "by Friday"],
    ] as const) {
      const found = findDay(sentence, TODAY);
      expect(sentence.slice(found?.start, found?.end), sentence).toBe(expected);
    }
    expect(findDay("see mondays.example.com", TODAY)).toBeUndefined();
  });

  it("is none of the days on which something repeats", () => {
    for (const sentence of [
      "every Monday write the report",
      "write the report every other friday",
      "Each Tuesday and Thursday: gym",
      "every mon, wed & fri gym",
      "pay rent every 1st of the month",
      "water plants every 2 weeks",
      "every day tea",
      "every year on 3 December call Ada",
      "monthly on the 15th: pay",
      "weekly, on Friday, review",
      "choir on Mondays",
      "jeden Montag Bericht schreiben",
      "jede Woche am 3.12. backen",
      "jeden 24.12. anrufen",
      "täglich bis 3.12. lesen",
      "alle 2 Wochen Müll",
      "montags und freitags Sport",
      "twice a week run",
    ]) {
      expect(findDay(sentence, TODAY), sentence).toBeUndefined();
      expect(findRepetitions(sentence).length, sentence).toBeGreaterThan(0);
    }
    const late = "every Monday write the report by Friday";
    expect(findDay(late, TODAY)).toMatchObject({ day: "2026-11-27", start: late.indexOf("by") });
    for (const sentence of [
      "call each other by Friday",
      "each may bring a cake",
      "see everyone Monday",
      "in jedem Fall",
    ])
      expect(findRepetitions(sentence), sentence).toEqual([]);
  });
});

describe("a day that is not understood", () => {
  it("says which of the words", () => {
    for (const [text, why] of [
      ["fri 17:00", "Enter only a day, without a time: leave out “17:00”."],
      ["tomorrow at 5pm", "Enter only a day, without a time: leave out “at 5pm”."],
      ["17 Uhr 3.12.", "Enter only a day, without a time: leave out “17 Uhr”."],
      ["every Monday", "Enter a single day, such as “fri”, without a repetition."],
      ["friday morning tea", "Only “friday” was understood as a day: leave out the rest."],
      ["soon", "“soon” isn't a day we recognize. Try “fri”, “in 2 weeks” or “3.12.”"],
    ] as const) {
      expect(dayProblem(text, TODAY), text).toBe(why);
    }
  });
});

describe("days as they are shown", () => {
  it("says them relative to today, and in full", () => {
    expect(fullDay("2026-11-27")).toBe("Friday, 27 November 2026");
    expect(shortDay("2026-09-02", TODAY)).toBe("Wed 2 Sep");
    expect(shortDay("2027-01-08", TODAY)).toBe("Fri 8 Jan 2027");
    expect(relativeDay("2026-11-22", TODAY)).toBe("tomorrow");
    expect(relativeDay("2026-11-26", TODAY)).toBe("in 5 days");
    expect(relativeDay("2026-10-01", TODAY)).toBe("7 weeks ago");
    expect(dueText("2026-11-20", TODAY)).toBe("1 day overdue");
    expect(dueText(TODAY, TODAY)).toBe("due today");
  });

  it("knows the person's day where the clocks change, and east and west of it", () => {
    const instant = "2026-10-25T00:30:00Z";
    expect(dayInZone("Europe/Berlin", instant)).toBe("2026-10-25");
    expect(dayInZone("America/New_York", instant)).toBe("2026-10-24");
    expect(dayInZone("Pacific/Kiritimati", "2026-10-24T10:00:00Z")).toBe("2026-10-25");
    expect(daysBetween("2026-10-24", "2026-10-26")).toBe(2);
    expect(addDays("2026-10-24", 2)).toBe("2026-10-26");
  });

  it("says how long ago something was by the calendar of the person", () => {
    const now = new Date("2026-11-21T00:30:00Z");
    expect(relativeInstant("2026-11-21T00:29:40Z", "UTC", now)).toBe("just now");
    expect(relativeInstant("2026-11-20T23:50:00Z", "UTC", now)).toBe("40 minutes ago");
    expect(relativeInstant("2026-11-22T00:10:00Z", "UTC", now)).toBe("tomorrow");
    expect(relativeInstant("2026-11-20T20:00:00Z", "UTC", now)).toBe("yesterday");
    expect(relativeInstant("2026-11-20T20:00:00Z", "America/New_York", now)).toBe("4 hours ago");
  });

  it.each([
    ["today, by the clock of the zone", "2026-11-23T13:05:00Z", "Europe/Berlin", "14:05"],
    ["today in the zone, yesterday in UTC", "2026-11-22T23:30:00Z", "Europe/Berlin", "00:30"],
    ["yesterday", "2026-11-22T12:00:00Z", "UTC", "22 Nov"],
    ["a month with a long abbreviation", "2026-09-03T12:00:00Z", "UTC", "3 Sep"],
    ["another year", "2025-12-31T12:00:00Z", "UTC", "31 Dec 2025"],
  ])("is short: %s", (_, instant, timezone, words) => {
    expect(shortInstant(instant, timezone, "2026-11-23")).toBe(words);
  });
});
