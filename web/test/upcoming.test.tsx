import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Memory, MemoryList } from "../../src/contract/memory.ts";
import "../src/kit/modal.tsx";
import "../src/features/records/step-dialogs.tsx";
import Upcoming from "../src/features/calendar/upcoming.tsx";
import { show } from "./kit/show.tsx";
import { allDone, answer, connect, record, type Sent, written } from "./kit/wire.ts";

// The days of Upcoming and their keys. Dragging, and what the service makes of it, is in test/e2e/web-upcoming.test.ts.

connect();

/** Answers the lists as the service does, by their due dates, page by page. */
function open(records: Memory[]) {
  answer({
    "GET /api/memories": ({ query }) => {
      const [after, before] = [query.get("due_after") ?? "", query.get("due_before") ?? "9999"];
      const items = records
        .filter(
          ({ due_date: day, repeat }) =>
            day && day >= after && day < before && (!query.has("repeats") || repeat),
        )
        .sort((one, other) => ((one.due_date ?? "") < (other.due_date ?? "") ? -1 : 1));
      const offset = Number(query.get("offset") ?? 0);
      return { schema: MemoryList, body: { items: items.slice(offset, offset + 100), total: items.length } };
    },
    "POST /api/memories/bulk": ({ body }: Sent) => {
      const { operations } = body as { operations: { operation: string; id: number }[] };
      for (const { operation: _, ...fields } of operations)
        Object.assign(records.find(({ id }) => id === fields.id) ?? {}, fields);
      return allDone(operations.map(({ id }) => id));
    },
  });
  return show(<Upcoming />);
}

const day = (name: string) => screen.findByRole("region", { name });
const topics = async (name: string) =>
  within(await day(name))
    .queryAllByRole("link")
    .map(({ textContent }) => textContent);

test("every near day is there, later ones if something is due, and what repeats is named", async () => {
  open([
    record({ topic: "Late", due_date: "2026-11-19" }),
    record({ topic: "Now", due_date: "2026-11-21" }),
    record({
      topic: "Pay the rent",
      due_date: "2026-11-22",
      repeat: "FREQ=WEEKLY",
      repeat_start: "2026-11-22",
      remind: [],
    }),
    record({ topic: "Far", due_date: "2027-03-01" }),
  ]);
  expect(await topics("Overdue")).toEqual(["Late"]);
  expect(await topics("Today, Saturday, 21 November")).toEqual(["Now"]);
  expect(await topics("Tomorrow, Sunday, 22 November")).toEqual(["Pay the rent"]);
  expect(await topics("Friday, 4 December")).toEqual([]);
  expect(await topics("Monday, 1 March 2027")).toEqual(["Far"]);
  within(await day("Sunday, 29 November")).getByText("Repeats: Pay the rent");
  expect(screen.getAllByRole("region")).toHaveLength(1 + 14 + 1);
  screen.getByText("3 to come, 1 overdue");
});

test("Shift and an arrow move a record to the next day, which keeps the focus; t asks for a day", async () => {
  const person = open([
    record({ topic: "Late", due_date: "2026-11-01" }),
    record({ topic: "Call Grace", due_date: "2026-11-21" }),
  ]);
  await day("Overdue");
  await person.keyboard("jj{Shift>}{ArrowDown}{/Shift}");
  await screen.findByText("Moved “Call Grace” to Sun 22 Nov");
  await waitFor(async () => expect(await topics("Tomorrow, Sunday, 22 November")).toEqual(["Call Grace"]));
  await waitFor(() => expect(document.activeElement?.textContent).toBe("Call Grace"));
  await person.keyboard("k{Shift>}{ArrowDown}{/Shift}");
  await waitFor(async () => expect(await topics("Today, Saturday, 21 November")).toEqual(["Late"]));
  await person.keyboard("t");
  await person.type(await screen.findByLabelText("Due on…"), "monday{Enter}");
  await waitFor(async () => expect(await topics("Monday, 23 November")).toEqual(["Late"]));
  expect(written().map(({ body }) => (body as { operations: unknown[] }).operations[0])).toMatchObject([
    { due_date: "2026-11-22" },
    { due_date: "2026-11-21" },
    { due_date: "2026-11-23" },
  ]);
});

test("an empty day begins a record that is due on it", async () => {
  const person = open([]);
  await screen.findByText("Nothing has a date yet");
  await person.click(screen.getByRole("button", { name: "New record on Friday, 27 November" }));
  await screen.findByRole("dialog", { name: "New on Friday, 27 November 2026" });
});
