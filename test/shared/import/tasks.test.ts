import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryExportLine } from "../../../src/contract/memory.ts";
import { readTasks } from "../../../src/shared/import/records/read-tasks.ts";
import { parseTodoistSchedule } from "../../../src/shared/import/records/todoist-when.ts";

// Files of other programs as records. The examples are written as Todoist, Apple Reminders, Nextcloud, Google and Outlook do.

const NOW = new Date("2026-11-25T10:00:00Z");
const TODAY = "2026-11-25";
const AROUND = { timezone: "Europe/Berlin", now: NOW };

function read(name: string, text: string) {
  const found = readTasks([{ name, bytes: new TextEncoder().encode(text) }], AROUND);
  const records = found.file
    .split("\n")
    .filter((line) => line.startsWith('{"type":"memory"'))
    .map((line) => MemoryExportLine.parse(JSON.parse(line)));
  return { ...found, records };
}

const notesOf = ({ notes }: ReturnType<typeof read>) => notes.map(({ where, note }) => `${where}: ${note}`);

describe("Todoist's words", () => {
  it.each([
    ["2027-05-03", { due_date: "2027-05-03" }],
    ["2027-05-03 14:30", { due_date: "2027-05-03", due_time: "14:30" }],
    ["5 Oct 2027 10:00", { due_date: "2027-10-05", due_time: "10:00" }],
    ["Oct 5 2027", { due_date: "2027-10-05" }],
    ["tomorrow at 9am", { due_date: "2026-11-26", due_time: "09:00" }],
    ["every day", { due_date: TODAY, repeat: "FREQ=DAILY", repeat_from: "due" }],
    ["every day at 9am", { due_date: TODAY, due_time: "09:00", repeat: "FREQ=DAILY" }],
    ["every day 9:00", { due_time: "09:00", repeat: "FREQ=DAILY" }],
    ["every morning", { due_time: "09:00", repeat: "FREQ=DAILY" }],
    [
      "Every mon, fri at 20:00",
      { due_date: "2026-11-27", due_time: "20:00", repeat: "FREQ=WEEKLY;BYDAY=MO,FR" },
    ],
    ["ev monday", { repeat: "FREQ=WEEKLY;BYDAY=MO" }],
    ["every! 3 days", { due_date: TODAY, repeat: "FREQ=DAILY;INTERVAL=3", repeat_from: "done" }],
    [
      "every ! 2 weeks at 18:00",
      { due_time: "18:00", repeat: "FREQ=WEEKLY;INTERVAL=2", repeat_from: "done" },
    ],
    ["after 10 days", { repeat: "FREQ=DAILY;INTERVAL=10", repeat_from: "done" }],
    ["every 3rd friday", { due_date: "2026-12-18", repeat: "FREQ=MONTHLY;BYDAY=3FR" }],
    ["every 15th", { due_date: "2026-12-15", repeat: "FREQ=MONTHLY;BYMONTHDAY=15" }],
    ["every last day", { due_date: "2026-11-30", repeat: "FREQ=MONTHLY;BYMONTHDAY=-1" }],
    ["every workday", { due_date: TODAY, repeat: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR" }],
    ["every other week", { repeat: "FREQ=WEEKLY;INTERVAL=2" }],
    ["every 24 december", { due_date: "2026-12-24", repeat: "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24" }],
    [
      "every day starting 1 dec ending 31 dec",
      { due_date: "2026-12-01", repeat: "FREQ=DAILY;UNTIL=20261231" },
    ],
    ["jeden Montag um 9 Uhr", { due_date: "2026-11-30", due_time: "09:00", repeat: "FREQ=WEEKLY;BYDAY=MO" }],
  ])("%s", (text, expected) => {
    expect(parseTodoistSchedule(text, TODAY)).toMatchObject(expected);
  });

  it("are not guessed where they are no schedule that a record can have", () => {
    const texts = "every hour|every 2 hours|2027-02-30|cada lunes|every full moon|every day 3 times|someday";
    for (const text of texts.split("|"))
      expect([text, parseTodoistSchedule(text, TODAY)]).toEqual([text, undefined]);
  });
});

const CSV = `\ufeffTYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE,DURATION,DURATION_UNIT,DEADLINE,DEADLINE_LANG
meta,view_style=list,,,,,,,,,,,,
,,,,,,,,,,,,,
task,Water the plants @home,"The big one
needs more",1,1,Ada (123),,every! 3 days at 8am,en,Europe/Berlin,15,minute,,
section,Bank,,,,,,,,,,,,
task,Pay the rent,,4,1,Ada (123),Grace (7),every month on the 1st,en,Europe/Berlin,,,2026-12-05,
note,Same account as before,,,,Ada (123),,,,,,,,
task,Ask for a receipt,,4,2,Ada (123),,,,Europe/Berlin,,,2026-12-03,en
task,Stand up,,4,1,Ada (123),,every hour,en,Europe/Berlin,,,,
widget,Odd,,,,,,,,,,,,
`;

it("a CSV file of Todoist is read row by row, and what is not understood is named with its line", () => {
  const found = read("Home & money [2203306141].csv", CSV);
  expect(found.records).toMatchObject([
    {
      ...{ topic: "Water the plants", content: "The big one\nneeds more\n\nTakes: 15 minute" },
      ...{ tags: ["home"], priority: "high" },
      ...{ project: "Home & money", due_date: TODAY, due_time: "08:00", remind: [{ before: "PT0S" }] },
      ...{ repeat: "FREQ=DAILY;INTERVAL=3", repeat_from: "done", repeat_start: TODAY, status: "active" },
    },
    {
      topic: "Pay the rent",
      content: "Responsible: Grace (7)\n\nDeadline: 2026-12-05\n\nComment: Same account as before",
      ...{ tags: ["Bank"], due_date: "2026-12-01", repeat: "FREQ=MONTHLY;BYMONTHDAY=1", repeat_from: null },
    },
    { topic: "Ask for a receipt", content: "Part of “Pay the rent”", due_date: "2026-12-03", repeat: null },
    { topic: "Stand up", content: "Date in Todoist: every hour", due_date: null, repeat: null },
  ]);
  expect(notesOf(found)).toEqual([
    "line 10: “every hour” was not understood, so it was left out; the words are in the record's text",
  ]);
  expect(found.refused).toEqual([{ where: "line 11", why: "has the unknown type “widget”" }]);
  expect(found.leftOut).toEqual([{ where: "line 2", leftOut: "a Todoist setting" }]);
  expect(found.understood.slice(0, 2)).toEqual([
    {
      ...{ where: "line 4", topic: "Water the plants" },
      says: "due 2026-11-25 at 08:00, every 3 days after it was done, reminder at the due time",
    },
    { where: "line 7", topic: "Pay the rent", says: "due 2026-12-01, every month on the 1st" },
  ]);
  const again = read("Home & money [2203306141].csv", CSV);
  expect(again.records.map(({ id }) => id)).toEqual(found.records.map(({ id }) => id));
  expect(new Set(found.records.map(({ id }) => id)).size).toBe(4);
});

const JSON_FILE = JSON.stringify({
  projects: [{ id: "p", name: "Home", color: "red" }],
  sections: [{ id: "s", name: "Garden" }],
  items: [
    {
      ...{ id: "1", content: "Water @green", description: "All of them", project_id: "p", section_id: "s" },
      ...{ priority: 4, labels: ["daily"], added_at: "2026-01-02T03:04:05Z", checked: false },
      due: { date: "2026-11-26T09:00:00", string: "every 3 days at 9", lang: "en", is_recurring: true },
    },
    {
      ...{ id: 2, content: "Call", parent_id: "1" },
      due: { date: "2026-11-26T22:30:00Z", string: "x", is_recurring: false },
    },
    { id: "3", content: "Done", checked: true, completed_at: "2026-11-01T10:00:00Z", due: null },
    { id: "4", content: "Odd", due: { date: "2026-12-01", string: "every full moon", is_recurring: true } },
    { id: "5" },
  ],
  notes: [{ item_id: "1", content: "Rain water" }],
  reminders: [
    { item_id: "1", type: "relative", minute_offset: 30 },
    { item_id: "1", type: "absolute", due: { date: "2026-11-25T18:00:00" } },
  ],
});

it("a JSON file of Todoist is read with its reminders, comments and what is done", () => {
  const found = read("todoist.json", JSON_FILE);
  expect(found.records).toMatchObject([
    {
      ...{ topic: "Water", content: "All of them\n\nComment: Rain water", project: "Home" },
      ...{ tags: ["daily", "Garden", "green"], priority: "high", due_date: "2026-11-26", due_time: "09:00" },
      ...{ repeat: "FREQ=DAILY;INTERVAL=3", repeat_start: "2026-11-26" },
      ...{ created_at: "2026-01-02T03:04:05.000Z" },
      remind: [{ before: "PT30M" }, { at: "2026-11-25T18:00" }],
    },
    { topic: "Call", content: "Part of “Water”", due_date: "2026-11-26", due_time: "23:30", repeat: null },
    { topic: "Done", status: "resolved", resolved_at: "2026-11-01T10:00:00.000Z" },
    { topic: "Odd", content: "Repeats in Todoist: every full moon", due_date: "2026-12-01", repeat: null },
  ]);
  expect(notesOf(found)).toEqual([expect.stringContaining("task 4: “every full moon” is not a rule")]);
  expect(found.refused).toMatchObject([{ where: "task 5" }]);
  expect(read("list.json", JSON.stringify([{ id: "1", content: "One" }])).records).toHaveLength(1);
});

const ICS = `BEGIN:VCALENDAR
VERSION:2.0
X-WR-CALNAME:Family\\, home
BEGIN:VTIMEZONE
TZID:Our time
BEGIN:STANDARD
DTSTART:19700101T000000
TZOFFSETFROM:-0500
TZOFFSETTO:-0500
END:STANDARD
END:VTIMEZONE
BEGIN:VTODO
UID:a
SUMMARY:Pay the rent
DESCRIPTION:To the new
  account
DUE;TZID=Europe/Berlin:20261201T170000
RRULE:FREQ=MONTHLY;BYMONTHDAY=1
CATEGORIES:money,home
CREATED:20250101T080000Z
BEGIN:VALARM
ACTION:DISPLAY
TRIGGER:-PT30M
END:VALARM
BEGIN:VALARM
ACTION:DISPLAY
TRIGGER;VALUE=DATE-TIME:20261130T170000Z
END:VALARM
END:VTODO
BEGIN:VTODO
UID:b
PRIORITY:3
SUMMARY:Old
STATUS:COMPLETED
COMPLETED:20261101T100000Z
END:VTODO
BEGIN:VEVENT
UID:c
SUMMARY:Choir
LOCATION:Church
DTSTART;TZID=Europe/Berlin:20250107T193000
DTEND;TZID=Europe/Berlin:20250107T210000
RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20270105T183000Z
EXDATE;TZID=Europe/Berlin:20261201T193000
EXDATE;TZID=Europe/Berlin:20261222T193000
END:VEVENT
BEGIN:VEVENT
UID:d
SUMMARY:Birthday
DTSTART;VALUE=DATE:19851224
RRULE:FREQ=YEARLY
BEGIN:VALARM
TRIGGER:-PT15H
END:VALARM
END:VEVENT
BEGIN:VEVENT
UID:e
SUMMARY:Over
DTSTART:20260101T100000Z
DTEND:20260101T110000Z
END:VEVENT
BEGIN:VEVENT
UID:f
SUMMARY:Every hour
DTSTART:20261201T100000
RRULE:FREQ=HOURLY
X-ODD:1
END:VEVENT
BEGIN:VEVENT
UID:g
SUMMARY:Late in New York
DTSTART;TZID=Our time:20261201T200000
RRULE:FREQ=WEEKLY;BYDAY=TU
END:VEVENT
BEGIN:VEVENT
UID:h
SUMMARY:Nowhere
DTSTART;TZID=Atlantis:20261201T200000
END:VEVENT
BEGIN:VJOURNAL
UID:i
END:VJOURNAL
END:VCALENDAR
`.replaceAll("\n", "\r\n");

it("a calendar file is read with rules, alarms, zones and ends", () => {
  const found = read("home.ics", ICS);
  expect(found.records).toMatchObject([
    {
      ...{ topic: "Pay the rent", content: "To the new account", project: "Family, home" },
      tags: ["money", "home"],
      ...{ due_date: "2026-12-01", due_time: "17:00", repeat: "FREQ=MONTHLY;BYMONTHDAY=1" },
      created_at: "2025-01-01T08:00:00.000Z",
      remind: [{ before: "PT30M" }, { at: "2026-11-30T18:00" }],
    },
    {
      ...{ topic: "Old", priority: "high", content: "Priority: 3 of 9", due_date: null },
      ...{ status: "resolved", resolved_at: "2026-11-01T10:00:00.000Z" },
    },
    {
      ...{ topic: "Choir", content: "Where: Church\n\nUntil 21:00\n\nNot on: 2026-12-22" },
      ...{ due_date: "2026-12-08", due_time: "19:30", remind: null },
      ...{ repeat: "FREQ=WEEKLY;BYDAY=TU;UNTIL=20270105", repeat_start: "2025-01-07" },
    },
    {
      ...{ topic: "Birthday", due_date: "2026-12-24", due_time: null, repeat: "FREQ=YEARLY" },
      ...{ repeat_start: "1985-12-24", remind: [{ before: "P1D" }] },
    },
    { topic: "Over", status: "resolved", resolved_at: "2026-01-01T11:00:00.000Z", content: "Until 12:00" },
    { topic: "Every hour", content: "Repeats: RRULE:FREQ=HOURLY", due_date: "2026-12-01", due_time: "10:00" },
    { topic: "Late in New York", due_date: "2026-12-02", due_time: "02:00", repeat: null },
  ]);
  expect(notesOf(found)).toEqual([
    "line 37: its rule skips these days, but the record will still come up on them: 2026-12-22",
    expect.stringMatching(
      /^line 62: RRULE:FREQ=HOURLY: FREQ must be DAILY.*The record does not repeat, and the rule is in its text$/,
    ),
    "line 62: X-ODD was not imported",
    expect.stringContaining("line 69: RRULE:FREQ=WEEKLY;BYDAY=TU: its days are different in your time zone"),
  ]);
  expect(found.refused).toEqual([
    { where: "line 75", why: "has a time in the zone Atlantis, which the file does not define" },
  ]);
  expect(found.leftOut).toEqual([{ where: "line 80", leftOut: "a journal entry" }]);
});

it("a file of no known program is refused", () => {
  const refusal = (name: string, text: string) =>
    read(name, text).refused.map(({ where, why }) => `${where} ${why}`);
  expect(refusal("a.csv", "name,age\nAda,36\n")).toEqual([
    expect.stringContaining("a.csv is neither a Todoist CSV file"),
  ]);
  expect(refusal("a.ics", "hello")).toEqual([expect.stringContaining("a.ics is not a calendar file")]);
  expect(refusal("a.json", "{}")).toEqual([expect.stringContaining("a.json is not a Todoist JSON file")]);
  expect(refusal("a.json", "{")).toEqual([expect.stringContaining("a.json is not JSON")]);
  expect(read("a.ics", "BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:x").refused).toEqual([
    { where: "line 2", why: "has no END line: the file is incomplete" },
  ]);
});

it("every file makes lines that the service takes", () => {
  const cell = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("x".repeat(700), "@a", "every day", "\u0000", "2027-01-01"),
  );
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const row = fc
    .array(cell, { minLength: 8, maxLength: 8 })
    .map((cells) => ["task", ...cells].map(quoted).join());
  const line = fc.constantFrom(
    ..."BEGIN:VEVENT|END:VEVENT|BEGIN:VTODO|END:VTODO|BEGIN:VALARM|END:VALARM|SUMMARY:x|X|UID:1".split("|"),
    ..."DTSTART:20261201T100000|DTSTART;VALUE=DATE:20261201|DUE:20261301T100000Z|DURATION:PT1H".split("|"),
    ..."RRULE:FREQ=DAILY;COUNT=3|RRULE:FREQ=WEEKLY;UNTIL=20200101|RRULE:x|TRIGGER:-P1D".split("|"),
    ..."TRIGGER:PT1H|STATUS:CANCELLED".split("|"),
  );
  const property = fc.property(
    fc.array(row, { maxLength: 4 }),
    fc.array(line, { maxLength: 14 }),
    (rows, lines) => {
      const head = "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DEADLINE";
      read(`${"y".repeat(300)}.csv`, [head, ...rows].join("\n"));
      read("a.ics", ["BEGIN:VCALENDAR", ...lines, "END:VEVENT", "END:VTODO", "END:VCALENDAR"].join("\r\n"));
    },
  );
  fc.assert(property, { numRuns: 60 });
});

// Files that no program would write: what cannot be a record's is named, and the others are imported.

it("dates and reminders that a record cannot have are named, and the task is imported without them", () => {
  const deadline = { date: "soon" };
  const item = { id: "1", content: "Call Ada", due: { date: "2027-05-03T10:00:00" }, deadline };
  const minutes = [-5, 5.5, 1e9, 30];
  const reminders = minutes.map((minute_offset) => ({ item_id: "1", minute_offset }));
  const far = { id: "2", content: "Later", due: { date: "+275760-09-13T00:00:00Z" } };
  const alone = { id: "3", content: "Some day", deadline };
  const items = [item, far, alone];
  const { records, notes, refused } = read("all.json", JSON.stringify({ items, reminders }));
  expect(refused).toEqual([]);
  const [first, second, third] = records;
  expect(first).toMatchObject({ due_date: "2027-05-03", due_time: "10:00", remind: [{ before: "PT30M" }] });
  expect(first?.content).toContain("Deadline: soon");
  expect(notes[0]).toMatchObject({ where: "task 1", note: expect.stringContaining("3 of its reminders") });
  expect([second?.due_date, third?.due_date]).toEqual([null, null]);
  expect([second?.content, third?.content].join()).toMatch(/275760.*Deadline: soon/s);
});

it("whatever Todoist is said to have answered becomes lines that the service reads", () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("2027-05-03", "2027-02-31T25:00:00", "every day at 9", "soon", "dO", "monday"),
  );
  const date = fc.record({ date: text, string: text, is_recurring: fc.boolean() });
  const item = fc.record(
    {
      ...{ id: fc.nat(5), content: text, description: text, due: date, deadline: date },
      ...{ labels: fc.array(text), added_at: text, completed_at: text, checked: fc.boolean() },
      priority: fc.double(),
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
      const { records, understood } = read("all.json", JSON.stringify(answer));
      expect(records).toHaveLength(understood.length);
    }),
    { numRuns: 300 },
  );
});

