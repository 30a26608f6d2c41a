import type { Route } from "playwright-core";
import { expect, test } from "vitest";
import { complete, isFocused, told, violations, violationsInBoth } from "./app.ts";
import { openAs, stageFor } from "./stage.ts";

// Records: a day is worked off, what they say is changed in place, and undo takes back what the latest message names, and
// nothing else. The keys, dialogs and messages of lists and of the quick entry are in web/test.

type Memory = { id: number; topic: string; content: string; status: string; [field: string]: unknown };

const stage = stageFor();

const LATE = ["Send Grace the slides", "Pay the bill", "Order the boots", "Call the dentist"].map(
  (topic, day) => ({
    ...{ memory_type: "commitment", content: "As promised" },
    ...{ topic, due_date: `2020-01-0${day + 1}` },
  }),
);

/** A new account with records, and the app open on the first of them or on Today. */
async function openWith({ records = LATE as object[], isOpen = false, width = 1280 } = {}) {
  const app = await openAs(stage, "/settings", { viewport: { width, height: 844 } });
  const { page, ask } = app;
  for (const record of records) await ask("POST", "/api/memories", record);
  const list = async () =>
    (await ask<{ items: Memory[] }>("GET", "/api/memories?sort=created_at&order=asc&limit=100")).items;
  const statuses = async () => (await list()).map(({ status }) => status);
  const first = (await list())[0] as Memory;
  await page.goto(isOpen ? `/records/${first.id}` : "/");
  if (first) await page.getByText(first.topic).first().waitFor();
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const read = () => ask<Memory>("GET", `/api/memories/${first.id}`);
  const elsewhere = () => ask("PATCH", `/api/memories/${first.id}`, { content: "By another" });
  const event = (text: string | RegExp) =>
    page.getByRole("region", { name: "History" }).getByRole("listitem").filter({ hasText: text });
  const focused = (topic: string) =>
    expect.poll(() => isFocused(page.getByRole("link", { name: topic }))).toBe(true);
  const archiveFirst = async () => {
    await press("j", "a");
    await page.getByText("Archived “Send Grace the slides”").waitFor();
    await focused("Pay the bill");
  };
  return { ...app, list, statuses, press, first, read, elsewhere, event, focused, archiveFirst };
}

const NOT_UNDONE = "Couldn’t undo “Send Grace the slides”: changed since then, see Activity";

test("one record is put off and two are filed without a mouse, and u and z take each step back", async () => {
  const { page, statuses, press, focused, complaints } = await openWith();
  const row = (topic: string) => page.getByRole("link", { name: topic });
  await press("j", "d");
  await page.getByLabel("Defer until…").waitFor();
  await page.keyboard.type("in 2 weeks");
  await page.getByText(/^Comes back on .* in 14 days\.$/).waitFor();
  await press("Enter");
  await page.getByText("Deferred “Send Grace the slides”").waitFor();
  await focused("Pay the bill");

  await press("x", "j", "x", "a");
  await page.getByText("Archived 2 records").waitFor();
  await expect.poll(statuses).toEqual(["deferred", "archived", "archived", "active"]);
  await press("u");
  await row("Order the boots").waitFor();
  await press("z");
  await row("Send Grace the slides").waitFor();
  await expect.poll(statuses).toEqual(["active", "active", "active", "active"]);
  expect(complaints).toEqual([]);
});

test("what is put off by a few days goes straight to what wakes soon, and the cursor goes on", async () => {
  const { page, press, focused, complaints } = await openWith({ records: LATE.slice(0, 2) });
  const waking = page.getByRole("region", { name: "Coming back soon" });
  const inWaking = (topic: string) => waking.getByRole("link", { name: topic });
  const held: Route[] = [];
  await page.route("**/api/memories/bulk", (route) => void held.push(route));
  for (const [at, topic] of ["Send Grace the slides", "Pay the bill"].entries()) {
    if (at === 0) await press("j");
    await press("d");
    await page.getByLabel("Defer until…").fill("in 3 days");
    await press("Enter");
    await inWaking(topic).waitFor();
    if (at === 0) await focused("Pay the bill");
  }
  // From here on until all is answered: never a moment without the two.
  await page.evaluate(
    `window.seen = new Set();
    new MutationObserver(() => seen.add(document.querySelector("main [data-record]") ? "records" : document.querySelector("main").innerText))
      .observe(document.body, { childList: true, subtree: true })`,
  );
  await expect.poll(() => held.length).toBe(1);
  await held.shift()?.continue();
  await expect.poll(() => held.length).toBe(1);
  const lists = ["status=deferred", "due_before="].map((query) =>
    page.waitForResponse((answer) => answer.url().includes(query)),
  );
  await held.shift()?.continue();
  await page.getByText("Deferred 2 records").waitFor();
  await Promise.all(lists);
  expect(await waking.getByRole("link").allInnerTexts()).toEqual(["Send Grace the slides", "Pay the bill"]);
  expect(await page.evaluate("[...seen]")).toEqual(["records"]);
  expect(complaints).toEqual([]);
});

