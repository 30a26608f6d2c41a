import { describe, expect, it } from "vitest";
import { readDay } from "../../src/shared/when/day.ts";
import { readEntry } from "../../web/src/features/things/read-entry.ts";
import { BORDERS, ENGLISH, PAST } from "./typed-days/english.ts";
import { GERMAN } from "./typed-days/german.ts";
import { PLAIN } from "./typed-days/plain.ts";

const TODAY = "2026-11-21";
const read = (text: string, today = TODAY, others: string[] = []) =>
  readEntry(text, { today, now: "14:30", projects: [], plain: [], others });

const whenOf = ({ record: { due_date, due_time, repeat } }: ReturnType<typeof read>) =>
  [due_date, due_time, repeat].filter(Boolean).join(" ");

describe("a day in a typed line", () => {
  it("is read in English and in German, with its hour and what repeats, and the other words stay", () => {
    for (const [typed, when, topic] of [...ENGLISH, ...GERMAN]) {
      const entry = read(typed);
      expect([whenOf(entry), entry.record.topic], typed).toEqual([when, topic]);
      // The words alone are that day, unless they also name a part of it.
      for (const { kind, source, value } of entry.parts)
        if (kind === "due_date" && !/^this$|noon$|(?:Nachmittag|tagnacht)$/.test(source))
          expect(readDay(source, TODAY), typed).toBe(value);
    }
  });

  it("is counted over the end of a week, a month and a year", () => {
    for (const [today, typed, day] of BORDERS)
      expect(read(typed, today).record.due_date, `${typed}, on ${today}`).toBe(day);
  });

  it("is not made of other words", () => {
    for (const typed of PLAIN) {
      const entry = read(typed);
      const found = [entry.record.topic, whenOf(entry), entry.parts, entry.offer];
      expect(found, typed).toEqual([typed, "", [], undefined]);
    }
  });

  it("that is over is offered, unless the words say that something was due then", () => {
    for (const [typed, source, value] of PAST) {
      const { record, parts, offer } = read(typed);
      expect([record.topic, parts, offer], typed).toEqual([typed, [], { source, value }]);
      const taken = read(typed, TODAY, [source]);
      expect([taken.record.due_date, taken.record.topic.includes(source)], typed).toEqual([value, false]);
    }
  });

  it("that is over keeps the hour beside it, which is no hour of today", () => {
    const call = "notes of the call yesterday at 17:00";
    expect(read(call).record).toEqual({ memory_type: "commitment", topic: call, content: call });
    expect(whenOf(read(call, TODAY, ["yesterday"]))).toBe("2026-11-20 17:00");
    expect(whenOf(read("notes of the call yesterday, send them to Ada at 17:00"))).toBe("2026-11-21 17:00");
  });

  it("says which other Friday may be the next one, and takes that", () => {
    for (const typed of ["next Friday", "nächsten Freitag"]) {
      const monday = read(`call Ada ${typed}`, "2026-11-23");
      expect(monday.parts).toEqual([
        { kind: "due_date", value: "2026-12-04", other: "2026-11-27", source: typed },
      ]);
      const other = read(`call Ada ${typed}`, "2026-11-23", [typed]);
      expect(other.record.due_date).toBe("2026-11-27");
      expect(other.parts).toMatchObject([{ value: "2026-11-27", other: "2026-12-04" }]);
      // On a Saturday there is only one.
      expect(read(`call Ada ${typed}`).parts[0]).not.toHaveProperty("other");
    }
  });

  it("ends at midnight, and begins there after a click", () => {
    const midnight = "call Ada tomorrow at midnight";
    expect(read(midnight).parts).toContainEqual({
      ...{ kind: "due_time", value: "23:59", other: "00:00", source: "at midnight" },
    });
    expect(whenOf(read(midnight, TODAY, ["at midnight"]))).toBe("2026-11-22 00:00");
  });

  it("is read in the first 2,000 characters", () => {
    const far = `${"word ".repeat(500)}by Friday`;
    expect(read(far).record.due_date).toBeUndefined();
    // No part of a word: "by Fri" of "by Friedrich".
    expect(read(`${"a".repeat(1_992)} by friedrich`).record.due_date).toBeUndefined();
  });
});

describe("words that are nothing but a day", () => {
  it("are the last such day where one is asked for that is over", () => {
    for (const [words, day] of [
      ["Friday", "2026-11-20"],
      ["Saturday", "2026-11-14"],
      ["am Montag", "2026-11-16"],
      ["3 May", "2026-05-03"],
      ["3.12.", "2025-12-03"],
      ["21.11.", "2026-11-21"],
      ["im Mai", "2026-05-01"],
      ["November", "2026-11-01"],
      ["tomorrow", "2026-11-22"],
      ["2027-01-01", "2027-01-01"],
    ] as const) {
      expect(readDay(words, TODAY, { isPast: true }), words).toBe(day);
    }
  });
});
