import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changeMemoriesRoute, createMemoryRoute } from "../../../src/features/memories/routes.ts";
import {
  type AgendaDay,
  type AgendaItem,
  type AgendaList,
  agendaEmail,
  dayNotification,
} from "../../../src/features/reminders/agenda.ts";
import { readAgenda } from "../../../src/features/reminders/store.ts";
import { person } from "../../kit/client.ts";
import { ctxOf } from "../../kit/ctx.ts";

// What a reminder says about a day, in a mail and in a notification.

const RECORD = { memory_type: "commitment", content: "C" };

describe("what is said about a day", () => {
  const item = (id: number, fields: Partial<AgendaItem> = {}): AgendaItem => ({
    ...{ id, topic: `Topic ${id}`, project: null, due_date: "2026-05-04", due_time: null, days_overdue: 0 },
    ...fields,
  });
  const list = (items: AgendaItem[], total = items.length): AgendaList => ({ items, total });
  const day = (fields: Partial<AgendaDay> = {}): AgendaDay => ({
    today: "2026-05-04",
    overdue: list([]),
    due: list([]),
    soon: list([]),
    ...fields,
  });

  test("is nothing when nothing is due or overdue", () => {
    expect(agendaEmail(day({ soon: list([item(1)]) }), "https://notes.example")).toBeUndefined();
    expect(dayNotification(day({ overdue: list([item(1)]), soon: list([item(2)]) }))).toBeUndefined();
  });

  test("in a mail is what is due, overdue and soon, in the words of the records", () => {
    const overdue = list([item(1, { project: "Apollo", days_overdue: 1 }), item(2, { days_overdue: 3 })]);
    const soon = list([item(4, { due_date: "2026-05-07" })]);
    const due = list([item(3), item(5, { due_time: "17:00" })]);
    const agenda = agendaEmail(day({ due, overdue, soon }), "https://notes.example");
    expect(agenda?.subject).toBe("Monday 4 May: 2 due today, 2 overdue");
    expect(agenda?.body.slice(0, 4)).toEqual([
      "Due today\n- Topic 3\n- 17:00 Topic 5",
      "Overdue\n- Topic 1 (Apollo), 1 day overdue\n- Topic 2, 3 days overdue",
      "In the next seven days\n- Topic 4, Thursday 7 May",
      { text: "Open Today", url: "https://notes.example/" },
    ]);
  });

  test("in a notification fits into its 4,096 bytes, however long the topics are", () => {
    const topic = "\u{1f469}\u{1f3fd}".repeat(250);
    const due = list([1, 2, 3, 4].map((id) => item(id, { topic, due_time: "17:00" })));
    const notice = dayNotification(day({ due }));
    expect(notice?.body).toMatch(/^17:00 .{119}…\n17:00 [^\n]+\n17:00 [^\n]+\nand 1 more$/u);
    expect(new TextEncoder().encode(JSON.stringify(notice)).length).toBeLessThan(3_900);
  });

  test("has a line for each record, whatever is in its topic and project", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.constantFrom("\n", "\r", "\u2028", "\u0085", "a")).map((parts) => parts.join("")),
    );
    const said = fc.record({ topic: text, project: fc.option(text) });
    const items = fc.array(said, { minLength: 1, maxLength: 20 });
    const property = fc.property(items, (fields) => {
      const due = list(fields.map((one, index) => item(index, one)));
      const [section] = agendaEmail(day({ due }), undefined)?.body ?? [];
      expect(String(section).split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(due.total + 1);
      expect(dayNotification(day({ due }))?.body.split(/[\n\r\u0085\u2028\u2029]/).length).toBe(
        Math.min(due.total, 4),
      );
    });
    fc.assert(property, { numRuns: 20 });
  });

  test("names twenty of each kind in a mail and three in a notification", () => {
    const items = Array.from({ length: 20 }, (_, index) => item(index));
    const due = list(items, 123);
    expect(agendaEmail(day({ due }), undefined)?.body[0]).toMatch(/- Topic 19\n- and 103 more$/);
    expect(dayNotification(day({ due }))).toEqual({
      title: "123 due today",
      body: "Topic 0\nTopic 1\nTopic 2\nand 120 more",
      tag: "today",
      path: "/",
    });
  });

  test("comes from the account's own records, of every type, and counts all of them", async () => {
    const [ada, eve] = [await person(), await person()];
    await eve.ok(createMemoryRoute, { json: { ...RECORD, topic: "Eve's", due_date: "2026-05-04" } });
    for (const [topic, memory_type, due_date] of [
      ["Late", "decision", "2026-05-01"],
      ["Now", "blocker", "2026-05-04"],
      ["Soon", "commitment", "2026-05-11"],
      ["Later", "commitment", "2026-05-12"],
    ] as const)
      await ada.ok(createMemoryRoute, { json: { topic, memory_type, content: topic, due_date } });
    const found = await readAgenda(await ctxOf(ada, new Date("2026-05-04T12:00:00Z")));
    const topics = ({ items }: AgendaList) => items.map(({ topic }) => topic);
    expect([found.overdue, found.due, found.soon].map(topics)).toEqual([["Late"], ["Now"], ["Soon"]]);
    expect(found.overdue.items[0]?.days_overdue).toBe(3);
    const one = { operation: "create", ...RECORD, topic: "Slides" };
    const days = ["2026-05-01", "2026-05-04", "2026-05-11"];
    const operations = days.flatMap((due_date) => Array(24).fill({ ...one, due_date }));
    await ada.ok(changeMemoriesRoute, { json: { operations } });
    const many = await readAgenda(await ctxOf(ada, new Date("2026-05-04T12:00:00Z")));
    for (const { items, total } of [many.overdue, many.due, many.soon])
      expect([items.length, total]).toEqual([20, 25]);
  });
});