test("more than a page of records wakes, and one that is resolved leaves a long list without reading it again", async () => {
  const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const { page, ask, press } = await openWith({ records: [] });
  for (const name of ["first", "second"]) {
    const { results } = await ask<{ results: { id: number }[] }>("POST", "/api/memories/bulk", {
      operations: Array.from({ length: 100 }, (_, at) => ({
        ...{ operation: "create", memory_type: "pattern", topic: `The ${name} ${at}`, content: "As said" },
      })),
    });
    await ask("POST", "/api/memories/bulk", {
      operations: results.flatMap(({ id }, at) => {
        if (name === "second" && at > 5) return [];
        const deferred_until = name === "first" && at === 0 ? later(2) : later(60);
        return [{ operation: "defer", id, deferred_until }];
      }),
    });
  }
  await page.reload();
  await page.getByRole("link", { name: "The first 0" }).waitFor();

  await page.goto("/records?status=all");
  await page.getByText("200 records, 100 shown").waitFor();
  await page.locator("[data-record]").nth(99).waitFor();
  await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
  await page.getByText("200 records", { exact: true }).waitFor();
  await page.getByRole("link", { name: "The first 9", exact: false }).first().waitFor();
  await complete(page);
  await told(page);
  const read: string[] = [];
  page.on("request", (request) => read.push(request.url()));
  await page.getByRole("link", { name: "The second 50" }).focus();
  await press("a");
  await page.getByText("Archived “The second 50”").waitFor();
  await expect.poll(() => read.filter((url) => url.includes("/api/dashboard/summary"))).toHaveLength(1);
  await complete(page);
  await told(page);
  expect(read.filter((url) => url.includes("/api/memories?"))).toEqual([]);
});

