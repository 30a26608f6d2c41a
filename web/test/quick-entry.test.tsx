import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { Memory } from "../../src/contract/memory.ts";
import { QuickEntry } from "../src/features/records/quick-entry.tsx";
import { show } from "./kit/show.tsx";
import { answer, connect, record, type Sent, written } from "./kit/wire.ts";

// What a line is read as is in test/web/quick-entry.test.ts; here is what a person sees of it, and what is sent.

connect();

const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "New record" });
const pills = () =>
  within(screen.getByRole("list", { name: "Understood as" }))
    .getAllByRole("listitem")
    .map(({ textContent }) => textContent?.trim());

async function open() {
  answer({
    "POST /api/memories": ({ body }: Sent) => ({
      schema: Memory,
      body: record(body as Partial<Memory>),
      status: 201,
      headers: { "Change-Id": "7" },
    }),
  });
  const person = show(<QuickEntry />);
  await person.keyboard("n");
  expect(document.activeElement).toBe(field());
  return person;
}

test("what was understood is shown before it is saved, and each part can be plain words again", async () => {
  const person = await open();
  await person.keyboard("decision: stay with SQLite by fri #apollo #db @work");
  await screen.findByText("Project Apollo");
  expect(pills()).toEqual(["Decision", "due Fri 27 Nov, in 6 days", "Project Apollo", "#db", "Work"]);
  await person.click(screen.getByRole("button", { name: "#db: take “#db” as plain words" }));
  await person.click(screen.getByRole("button", { name: /^due Fri/ }));
  expect(pills()).toEqual(["Decision", "Project Apollo", "Work"]);
  await person.type(field(), "{Enter}");
  await screen.findByText("Saved “stay with SQLite by fri #db”");
  expect(written()).toMatchObject([
    {
      path: "/api/memories",
      body: {
        memory_type: "decision",
        topic: "stay with SQLite by fri #db",
        project: "Apollo",
        scope: "work",
      },
    },
  ]);
  expect(written()[0]?.headers.get("Idempotency-Key")).toMatch(/\S{8}/);
  expect([field().value, document.activeElement]).toEqual(["", field()]);
  screen.getByRole("button", { name: /^Undo/ });
});

test("a line of nothing but signs is not saved, further lines are its content, Escape leaves the field", async () => {
  const person = await open();
  await person.keyboard("#db{Enter}");
  screen.getByText("Say in a few words what it is.");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: /^Save/ }).disabled).toBe(true);
  await person.keyboard(" Call Ada{Shift>}{Enter}{/Shift}About the slides{Enter}");
  await screen.findByText("Saved “Call Ada”");
  expect(written()).toMatchObject([
    { body: { topic: "Call Ada", content: "About the slides", tags: ["db"] } },
  ]);
  await person.keyboard("{Escape}");
  expect(document.activeElement).toBe(document.body);
});

test("words of repetition stay, and a note says so", async () => {
  const person = await open();
  await person.keyboard("every Monday write the report");
  screen.getByText("Records do not repeat yet: “every Monday” stays as words.");
  expect(pills()).toEqual(["Commitment"]);
});

test("what is refused comes back into the field, with the reason", async () => {
  const person = await open();
  answer({
    "POST /api/memories": () => ({ schema: Memory, body: { detail: "tags: at most 20" }, status: 422 }),
  });
  await person.keyboard("Buy bread #food{Enter}");
  await waitFor(() => expect(screen.getByRole("alert").textContent).toBe("tags: at most 20"));
  expect(field().value).toBe("Buy bread #food");
  expect(screen.queryByText(/^Saved/)).toBeNull();
});
