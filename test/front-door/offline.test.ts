import type { Page } from "@playwright/test";
import { type App, enter, goOffline, violations, WITH_WORKER, workerReady } from "../e2e/app.ts";
import type { Ask } from "../e2e/ask.ts";
import { signInElsewhere } from "../e2e/browser.ts";
import { bar, capture, isNow, type Known, moveTo, readPackingList, rename, row, tag } from "../e2e/steps.ts";
import { expect, markdown, type Person, press, test } from "./fixtures.ts";

// Without a network: what is changed, written and captured is shown at once, kept, and sent when there is one.

async function reading(app: App, person: Person) {
  await enter(app, person);
  await workerReady(app.page);
  return { ask: person.ask, ...(await readPackingList(app.page, person.ask)) };
}

/** Writes at the end of the text, without a network. */
async function writeOn(page: Page, words: string): Promise<void> {
  await page.keyboard.press("e");
  await page.getByRole("textbox", { name: "Text" }).click();
  await page.keyboard.insertText(words);
  await page.getByText("Offline – saved on this device").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("You have unsaved changes").waitFor();
}

const OWN_WORDS = /ERR_INTERNET_DISCONNECTED/;

test("what is changed without a network is shown at once, after a reload too, and sent when there is one", async ({
  somebody,
  open,
}) => {
  const app = await open(WITH_WORKER);
  const { page, context, complaints } = app;
  const { ask, trips, packing, diary } = await reading(app, await somebody());
  const goOnline = await goOffline(context);
  await rename(page, "Packing list", "What to take");
  await page.getByText("Renamed to “What to take”; will sync when you’re back online").waitFor();
  await moveTo(page, "Trips");
  await tag(page, "summer");
  await bar(page).getByText("3 changes will sync").waitFor();

  await page.goto(`/documents?folder=${trips}`);
  await row(page, "What to take").getByText("#summer").waitFor();
  await page.goto("/documents?folder=none");
  await row(page, "Diary").waitFor();
  await expect.poll(() => row(page, "What to take").count()).toBe(0);
  await row(page, "Diary").locator("label").click();
  await page.keyboard.press("#");
  await page.getByText("“Diary” moved to the trash; will sync").waitFor();
  await row(page, "Diary").waitFor({ state: "hidden" });
  await page.goto(`/documents/${diary}`);
  await page.getByText("This document is in the trash").waitFor();
  await page.goto("/documents?view=trash");
  await row(page, "Diary").waitFor();

  await bar(page).getByRole("button", { name: "Show" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("listitem").nth(3).waitFor();
  expect(await dialog.getByRole("listitem").allInnerTexts()).toEqual([
    expect.stringContaining("Rename “Packing list” to “What to take”"),
    expect.stringContaining("Move “What to take” to Trips"),
    expect.stringContaining("Tag “What to take” summer"),
    expect.stringContaining("Move “Diary” to the trash"),
  ]);
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Discard Tag “What to take” summer" }).click();
  await bar(page).getByText("3 changes will sync").waitFor();
  await page.keyboard.press("Escape");
  expect(await isNow(ask, packing)).toMatchObject({ title: "Packing list", version: 1 });

  await goOnline();
  await bar(page).waitFor({ state: "hidden" });
  expect(await isNow(ask, packing)).toMatchObject({ title: "What to take", folder_id: trips, tags: [] });
  const { items } = await ask<{ items: { title: string }[] }>("GET", "/api/trash");
  expect(items.map(({ title }) => title)).toEqual(["Diary"]);
  await page.goto(`/documents?folder=${trips}`);
  await row(page, "What to take").waitFor();
  expect(complaints.filter((complaint) => !OWN_WORDS.test(complaint))).toEqual([]);
});

test("a text that was written goes before the trash, and another tab sends what this one could not", async ({
  somebody,
  open,
}) => {
  const app = await open(WITH_WORKER);
  const { page, context } = app;
  const { ask, packing } = await reading(app, await somebody());
  const goOnline = await goOffline(context);
  await writeOn(page, " and boots");
  await page.keyboard.press("#");
  await page.getByText("“Packing list” moved to the trash").waitFor();
  await bar(page).getByText("2 changes will sync").waitFor();
  const other = await context.newPage();
  await other.goto("/documents");
  await bar(other).getByText("2 changes will sync").waitFor();
  await page.close();
  await goOnline();
  await bar(other).waitFor({ state: "hidden" });
  const { items } = await ask<{ items: { id: string; title: string }[] }>("GET", "/api/trash");
  expect(items.map(({ id }) => id)).toEqual([packing]);
  const { content } = await ask<{ content: { text: string } }>(
    "GET",
    `/api/documents/${packing}?trashed=true`,
  );
  expect(content.text).toBe("Passport and boots");
});

test("a text that is refused is sent once, stays within reach, and becomes a document of its own", async ({
  somebody,
  open,
}) => {
  const app = await open(WITH_WORKER);
  const { page, context } = app;
  const { ask, packing, diary } = await reading(app, await somebody());
  const answered: string[] = [];
  page.on("response", (one) => {
    if (one.request().method() === "PUT") answered.push(new URL(one.url()).pathname);
  });
  const goOnline = await goOffline(context);
  await rename(page, "Packing list", "What to take");
  await writeOn(page, " and boots");
  await page.goto(`/documents/${diary}`);
  await page.getByRole("article").getByText("A fine day").waitFor();
  await writeOn(page, " it was");
  await bar(page).getByText("3 changes will sync").waitFor();
  await bar(page).getByRole("button", { name: "Show" }).click();
  await page.getByRole("button", { name: /^Discard Rename “Packing list”/ }).click();
  await bar(page).getByText("2 changes will sync").waitFor();
  await page.keyboard.press("Escape");
  await ask("DELETE", `/api/documents/${diary}?permanent=true`);

  await goOnline();
  const left = page.getByText("1 change needs your attention");
  await left.waitFor();
  const now = await ask<Known & { content: unknown }>("GET", `/api/documents/${packing}`);
  expect([now.title, now.content]).toEqual(["Packing list", markdown("Passport and boots")]);
  // Neither another page nor another text that is saved, nor a network that comes back, sends it once more.
  await page.goto(`/documents/${packing}`);
  await page.getByRole("article").getByText("Passport and boots").waitFor();
  await left.waitFor();
  const again = await goOffline(context);
  await writeOn(page, ", too");
  await again();
  await expect.poll(async () => (await isNow(ask, packing)).version).toBe(3);
  await left.waitFor();
  expect(answered.filter((path) => path.endsWith(diary))).toHaveLength(1);

  await page.goto(`/documents/${diary}`);
  const kept = page.getByRole("region", { name: "Your unsaved text" });
  await kept.getByText("A fine day it was").waitFor();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await kept.getByRole("button", { name: "Copy" }).click();
  await page.getByText("Markdown copied").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe("# Diary\n\nA fine day it was");
  await kept.getByRole("button", { name: "Save as a new document" }).click();
  await left.waitFor({ state: "hidden" });
  const titles = async () =>
    (await ask<{ items: Known[] }>("GET", "/api/documents")).items.map(({ title }) => title).sort();
  await expect.poll(titles).toEqual(["Diary", "Packing list"]);
});

/** Waits until the page has what reads the words of a new record, without which none can be made offline. */
async function readerIn(page: Page): Promise<void> {
  const field = page.getByLabel("New record");
  await field.fill("#ready");
  await page.getByRole("list", { name: "Understood as" }).getByText("#ready").waitFor();
  await field.fill("");
}

const topicsOf = async (ask: Ask) =>
  (await ask<{ items: { topic: string }[] }>("GET", "/api/memories")).items.map(({ topic }) => topic);

test("a capture waits for the network and arrives once, even if the first answer was lost", async ({
  somebody,
  open,
}) => {
  const ada = await somebody();
  const slides = { topic: "Send Grace the slides", due_date: "2020-01-01" };
  await ada.ask("POST", "/api/memories", { memory_type: "commitment", content: "As promised", ...slides });
  const list = async () =>
    (await ada.ask<{ items: Record<string, unknown>[] }>("GET", "/api/memories?sort=created_at&order=asc"))
      .items;
  const app = await open();
  const { page } = app;
  await enter(app, ada);
  await page.getByRole("link", { name: "Send Grace the slides" }).waitFor();
  await readerIn(page);
  const goOnline = await goOffline(app.context);
  await page.keyboard.type("decision: Buy bread by 24.12.2099 #food @personal");
  await page.getByRole("list", { name: "Understood as" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await press(page, "Enter");
  await page.getByText("1 change will sync").waitFor();
  await goOnline();
  await expect.poll(async () => (await list()).map(({ topic }) => topic)).toContain("Buy bread");
  await page.getByText("1 change will sync").waitFor({ state: "detached" });
  const bread = { memory_type: "decision", due_date: "2099-12-24", scope: "personal", tags: ["food"] };
  expect((await list()).at(-1)).toMatchObject({ topic: "Buy bread", source_type: "web", ...bread });

  // The service has it, and the network breaks before the browser knows.
  await page.route(
    (url) => url.pathname === "/api/memories" && url.search === "",
    async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    },
    { times: 1 },
  );
  await page.getByLabel("New record").focus();
  await page.keyboard.type("Buy milk");
  await press(page, "Enter");
  await page.getByText("1 change will sync").waitFor();
  const milk = async () => (await list()).filter(({ topic }) => topic === "Buy milk");
  expect(await milk()).toHaveLength(1);
  await page.reload();
  await page.getByRole("heading", { name: "Overdue" }).waitFor();
  await page.getByText("1 change will sync").waitFor({ state: "detached" });
  expect(await milk()).toHaveLength(1);
});

test("what one person leaves in a browser is neither shown to the next nor sent as theirs", async ({
  somebody,
  open,
}) => {
  const [ada, bob] = [await somebody(), await somebody()];
  const app = await open(WITH_WORKER);
  const { context, page } = app;
  await enter(app, ada);
  const known = { memory_type: "commitment", topic: "Ada is known", content: "to the service" };
  await ada.ask("POST", "/api/memories", { ...known, due_date: "2020-01-01" });
  await page.goto("/records/1");
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Keep offline" }).click();
  await page.getByText("Available offline on this device").waitFor();
  await page.goto("/search?q=known");
  await page.getByRole("link", { name: "Ada is known" }).first().click();
  await page.goto("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await readerIn(page);
  const goOnline = await goOffline(context);
  await page.getByRole("link", { name: "Ada is known" }).focus();
  await press(page, "a");
  await page.getByText("Archived “Ada is known”. It will sync when you’re back online.").waitFor();
  await capture(page, "Ada waits for the network");
  await page.getByText("2 changes will sync").waitFor();
  await page.close();
  await goOnline();
  const bobs = await signInElsewhere(context, bob);
  expect(await topicsOf(bob.ask)).toEqual([]);
  for (const [path, words] of [
    ["/", "Everything you’ve promised, in one place"],
    ["/search", "Nothing to search yet"],
    ["/records/1", `This record isn’t in the account ${bob.email}`],
  ] as const) {
    await bobs.goto(path);
    await bobs.getByText(words).first().waitFor();
    expect(await bobs.locator("body").innerText()).not.toMatch(/Ada/);
  }
  await bobs.evaluate("navigator.serviceWorker.ready");
  await bobs.reload();
  const goOnlineAgain = await goOffline(context);
  for (const path of ["/search", "/records/1"]) {
    await bobs.goto(path);
    await bobs.getByText("You’re offline").first().waitFor();
    expect(await bobs.locator("body").innerText()).not.toMatch(/Ada/);
  }
  await goOnlineAgain();
  expect(await topicsOf(bob.ask)).toEqual([]);
  await bobs.close();
  // When she comes back, both arrive.
  const hers = await signInElsewhere(context, ada);
  await expect.poll(() => topicsOf(ada.ask)).toHaveLength(2);
  const isNowKnown = async () => (await ada.ask<{ status: string }>("GET", "/api/memories/1")).status;
  await expect.poll(isNowKnown).toBe("archived");
  expect(await topicsOf(bob.ask)).toEqual([]);
  await hers.close();
});
