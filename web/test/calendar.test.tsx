import { screen, waitFor, within } from "@testing-library/react";
import { expect, onTestFinished, test } from "vitest";
import { type Memory, MemoryList } from "../../src/contract/memory.ts";
import "../src/kit/modal.tsx";
import Calendar from "../src/features/calendar/calendar.tsx";
import { shiftDay, visibleRange } from "../src/features/calendar/calendar-view.ts";
import { entriesByDay } from "../src/features/calendar/data.ts";
import { show } from "./kit/show.tsx";
import { allDone, answer, answerNewRecords, asked, connect, record, type Sent, written } from "./kit/wire.ts";

// The calendar's days, keys and empty states. What moves and repeats in the service is in test/e2e/web-calendar.test.ts.

connect();

/** Answers the lists of the calendar as the service does, by their due dates. */
function open(records: Memory[], address = "/calendar") {
  history.replaceState(null, "", address);
  answer({
    "GET /api/memories": ({ query }) => {
      const [after, before] = [query.get("due_after") ?? "", query.get("due_before") ?? "9999"];
      const items = records.filter(
        ({ due_date, repeat }) =>
          due_date && due_date >= after && due_date < before && (!query.has("repeats") || repeat),
      );
      return { schema: MemoryList, body: { items, total: items.length } };
    },
    "POST /api/memories/bulk": ({ body }: Sent) => {
      const { operations } = body as { operations: { operation: string; id: number }[] };
      for (const { operation: _, ...fields } of operations)
        Object.assign(records.find(({ id }) => id === fields.id) ?? {}, fields);
      return allDone(operations.map(({ id }) => id));
    },
  });
  return show(<Calendar />);
}

const cell = (name: string) => screen.findByText(name);
/** What has the focus: a day says what it is first. */
function focused(): string {
  const element = document.activeElement;
  return (element?.matches("[data-day]") ? element.firstElementChild : element)?.textContent ?? "";
}

test("the week begins as the country does, and a month has whole weeks", () => {
  expect(visibleRange("2026-11-21", "month", "de-DE")).toMatchObject({
    first: "2026-10-26",
    last: "2026-12-06",
  });
  expect(visibleRange("2026-11-21", "month", "en-US")).toMatchObject({
    first: "2026-11-01",
    last: "2026-12-05",
  });
  expect(visibleRange("2026-11-21", "week", "ar-EG")).toMatchObject({
    first: "2026-11-21",
    last: "2026-11-27",
  });
  expect(visibleRange("2027-02-10", "month", "de-DE").weeks).toHaveLength(4);
  expect(shiftDay("2026-01-31", "month", 1)).toBe("2026-02-28");
  expect(shiftDay("2026-01-31", "week", -1)).toBe("2026-01-24");
});

test("a day has its records by the hour, done ones too, and copies of what comes again; none that were let go", () => {
  const due_date = "2026-11-24";
  const repeats = { repeat: "FREQ=DAILY", repeat_start: "2026-11-21" };
  const daily = record({ topic: "daily", due_date: "2026-11-21", due_time: "10:00", ...repeats });
  const due = [
    record({ topic: "five", due_date, due_time: "17:00" }),
    record({
      topic: "nine",
      due_date,
      due_time: "09:00",
      status: "resolved",
      resolved_at: "2026-11-20T09:00:00.000Z",
    }),
    record({ topic: "whole day", due_date }),
    record({ topic: "let go", due_date, status: "archived" }),
    daily,
  ];
  const shown = { first: "2026-11-01", last: "2026-12-05", today: "2026-11-23" };
  const days = entriesByDay(due, [daily], shown);
  const on = (day: string) => days.get(day)?.map(({ row, isCopy }) => [row.topic, isCopy]);
  expect(on(due_date)).toEqual([
    ["whole day", false],
    ["nine", false],
    ["daily", true],
    ["five", false],
  ]);
  expect(on("2026-11-21")).toEqual([["daily", false]]);
  expect([on("2026-11-22"), on("2026-11-23")]).toEqual([undefined, undefined]);
  expect(on("2026-12-05")).toEqual([["daily", true]]);
  expect(on("2026-12-06")).toBeUndefined();
});

test("copies show what the series has, not what was changed for one record", () => {
  const next_values = { topic: "Water the plants", due_time: null };
  const today = record({ due_date: "2026-11-23", repeat: "FREQ=DAILY", repeat_start: "2026-11-23" });
  const row = { ...today, topic: "Water Ada’s plants", due_time: "17:00", next_values };
  const shown = { first: "2026-11-23", last: "2026-11-24", today: "2026-11-23" };
  const days = entriesByDay([row], [row], shown);
  const on = (day: string) => days.get(day)?.map(({ row: { topic, due_time } }) => [topic, due_time]);
  expect(on("2026-11-23")).toEqual([["Water Ada’s plants", "17:00"]]);
  expect(on("2026-11-24")).toEqual([["Water the plants", null]]);
});