test("a new account is filled with sample data; a record of another account says so", async () => {
  const { page, list, email, complaints } = await openWith({ records: [] });
  // The records are created, and the answer never arrives.
  await page.route(
    "**/api/memories/bulk",
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await page.getByRole("button", { name: "Add sample data" }).click();
  await page.getByRole("heading", { name: /^Overdue/ }).waitFor();
  const count = (await list()).length;
  expect(count).toBeGreaterThan(40);
  expect(count).toBeLessThan(60);
  expect(complaints.filter((complaint) => !/ERR_FAILED|Service Worker/.test(complaint))).toEqual([]);
  await page.goto("/records/4711");
  await page.getByText(`This record isn’t in the account ${email}`).waitFor();
});

test("a topic is changed where it stands, a property with the same kind of list as elsewhere, and the history says so", async () => {
  const words = { memory_type: "commitment", topic: "Send the slides", content: "Send the slides" };
  const { page, event, read, complaints } = await openWith({ records: [words], isOpen: true });
  const heading = (name: string) => page.getByRole("heading", { level: 1, name, exact: true });
  await heading("Send the slides").waitFor();
  // What is said in one line is said once.
  expect(await page.getByText("Send the slides", { exact: true }).count()).toBe(1);
  await page.getByRole("button", { name: "Send the slides", exact: true }).click();
  await page.getByRole("textbox", { name: "Topic" }).fill("Send all slides");
  await page.keyboard.press("Enter");
  await heading("Send all slides").waitFor();
  await event("You changed topic → “Send all slides”").waitFor();
  expect(await read()).toMatchObject({ topic: "Send all slides", content: "Send all slides" });
  await page.getByRole("button", { name: /Scope$/ }).click();
  await page.getByRole("option", { name: "Work" }).click();
  await event("You changed scope → Work").waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("of a series, what was skipped says so; what ended it was archived", async () => {
  const bins = { memory_type: "commitment", topic: "Bins", content: "Both", repeat: "FREQ=WEEKLY" };
  const { page, event } = await openWith({ records: [{ ...bins, due_date: "2031-05-14" }], isOpen: true });
  await page.getByRole("button", { name: /^Skip/ }).click();
  await page.getByText("Skipped “Bins”. Next: Wed 21 May 2031").waitFor();
  await event("You skipped it").waitFor();
  await event(/Wed 21 May 2031 open/)
    .getByRole("link")
    .click();
  await page.getByRole("button", { name: /^Archive/ }).click();
  await page.getByText("Archived “Bins”").waitFor();
  await event("You archived it").waitFor();
  await event(/Wed 14 May 2031 skipped/)
    .getByRole("link")
    .click();
  await event(/Wed 21 May 2031 archived/).waitFor();
});

test("a confirmation is taken back, and what is older stays", async () => {
  const { page, list, press, statuses, archiveFirst, complaints } = await openWith();
  const confirmed = async () => (await list()).map(({ last_confirmed_at }) => last_confirmed_at !== null);
  await archiveFirst();
  await press("c");
  await page.getByText("Confirmed “Pay the bill”").waitFor();
  const keys = page.getByRole("list", { name: "Notifications" }).locator("kbd");
  await expect.poll(() => keys.count()).toBe(1);
  expect(await confirmed()).toEqual([false, true, false, false]);
  await press("u");
  await expect.poll(confirmed).toEqual([false, false, false, false]);
  expect(await statuses()).toEqual(["archived", "active", "active", "active"]);
  expect(complaints).toEqual([]);
});

test("after a message that offers nothing, u does nothing", async () => {
  const { page, ask, list, press, statuses, archiveFirst } = await openWith();
  const [, second] = await list();
  await archiveFirst();
  await ask("POST", `/api/memories/${second?.id}/resolve`, {});
  await press("c");
  await page.getByText(/“Pay the bill”: A resolved record cannot be confirmed/).waitFor();
  await press("u");
  await page.getByText("Archived “Send Grace the slides”").waitFor();
  expect(await statuses()).toEqual(["archived", "resolved", "active", "active"]);
});

test("what was changed since stays as it is, and the message says so", async () => {
  const { page, press, read, elsewhere, archiveFirst, complaints } = await openWith();
  await archiveFirst();
  await elsewhere();
  await press("u");
  await page.getByText(NOT_UNDONE).waitFor();
  expect(await read()).toMatchObject({ status: "archived", content: "By another" });
  expect(complaints).toEqual([]);
});

test("a deferred record that is archived gets its day and its note back", async () => {
  const { page, ask, press, first, read } = await openWith({ isOpen: true });
  const deferral = { deferred_until: "2090-01-01", note: "After the summer" };
  await ask("POST", `/api/memories/${first.id}/defer`, deferral);
  const { version: _, updated_at: __, ...before } = await read();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: first.topic }).waitFor();
  await press("a");
  await page.getByText(`Archived “${first.topic}”`).waitFor();
  await press("u");
  await expect.poll(read).toMatchObject({ status: "deferred", ...deferral });
  expect(await read()).toMatchObject(before);
});

test("a saved text is taken back, never what came after it; two texts of one record are both kept", async () => {
  const { page, ask, press, first, read, elsewhere, complaints } = await openWith({ isOpen: true });
  const edit = page.getByRole("button", { name: "Edit the text" });
  const save = page.getByRole("button", { name: "Save" });
  const content = async () => (await read()).content;
  const write = async (text: string) => {
    await edit.click();
    await page.getByLabel("Content").fill(text);
    await save.click();
    await page.getByText("Saved", { exact: true }).last().waitFor();
    await expect.poll(content).toBe(text);
    await edit.waitFor();
  };
  await write("Promised twice");
  await press("u");
  await expect.poll(content).toBe("As promised");
  await page.getByText("As promised").waitFor();
  await write("Promised three times");
  await elsewhere();
  await press("u");
  await page.getByText(NOT_UNDONE).waitFor();
  expect(await content()).toBe("By another");
  expect(complaints).toEqual([]);

  await edit.click();
  await page.getByLabel("Content").fill("What I wrote");
  await ask("PATCH", `/api/memories/${first.id}`, { content: "What Claude wrote" });
  await page.reload();
  await save.click();
  await page.getByRole("heading", { name: "This record changed while you were editing" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Keep both" }).click();
  await save.click();
  await edit.waitFor();
  expect(await content()).toBe("What Claude wrote\n\nWhat I wrote");
});

test.each([1280, 390])("a message does not cover the bar of a selection, at %i px", async (width) => {
  const { page, press, first } = await openWith({ width });
  await press("j", "a");
  const message = page.getByRole("listitem").filter({ hasText: `Archived “${first.topic}”` });
  await message.waitFor();
  await press("x");
  const bar = page.getByRole("region", { name: "Selected records" });
  await bar.waitFor();
  const [one, other] = [await message.boundingBox(), await bar.boundingBox()];
  if (!one || !other) throw new Error("Both are on the screen");
  const isApart = one.y + one.height <= other.y || other.y + other.height <= one.y;
  expect(isApart, `${JSON.stringify(one)} ${JSON.stringify(other)}`).toBe(true);
  expect(await violations(page)).toEqual([]);
});
