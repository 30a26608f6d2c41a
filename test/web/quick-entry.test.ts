import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryCreateRequest } from "../../src/contract/memory.ts";
import { readEntry } from "../../web/src/features/things/read-entry.ts";

const TODAY = "2026-11-21";
const read = (text: string, plain: string[] = []) =>
  readEntry(text, { today: TODAY, projects: ["Apollo", "Mountain trip"], plain });

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

  it("leaves words of repetition and links as they are", () => {
    const weekly = read("every Monday write the report #apollo");
    expect(weekly.record.topic).toBe("every Monday write the report");
    expect(weekly.record.due_date).toBeUndefined();
    expect(weekly.repeats).toBe("every Monday");
    const link = "read https://example.com/a?b=2026-12-01";
    expect(read(link)).toMatchObject({ record: { topic: link }, parts: [], repeats: undefined });
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
      "#tag",
      "@work",
      "+plan",
      "decision:",
      "by Friday",
      "3.12.",
      "\n",
      "x",
      ":",
      "“",
      "#",
    );
    const text = fc.array(fc.oneof(sign, fc.string({ unit: "grapheme", maxLength: 12 })), { maxLength: 12 });
    fc.assert(
      fc.property(text, (words) => {
        const typed = words.join(" ");
        const { record, parts } = read(typed);
        if (record.topic) expect(MemoryCreateRequest.safeParse(record).error).toBeUndefined();
        const kept = [record.topic, record.content, ...parts.map(({ source }) => source)].join("");
        for (const letter of typed.match(/[\p{L}\p{N}]/gu) ?? []) expect(kept).toContain(letter);
      }),
    );
  });

  it("leaves out the signs at the ends, however many there are", () => {
    const signs = " ,;:".repeat(50_000);
    expect(read(`${signs}pack${signs}boots${signs}`).record.content).toMatch(/^pack[ ,;:]+boots$/);
  });
});
