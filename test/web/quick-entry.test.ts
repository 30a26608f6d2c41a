import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryCreateRequest } from "../../src/contract/memory.ts";
import { ReminderList } from "../../src/contract/remind.ts";
import { readEntry } from "../../web/src/features/things/read-entry.ts";

const TODAY = "2026-11-21";
const TOMORROW = "2026-11-22";
const read = (text: string, plain: string[] = []) =>
  readEntry(text, { today: TODAY, now: "14:30", projects: ["Apollo", "Mountain trip"], plain });

describe("quick entry", () => {
  it("reads a promise with its day, project and scope", () => {
    expect(read("send Grace the slides by Friday #apollo @work").record).toEqual({
      memory_type: "commitment",
      topic: "send Grace the slides",
      content: "send Grace the slides",
      due_date: "2026-11-27",
      project: "Apollo",
      scope: "work",
    });
  });

  it("reads signs and dates", () => {
    for (const [text, expected] of [
      ["decision: stay with SQLite", { memory_type: "decision", topic: "stay with SQLite" }],
      [
        "Blocker : certificate expired #ops",
        { memory_type: "blocker", topic: "certificate expired", tags: ["ops"] },
      ],
      ["pack boots #mountain-trip #gear", { project: "Mountain trip", tags: ["gear"], topic: "pack boots" }],
      [
        'write offer +"Big deal" by 3.12.',
        { project: "Big deal", due_date: "2026-12-03", topic: "write offer" },
      ],
      ["write offer +hermes", { project: "hermes" }],
      ["+apollo and #apollo", { project: "Apollo", tags: ["apollo"], topic: "and" }],
      ["#a #b #a call", { tags: ["a", "b"], topic: "call" }],
      ["fix #12 today", { topic: "fix #12", due_date: TODAY }],
      ["mail ada@work.example", { topic: "mail ada@work.example" }],
      ["tomorrow, call Ada", { topic: "call Ada", due_date: "2026-11-22" }],
      ["note: nothing special", { topic: "note: nothing special", memory_type: "commitment" }],
      ["by #apollo Friday", { topic: "by", project: "Apollo", due_date: "2026-11-27" }],
      ["topic\nfirst line\nsecond #not-a-tag", { topic: "topic", content: "first line\nsecond #not-a-tag" }],
    ] as const) {
      expect(read(text).record, text).toMatchObject(expected);
    }
  });

  it("leaves plain words what was taken back", () => {
    const text = "decision: read Friday #apollo";
    const { record, parts } = read(text);
    expect(parts.map(({ source }) => source)).toEqual(["decision:", "Friday", "#apollo"]);
    expect(record.topic).toBe("read");
    expect(read(text, ["Friday"]).record).toMatchObject({ topic: "read Friday", memory_type: "decision" });
    expect(read(text, ["Friday"]).record.due_date).toBeUndefined();
    expect(read(text, ["decision:", "Friday", "#apollo"]).record.topic).toBe(text);
  });

  it("reads hours, what repeats and reminders", () => {
    const at = "due_time";
    for (const [text, expected] of [
      ["call Ada at 5", { topic: "call Ada", due_date: TODAY, [at]: "17:00" }],
      ["call Ada at five about the slides", { topic: "call Ada about the slides", [at]: "17:00" }],
      ["call Ada 5pm", { due_date: TODAY, [at]: "17:00" }],
      ["call Ada at 3.30 pm", { topic: "call Ada", [at]: "15:30" }],
      ["standup 17:00", { topic: "standup", due_date: TODAY, [at]: "17:00" }],
      ["lunch at noon", { topic: "lunch", due_date: TOMORROW, [at]: "12:00" }],
      ["um 17 Uhr Ada anrufen", { topic: "Ada anrufen", due_date: TODAY, [at]: "17:00" }],
      ["um 9.30 Uhr Zahnarzt", { topic: "Zahnarzt", due_date: TOMORROW, [at]: "09:30" }],
      ["call Ada tomorrow morning", { topic: "call Ada", due_date: TOMORROW, [at]: "09:00" }],
      ["tomorrow evening at 8 dinner", { topic: "dinner", due_date: TOMORROW, [at]: "20:00" }],
      ["heute Abend Müll rausbringen", { topic: "Müll rausbringen", due_date: TODAY, [at]: "19:00" }],
      ["morgen um 17 Uhr Ada anrufen", { topic: "Ada anrufen", due_date: TOMORROW, [at]: "17:00" }],
      ["Ada anrufen um 7 Uhr abends", { topic: "Ada anrufen", due_date: TODAY, [at]: "19:00" }],
      ["morgen um 8 Uhr morgens Ada anrufen", { topic: "Ada anrufen", due_date: TOMORROW, [at]: "08:00" }],
      ["call Ada at 9 in the evening", { topic: "call Ada", due_date: TODAY, [at]: "21:00" }],
      ["um halb acht abends Kino", { topic: "Kino", due_date: TODAY, [at]: "19:30" }],
      ["jeden Tag um 19 Uhr abends Tee", { topic: "Tee", repeat: "FREQ=DAILY", [at]: "19:00" }],
      ["am 3.12. um 8 Zahnarzt", { topic: "Zahnarzt", due_date: "2026-12-03", [at]: "08:00" }],
      [
        "every Monday write the report #apollo",
        {
          ...{ topic: "write the report", due_date: "2026-11-23", project: "Apollo" },
          repeat: "FREQ=WEEKLY;BYDAY=MO",
        },
      ],
      ["every other Friday pay", { repeat: "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", due_date: "2026-11-27" }],
      ["every first Monday meet", { repeat: "FREQ=MONTHLY;BYDAY=1MO", due_date: "2026-12-07" }],
      ["rent on the 1st and 15th", { topic: "rent", repeat: "FREQ=MONTHLY;BYMONTHDAY=1,15" }],
      [
        "water plants every 3 days after done",
        { topic: "water plants", repeat: "FREQ=DAILY;INTERVAL=3", repeat_from: "done", due_date: TODAY },
      ],
      ["standup weekdays at 9", { due_date: "2026-11-23", [at]: "09:00" }],
      [
        "jeden Montag um 9 Bericht schreiben",
        { topic: "Bericht schreiben", repeat: "FREQ=WEEKLY;BYDAY=MO", [at]: "09:00" },
      ],
      [
        "every day at 9 until 3 May run",
        { topic: "run", repeat: "FREQ=DAILY;UNTIL=20270503", [at]: "09:00" },
      ],
      ["every morning run", { topic: "run", repeat: "FREQ=DAILY", [at]: "09:00", due_date: TOMORROW }],
      ["weekly, on Friday, review", { topic: "review", repeat: "FREQ=WEEKLY", due_date: "2026-11-27" }],
      ["every Sunday at 17:00 from 6 December call mum", { due_date: "2026-12-06", [at]: "17:00" }],
      [
        "call Ada tomorrow at 5 remind me an hour before",
        { topic: "call Ada", due_date: TOMORROW, remind: [{ before: "PT1H" }] },
      ],
      [
        "morgen Zahnarzt, erinnere mich einen Tag und 30 Minuten vorher",
        { topic: "Zahnarzt", remind: [{ before: "P1D" }, { before: "PT30M" }] },
      ],
      ["call Ada Friday, remind me the day before", { topic: "call Ada", remind: [{ before: "P1D" }] }],
      ["morgen Zahnarzt, eine Stunde vorher erinnern", { topic: "Zahnarzt", remind: [{ before: "PT1H" }] }],
    ] as const) {
      expect(read(text).record, text).toMatchObject(expected);
    }
  });

  it("counts an hour that has passed today for the next day, and the first day of what repeats with it", () => {
    for (const [text, due_date] of [
      ["tea at 14:29", TOMORROW],
      ["tea at 14:30", TOMORROW],
      ["tea at 14:31", TODAY],
      ["every day at 9 tea", TOMORROW],
      ["every Saturday at 9 tea", "2026-11-28"],
      ["every Saturday at 17:00 tea", TODAY],
      ["today at 9 tea", TODAY],
    ] as const) {
      expect(read(text).record.due_date, text).toBe(due_date);
    }
  });

  it("reads a bare hour from 1 to 7 in the afternoon, says what else it may be, and takes that", () => {
    for (const [text, time, other] of [
      ["tea at 1", "13:00", "01:00"],
      ["tea at 7", "19:00", "07:00"],
      ["tea at 8", "08:00", "20:00"],
      ["tea um 12", "12:00", "00:00"],
      ["tea tonight at 2", "14:00", "02:00"],
      ["tea tonight at 9", "21:00", undefined],
      ["tea at 5:30", "17:30", "05:30"],
      ["tea at 05:30", "05:30", undefined],
      ["tea at 5am", "05:00", undefined],
      ["tea um 5 Uhr", "05:00", undefined],
      ["tea at 13", "13:00", undefined],
      ["tea at 7 in the morning", "07:00", undefined],
      ["tea at 17:00 in the morning", "17:00", undefined],
      ["Tee um halb acht", "19:30", "07:30"],
      ["Tee um halb 1", "12:30", "00:30"],
    ] as const) {
      const { record, parts } = read(text);
      expect([record.due_time, parts.at(-1)?.other], text).toEqual([time, other]);
    }
    const others = readEntry("tea at 5", { today: TODAY, projects: [], plain: [], others: ["at 5"] });
    expect(others.record.due_time).toBe("05:00");
    expect(others.parts[0]).toMatchObject({ value: "05:00", other: "17:00" });
  });

  it("leaves what is not certain, links and quotations as they are", () => {
    for (const text of [
      "sell it at 5 locations",
      "meet at a, b or c",
      "meet at 5 Main Street",
      "read John 3:16",
      "upgrade at 3.12",
      "ratio 4:3",
      "send the weekly report",
      "every 3rd customer gets a cake",
      "twice a week run",
      "remind me an hour before",
      "every second Monday choir",
      "send “every Monday at 5pm” to Ada",
      'ask about "tomorrow at 17:00, remind me an hour before"',
      "read https://example.com/every/monday?at=17:00",
      "see [every Monday](https://example.com/17:00)",
    ]) {
      const { record, parts } = read(text);
      expect(record, text).toEqual({ memory_type: "commitment", topic: text, content: text });
      expect(parts, text).toEqual([]);
    }
    for (const [text, unread] of [
      ["every second Monday choir", "every second Monday"],
      ["pills twice daily", "twice daily"],
      ["Tabletten zweimal täglich", "zweimal täglich"],
      ["pills every morning and evening", "every morning and evening"],
      ["pills every 8 hours", "every 8 hours"],
      ["jede Freitagnacht um 2 Uhr Party", "jede Freitagnacht"],
      ["jede Freitagnacht und Samstagnacht um 23 Uhr Party", "jede Freitagnacht und Samstagnacht"],
      ["rent on the tenth of every month", "of every month"],
      ["Miete am Zehnten jedes Monats", "jedes Monats"],
      ["club on the second Tuesday of every other month", "of every other month"],
      ["pills every day except Sunday", "every day except Sunday"],
      ["Tabletten täglich außer sonntags", "täglich außer sonntags"],
      ["class every Monday at 9 and Thursday at 10", "every Monday at 9 and Thursday"],
      ["rent every month on the 3rd or 4th", "every month on the 3rd"],
      ["choir every Monday morning or Tuesday evening", "every Monday morning"],
      ["Chor jeden Montagabend oder Dienstagabend", "jeden Montagabend"],
    ] as const) {
      const { record, ...entry } = read(text);
      expect([record.topic, record.repeat, entry.unread], text).toEqual([text, undefined, unread]);
    }
    expect(read("every Monday write it by Friday").record.topic).toBe("write it by Friday");
    expect(read("every Monday write it until 3 May").record).toMatchObject({
      topic: "write it until 3 May",
      due_date: "2026-11-23",
    });
    const link = "read https://example.com/a?b=2026-12-01";
    expect(read(link)).toMatchObject({ record: { topic: link }, parts: [], unread: undefined });
  });

  it("leaves an hour, a repetition or a reminder plain words when it was taken back", () => {
    const text = "standup every Monday at 9, remind me an hour before";
    const { parts } = read(text);
    expect(parts.map(({ source }) => source)).toEqual(["every Monday", "at 9", "remind me an hour before"]);
    expect(read(text, ["at 9"]).record).toMatchObject({
      topic: "standup at 9",
      repeat: "FREQ=WEEKLY;BYDAY=MO",
    });
    expect(read(text, ["at 9"]).record).not.toHaveProperty("due_time");
    expect(read(text, ["every Monday"]).record).toMatchObject({
      topic: "standup every Monday",
      due_time: "09:00",
    });
    expect(
      read(
        text,
        parts.map(({ source }) => source),
      ).record.topic,
    ).toBe(text);
  });

  it("keeps the whole of a text that is too long for a topic", () => {
    const words = "word ".repeat(200).trim();
    const { topic, content } = read(words).record;
    expect(topic.length).toBeLessThanOrEqual(500);
    expect(topic).toMatch(/word…$/);
    expect(content).toBe(words);
  });

  it("makes of every text a record that the API takes, or one without a topic, and loses no word", () => {
    const sign = fc.constantFrom(
      ..."#tag|@work|+plan|decision:|by Friday|3.12.|at 5|every Monday|jeden|um 9|morgen".split("|"),
      ..."1. und 15.|remind me a day before|\n|x|:|“|#".split("|"),
    );
    const text = fc.array(fc.oneof(sign, fc.string({ unit: "grapheme", maxLength: 12 })), { maxLength: 12 });
    fc.assert(
      fc.property(text, (words) => {
        const typed = words.join(" ");
        const { record, parts } = read(typed);
        const { due_time, repeat, repeat_from, remind, ...known } = record;
        if (record.topic) expect(MemoryCreateRequest.safeParse(known).error).toBeUndefined();
        const needsDay = [due_time, repeat, remind].some(Boolean);
        expect(!needsDay || record.due_date).toBeTruthy();
        expect(ReminderList.safeParse(remind ?? []).error).toBeUndefined();
        expect([undefined, repeat && "done"]).toContain(repeat_from);
        const kept = [record.topic, record.content, ...parts.map(({ source }) => source)].join("");
        for (const letter of typed.match(/[\p{L}\p{N}]/gu) ?? []) expect(kept).toContain(letter);
      }),
    );
  });

  it("reads hostile lines as long as the field takes at once", () => {
    const shapes = "at 5 |every |1. und |remind me a | |um |at |17:|a day, |\0|every 1st and ";
    for (const shape of shapes.split("|")) {
      const line = shape.repeat(20_000 / shape.length);
      const begun = performance.now();
      read(`${line}x`);
      // About 50 ms on an idle machine.
      expect(performance.now() - begun, shape).toBeLessThan(3_000);
    }
  });

  it("leaves out the signs at the ends, however many there are", () => {
    const signs = " ,;:".repeat(50_000);
    expect(read(`${signs}pack${signs}boots${signs}`).record.content).toMatch(/^pack[ ,;:]+boots$/);
  });
});