test("what repeats is on all days of the month that is shown, however far away, to its end", () => {
  const days = (fields: object, first: string, last: string) => [
    ...entriesByDay([], [record({ due_date: "2026-11-06", ...fields })], {
      ...{ first, last, today: "2026-11-21" },
    }).keys(),
  ];
  const fridays = { repeat: "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", repeat_start: "2026-10-23" };
  expect(days(fridays, "2027-05-31", "2027-07-04")).toEqual(["2027-06-04", "2027-06-18", "2027-07-02"]);
  const twice = { ...fridays, repeat: "FREQ=WEEKLY;INTERVAL=2;COUNT=4" };
  expect(days(twice, "2026-11-01", "2026-12-31")).toEqual(["2026-12-04"]);
  const plants = { repeat: "FREQ=DAILY;INTERVAL=3", repeat_from: "done", next_due: ["2026-11-24"] };
  expect(days(plants, "2026-11-01", "2026-12-05")).toEqual(["2026-11-24"]);
});

test("only the days that are shown are asked for", async () => {
  open([record({ topic: "Call Ada", due_date: "2027-02-24" })]);
  await screen.findByText(/^Nothing due this month/);
  const days = asked("/api/memories").map(({ query }) =>
    query.has("repeats") ? "repeats" : `${query.get("due_after")} ${query.get("due_before")}`,
  );
  expect(days).toContain("2026-11-01 2026-12-06");
});

test("on a phone nothing is said of a day before all is known, and a failed request hides no day", async () => {
  const { happyDOM } = window as unknown as { happyDOM: { setViewport: (size: object) => void } };
  happyDOM.setViewport({ width: 390, height: 700 });
  onTestFinished(() => happyDOM.setViewport({ width: 1024, height: 768 }));
  const { promise: isTime, resolve: goOn } = Promise.withResolvers<void>();
  history.replaceState(null, "", "/calendar?day=2026-11-24");
  answer({
    "GET /api/memories": async ({ query }) => {
      if (query.has("repeats")) await isTime;
      if (query.get("due_after") === "2026-11-29") return { body: { detail: "No" }, status: 400 };
      return { schema: MemoryList, body: { items: [], total: 0 } };
    },
  });
  const person = show(<Calendar />);
  await screen.findByRole("button", { name: "Tuesday, 24 November 2026", pressed: true });
  await waitFor(() => expect(asked("/api/memories").length).toBe(2));
  expect(screen.queryByText(/nothing/i)).toBeNull();
  expect(screen.queryByRole("button", { name: /nothing/ })).toBeNull();
  goOn();
  await screen.findByRole("button", { name: "Tuesday, 24 November 2026: nothing" });
  await screen.findByText("Nothing on Tuesday, 24 November 2026");
  await person.click(screen.getByRole("button", { name: "Next week" }));
  await screen.findByRole("alert");
  screen.getByRole("button", { name: "Tuesday, 1 December 2026", pressed: true });
  expect(screen.queryByText(/^Nothing|^Loading/)).toBeNull();
});

test("nothing is said of a day before all is known", async () => {
  const { promise: isTime, resolve: goOn } = Promise.withResolvers<void>();
  history.replaceState(null, "", "/calendar?day=2026-11-24");
  answer({
    "GET /api/memories": async ({ query }) => {
      if (query.has("repeats")) await isTime;
      const items = query.has("repeats") ? [] : [record({ topic: "Call Ada", due_date: "2026-11-25" })];
      return { schema: MemoryList, body: { items, total: items.length } };
    },
  });
  show(<Calendar />);
  await cell("Wednesday, 25 November 2026: 1 record");
  await cell("Tuesday, 24 November 2026");
  expect(screen.queryByText(/nothing/i)).toBeNull();
  goOn();
  await cell("Tuesday, 24 November 2026: nothing");
});

test("arrows move the day, t comes back to today, m and w change the view", async () => {
  const person = open([record({ topic: "Call Ada", due_date: "2026-11-24" })]);
  await cell("Tuesday, 24 November 2026: 1 record");
  await person.keyboard("{ArrowDown}{ArrowLeft}");
  expect(focused()).toBe("Friday, 27 November 2026: nothing");
  await person.keyboard("{PageDown}");
  await screen.findByRole("heading", { name: "December 2026" });
  await waitFor(() => expect(focused()).toBe("Sunday, 27 December 2026: nothing"));
  await person.keyboard("w");
  await screen.findByRole("heading", { name: "27 December 2026 – 2 January 2027" });
  await person.keyboard("t");
  await screen.findByRole("heading", { name: "15 – 21 November 2026" });
  await person.keyboard("m");
  await screen.findByRole("heading", { name: "November 2026" });
});

