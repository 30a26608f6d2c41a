import fc from "fast-check";
import { expect, test } from "vitest";
import { MemoryExportLine } from "../../../src/contract/memory.ts";
import { readTasks } from "../../../src/shared/import/records/read-tasks.ts";

// Files of tasks that nobody would write: what cannot be a record's is named, and the others are imported.

const AROUND = { timezone: "Europe/Berlin", now: new Date("2026-11-25T12:00:00Z") };

const bytesOf = (text: string) => new TextEncoder().encode(text);

const read = (name: string, text: string) => readTasks([{ name, bytes: bytesOf(text) }], AROUND);

/** The records of an export file, each as the service would read it. */
const linesOf = (file: string) =>
  file
    .trim()
    .split("\n")
    .slice(1, -2)
    .map((line) => MemoryExportLine.parse(JSON.parse(line)));

test("dates and reminders that a record cannot have are named, and the task is imported without them", () => {
  const item = {
    id: "1",
    content: "Call Ada",
    due: { date: "2027-05-03T10:00:00" },
    deadline: { date: "soon" },
  };
  const minutes = [-5, 5.5, 1e9, 30];
  const reminders = minutes.map((minute_offset) => ({ item_id: "1", minute_offset }));
  const far = { id: "2", content: "Later", due: { date: "+275760-09-13T00:00:00Z" } };
  const alone = { id: "3", content: "Some day", deadline: { date: "soon" } };
  const { file, notes, refused } = read("all.json", JSON.stringify({ items: [item, far, alone], reminders }));
  expect(refused).toEqual([]);
  const [first, second, third] = linesOf(file);
  expect(first).toMatchObject({ due_date: "2027-05-03", due_time: "10:00", remind: [{ before: "PT30M" }] });
  expect(first?.content).toContain("Deadline: soon");
  expect(notes[0]).toMatchObject({ where: "task 1", note: expect.stringContaining("3 of its reminders") });
  expect([second?.due_date, third?.due_date]).toEqual([null, null]);
  expect([second?.content, third?.content].join()).toMatch(/275760.*Deadline: soon/s);
});

test("whatever Todoist is said to have answered becomes lines that the service reads", () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("2027-05-03", "2027-02-31T25:00:00", "every day at 9", "soon", "dO", "monday"),
  );
  const date = fc.record({ date: text, string: text, is_recurring: fc.boolean() });
  const item = fc.record(
    {
      ...{
        id: fc.nat(5),
        content: text,
        description: text,
        due: date,
        deadline: date,
        priority: fc.double(),
      },
      ...{ labels: fc.array(text), added_at: text, completed_at: text, checked: fc.boolean() },
    },
    { requiredKeys: ["id", "content"] },
  );
  const reminder = fc.record({
    item_id: fc.nat(5),
    minute_offset: fc.double({ noNaN: true }),
    due: fc.option(date),
  });
  const whole = fc.record({ items: fc.array(item, { maxLength: 5 }), reminders: fc.array(reminder) });
  fc.assert(
    fc.property(whole, (answer) => {
      const { file, understood } = read("all.json", JSON.stringify(answer));
      expect(linesOf(file)).toHaveLength(understood.length);
    }),
    { numRuns: 300 },
  );
});

test("a calendar of parts within parts is refused, soon and with the reason", () => {
  const deep = ["BEGIN:VCALENDAR", ...Array(200_000).fill("BEGIN:X"), ...Array(200_000).fill("END:Y")];
  const { refused, understood } = read("deep.ics", deep.join("\r\n"));
  expect(understood).toEqual([]);
  expect(refused).toEqual([{ where: "deep.ics", why: "has components nested more than 10 levels deep" }]);
});

test("alarms and events at the ends of time are named, and the others are imported", () => {
  const event = (...lines: string[]) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"];
  const alarm = (trigger: string) => ["BEGIN:VALARM", `TRIGGER:${trigger}`, "END:VALARM"];
  const text = [
    "BEGIN:VCALENDAR",
    ...event("UID:1", "SUMMARY:Last", "DTSTART:99991231T235900Z"),
    ...event("UID:2", "SUMMARY:Far", "DTSTART:99991230T100000", ...alarm("P9999D"), ...alarm("-PT30M")),
    ...event("UID:3", "SUMMARY:Odd", "DTSTART:20270503T100000", ...alarm("-P999999999W"), ...alarm("-P1D")),
    "END:VCALENDAR",
  ].join("\r\n");
  const { file, refused, notes } = read("ends.ics", text);
  expect(refused).toEqual([{ where: "line 2", why: "has a date outside the supported range" }]);
  expect(linesOf(file).map(({ topic, remind }) => [topic, remind])).toEqual([
    ["Far", [{ before: "PT30M" }]],
    ["Odd", [{ before: "P1D" }]],
  ]);
  expect(notes.map(({ note }) => note)).toEqual(Array(2).fill(expect.stringContaining("1 of its alarms")));
});