it("a calendar of parts within parts is refused, soon and with the reason", () => {
  const deep = ["BEGIN:VCALENDAR", ...Array(200_000).fill("BEGIN:X"), ...Array(200_000).fill("END:Y")];
  const { refused, understood } = read("deep.ics", deep.join("\r\n"));
  expect(understood).toEqual([]);
  expect(refused).toEqual([{ where: "deep.ics", why: "has components nested more than 10 levels deep" }]);
});

it("alarms and events at the ends of time are named, and the others are imported", () => {
  const event = (...lines: string[]) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"];
  const alarm = (trigger: string) => ["BEGIN:VALARM", `TRIGGER:${trigger}`, "END:VALARM"];
  const text = [
    "BEGIN:VCALENDAR",
    ...event("UID:1", "SUMMARY:Last", "DTSTART:99991231T235900Z"),
    ...event("UID:2", "SUMMARY:Far", "DTSTART:99991230T100000", ...alarm("P9999D"), ...alarm("-PT30M")),
    ...event("UID:3", "SUMMARY:Odd", "DTSTART:20270503T100000", ...alarm("-P999999999W"), ...alarm("-P1D")),
    "END:VCALENDAR",
  ].join("\r\n");
  const { records, refused, notes } = read("ends.ics", text);
  expect(refused).toEqual([{ where: "line 2", why: "has a date outside the supported range" }]);
  expect(records.map(({ topic, remind }) => [topic, remind])).toEqual([
    ["Far", [{ before: "PT30M" }]],
    ["Odd", [{ before: "P1D" }]],
  ]);
  expect(notes.map(({ note }) => note)).toEqual(Array(2).fill(expect.stringContaining("1 of its alarms")));
});