test("Shift and an arrow move a record, which keeps the focus; the message names the day", async () => {
  const records = [record({ topic: "Call Ada", due_date: "2026-11-24", due_time: "17:00" })];
  const person = open(records, "/calendar?day=2026-11-24");
  await cell("Tuesday, 24 November 2026: 1 record");
  await person.keyboard("{Shift>}{ArrowRight}{/Shift}");
  await screen.findByText("Moved “Call Ada” to Wed 25 Nov");
  await cell("Wednesday, 25 November 2026: 1 record");
  expect(focused()).toMatch(/^17:00 Call Ada/);
  expect(written().map(({ body }) => body)).toEqual([
    { operations: [{ operation: "update", id: records[0]?.id, due_date: "2026-11-25" }] },
  ]);
});

test("of several records one is chosen first, and the next press moves it", async () => {
  const day = { due_date: "2026-11-24" };
  const person = open(
    [record({ topic: "One", ...day }), record({ topic: "Two", ...day })],
    "/calendar?day=2026-11-24",
  );
  await cell("Tuesday, 24 November 2026: 2 records");
  await person.keyboard("{Shift>}{ArrowRight}{/Shift}");
  expect(focused()).toBe("One");
  expect(written()).toEqual([]);
  await person.keyboard("{ArrowDown}{Shift>}{ArrowRight}{/Shift}");
  await screen.findByText("Moved “Two” to Wed 25 Nov");
});

test("Enter on an empty day asks for a new record, which is due then", async () => {
  const person = open([], "/calendar?day=2026-11-24");
  answerNewRecords();
  await cell("Tuesday, 24 November 2026: nothing");
  await person.keyboard("{Enter}");
  const dialog = await screen.findByRole("dialog", { name: "New on Tuesday, 24 November 2026" });
  await person.type(within(dialog).getByLabelText("What is it?"), "Call Grace #apollo{Enter}");
  await screen.findByText("Saved “Call Grace”");
  expect(written()[0]?.body).toMatchObject({
    topic: "Call Grace",
    project: "Apollo",
    due_date: "2026-11-24",
  });
});

test("an hour, a repetition and a reminder are of the day that was chosen, are shown, and can be corrected", async () => {
  const person = open([], "/calendar?day=2026-12-09");
  answerNewRecords();
  await cell("Wednesday, 9 December 2026: nothing");
  await person.keyboard("{Enter}");
  const dialog = await screen.findByRole("dialog", { name: "New on Wednesday, 9 December 2026" });
  const field = within(dialog).getByLabelText("What is it?");
  await person.type(field, "Call Grace at 9 remind me an hour before");
  within(dialog).getByText(/^Due in 18 days, Wednesday, 9 December 2026, 09:00$/);
  await person.type(field, " every Friday");
  within(dialog).getByText(/^Due in 20 days, Friday, 11 December 2026, 09:00$/);
  await person.click(within(dialog).getByRole("button", { name: /^every Friday: keep/ }));
  within(dialog).getByText(/^Due in 18 days/);
  await person.type(field, "{Enter}");
  await screen.findByText("Saved “Call Grace every Friday”");
  expect(written()[0]?.body).toMatchObject({
    due_date: "2026-12-09",
    due_time: "09:00",
    remind: [{ before: "PT1H" }],
  });
});

test.for([
  { times: ["00:00", "00:01", "23:57", "23:58", "23:59"], lines: 1 },
  { times: ["00:00", "00:01", "00:02", "00:03", "00:04", "23:59"], lines: 0 },
])("in a month the line of now is drawn only where it is: $lines", async ({ times, lines }) => {
  const due_date = "2026-11-21";
  open(times.map((due_time) => record({ topic: due_time, due_date, due_time })));
  await cell(`Saturday, 21 November 2026: ${times.length} records`);
  expect(screen.queryAllByText(/^Now, /)).toHaveLength(lines);
});

test("e on a record that repeats says when it comes again", async () => {
  const repeats = { repeat: "FREQ=WEEKLY;BYDAY=TU", repeat_text: "every Tuesday", next_due: ["2026-12-01"] };
  const rent = record({ topic: "Bins", due_date: "2026-11-24", due_time: "07:00", missed: 0, ...repeats });
  const person = open([rent], "/calendar?day=2026-11-24");
  answer({ "POST /api/memories/bulk": () => allDone([rent.id]) });
  await cell("Tuesday, 24 November 2026: 1 record");
  await cell("Tuesday, 1 December 2026: 1 that repeats");
  await person.keyboard("{Enter}s");
  await screen.findByText("Skipped “Bins”. Next: Tue 1 Dec, 07:00");
  expect(written().map(({ body }) => body)).toEqual([{ operations: [{ operation: "skip", id: rent.id }] }]);
});

test("o reopens a record that is done", async () => {
  const done = record({ topic: "Bins", due_date: "2026-11-24", status: "resolved" });
  const person = open([done], "/calendar?day=2026-11-24");
  await cell("Tuesday, 24 November 2026: 1 record");
  await person.keyboard("{Enter}o");
  await screen.findByText("Reopened “Bins”");
  expect(written().map(({ body }) => body)).toEqual([{ operations: [{ operation: "reopen", id: done.id }] }]);
});
