import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { User } from "../../src/contract/auth.ts";
import { Memory } from "../../src/contract/memory.ts";
import { QuickEntry } from "../src/features/records/quick-entry.tsx";
import { queries } from "../src/state/queries.ts";
import { show } from "./kit/show.tsx";
import { ADA, answer, answerNewRecords, connect, written } from "./kit/wire.ts";

// What a line is read as is in test/web/quick-entry.test.ts; here is what a person sees of it, and what is sent.

connect();

const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "New record" });
const pills = () =>
  within(screen.getByRole("list", { name: "Understood as" }))
    .getAllByRole("listitem")
    .map(({ textContent }) => textContent?.trim());

async function open() {
  answerNewRecords();
  const person = show(<QuickEntry />);
  await person.keyboard("n");
  expect(document.activeElement).toBe(field());
  return person;
}

test("a link brings its words into the field, where the browser keeps nothing, and where nobody says whose page it is", async () => {
  for (const status of [200, 401]) {
    answer({ "GET /api/auth/me": () => ({ schema: User, body: status === 200 ? ADA : {}, status }) });
    history.replaceState(null, "", "/?new=call%20Ada");
    const person = show(<QuickEntry />);
    await waitFor(() => expect(field().value).toBe("call Ada"));
    await person.keyboard(" today");
    expect([field().value, location.search]).toEqual(["call Ada today", ""]);
    cleanup();
    queries.clear();
  }
});

test("what was understood is shown before it is saved, and each part can be plain words again", async () => {
  const person = await open();
  await person.keyboard("decision: stay with SQLite by fri #apollo #db @work");
  await screen.findByText("Project Apollo");
  expect(pills()).toEqual(["Decision", "due Fri 27 Nov, in 6 days", "Project Apollo", "#db", "Work"]);
  await person.click(screen.getByRole("button", { name: "#db: keep “#db” as plain text" }));
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
  expect(screen.getByRole("link", { name: "Show" }).getAttribute("href")).toMatch(/^\/records\/\d+$/);
  await person.keyboard("Call Ada{Enter}");
  await screen.findByText("Saved 2 records");
  expect(screen.getByRole("link", { name: "Show" }).getAttribute("href")).toBe("/records?sort=created_at");
});

test("a line of nothing but signs is not saved, further lines are its content, Escape leaves the field", async () => {
  const person = await open();
  await person.keyboard("#db{Enter}");
  await screen.findByText("Describe it in a few words.");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: /^Save/ }).disabled).toBe(true);
  await person.keyboard(" Call Ada{Shift>}{Enter}{/Shift}About the slides{Enter}");
  await screen.findByText("Saved “Call Ada”");
  expect(written()).toMatchObject([
    { body: { topic: "Call Ada", content: "About the slides", tags: ["db"] } },
  ]);
  await person.keyboard("{Escape}");
  expect(document.activeElement).toBe(document.body);
});

test("an hour, what repeats and reminders are shown, and can be corrected before they are saved", async () => {
  const person = await open();
  await person.keyboard("standup every Monday at 5 remind me an hour before");
  await screen.findByText("every Monday");
  expect(pills()).toEqual([
    "Commitment",
    "due Mon 23 Nov, in 2 days",
    "every Monday",
    "at 17:00 or 05:00",
    "reminder 1 hour before",
  ]);
  await person.click(screen.getByRole("button", { name: "Read “at 5” as 05:00" }));
  expect(pills()).toContain("at 05:00 or 17:00");
  await person.click(screen.getByRole("button", { name: /^reminder 1 hour before/ }));
  expect(pills()).toEqual(["Commitment", "due Mon 23 Nov, in 2 days", "every Monday", "at 05:00 or 17:00"]);
  await person.click(screen.getByRole("button", { name: "every Monday: keep “every Monday” as plain text" }));
  expect(pills()).toEqual(["Commitment", "due Sun 22 Nov, tomorrow", "at 05:00 or 17:00"]);
});

test("a German line is understood with its day and hour, and saved so", async () => {
  const person = await open();
  await person.keyboard("Rechnung zahlen bis 15. Dezember um 17 Uhr");
  await screen.findByText("at 17:00");
  expect(pills()).toEqual(["Commitment", "due Tue 15 Dec, in 3 weeks", "at 17:00"]);
  await person.keyboard("{Enter}");
  await screen.findByText("Saved “Rechnung zahlen”");
  expect(written()).toMatchObject([
    {
      path: "/api/memories",
      body: {
        ...{ memory_type: "commitment", topic: "Rechnung zahlen", content: "Rechnung zahlen" },
        ...{ due_date: "2026-12-15", due_time: "17:00" },
      },
    },
  ]);
});

test("a day that is over is offered, and its words stay until it is taken", async () => {
  const person = await open();
  await person.keyboard("call Ada, last friday");
  const offer = await screen.findByRole("button", {
    name: "Set “last friday” as the due date: due Fri 20 Nov, yesterday",
  });
  expect(pills()).toEqual(["Commitment", "due Fri 20 Nov, yesterday?"]);
  await person.click(offer);
  expect(pills()).toEqual(["Commitment", "due Fri 20 Nov, yesterday"]);
  await person.click(screen.getByRole("button", { name: /^due Fri 20 Nov/ }));
  expect(pills()).toEqual(["Commitment"]);
  await person.type(field(), "{Enter}");
  await screen.findByText("Saved “call Ada, last friday”");
  expect(written()[0]?.body).not.toHaveProperty("due_date");
});

test("words of repetition that may mean two things stay, and a note says so", async () => {
  const person = await open();
  await person.keyboard("every second Monday choir");
  await screen.findByRole("note");
  expect(screen.getByRole("note").textContent).toContain("“every second Monday”");
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

test("what looks like a secret is asked about: it is taken out, or saved when the person says so", async () => {
  const person = await open();
  await person.keyboard("context: the wifi password is Sommer2026{Enter}");
  await screen.findByRole("alert");
  expect(screen.getByRole("alert").textContent).toContain("This looks like a password or key");
  expect(written()).toEqual([]);
  await person.click(screen.getByRole("button", { name: "Remove it" }));
  expect(field().value.trim()).toBe("context: the wifi password is");
  expect(screen.queryByRole("alert")).toBeNull();
  await person.type(field(), "Winter2027{Enter}");
  await person.click(await screen.findByRole("button", { name: "Save anyway" }));
  await waitFor(() => expect(written()).toHaveLength(1));
  expect(written()).toMatchObject([{ body: { topic: expect.stringContaining("Winter2027") } }]);
});
