import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { complete, enter, openApp, told, violations, WITH_WORKER } from "./app.ts";
import type { Ask } from "./ask.ts";
import { freePorts, startService, temporaryFolder } from "./service.ts";
import { openAs, stageFor } from "./stage.ts";
import { createDocument, textField, textOf, writeAtStart } from "./steps.ts";

// The service goes away in the middle of a day, or its answers do: nothing that was typed is lost, nothing is done twice,
// and no page has to be loaded again.

const stage = stageFor();

type Listed<Item> = { total: number; items: Item[] };

const commit = (ask: Ask, topic: string) =>
  ask<{ id: number; version: number }>("POST", "/api/memories", {
    ...{ memory_type: "commitment", topic, content: "As promised", due_date: "2020-01-01" },
  });

const said = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();
const waits = (page: Page) => page.getByText(/\d changes? will sync/);
const noAnswer = (page: Page) => page.getByText("Can’t reach the server").first();
const go = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();

/** Lets the next requests of this kind arrive, and loses their answers. */
async function loseAnswers(page: Page, path: string, method: string, times = 1): Promise<void> {
  let left = times;
  await page.route(
    (url) => url.pathname === path,
    async (route) => {
      if (left === 0 || route.request().method() !== method) return route.fallback();
      left -= 1;
      await route.fetch();
      await route.abort("connectionreset");
    },
  );
}

/** Counts what a page asks the service. */
function counting(page: Page): () => number {
  let asked = 0;
  page.on("request", (request) => {
    if (/\/(api\/|health)/.test(new URL(request.url()).pathname)) asked += 1;
  });
  return () => asked;
}

const VISIBILITY = "document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))";

/** Makes a page a tab in the background. */
async function hide(page: Page): Promise<void> {
  for (const [name, value] of Object.entries({ hidden: true, visibilityState: "hidden" }))
    await page.evaluate(
      `Object.defineProperty(document, "${name}", { configurable: true, get: () => ${JSON.stringify(value)} })`,
    );
  await page.evaluate(VISIBILITY);
}

test("open pages go on by themselves once the service is back, and a page in the background asks nothing", async () => {
  const folder = await temporaryFolder();
  const ports = await freePorts();
  let service = await startService(folder.path, {}, ports);
  const person = await openAs({ ...stage, service }, "/", WITH_WORKER);
  const { page, context, ask } = person;
  await commit(ask, "Send Grace the slides");
  const id = await createDocument(ask, "Plan", "One\n");
  const open = async (path: string) => {
    const tab = await context.newPage();
    await tab.clock.install();
    await tab.goto(path);
    await complete(tab);
    return tab;
  };
  const [today, writer] = [await open("/"), await open(`/documents/${id}?edit`)];
  const begun = await open("/documents/new");
  const elsewhere = await openApp(stage.browser, service.apiUrl);
  const { page: asleep } = elsewhere;
  await asleep.clock.install();
  await enter(elsewhere, person, "/history");
  await textField(writer).filter({ hasText: "One" }).waitFor();
  await today.getByRole("link", { name: "Send Grace the slides" }).waitFor();
  const pages = [today, writer, begun];
  for (const one of pages) await one.evaluate("window.isTheSame = true");
  await hide(asleep);
  await complete(asleep);
  await page.close();

  await service.kill();
  const asleepAsked = counting(asleep);
  await writeAtStart(writer, "Written while it was away. ");
  await begun.getByRole("textbox", { name: "Title" }).fill("A new idea");
  for (const one of [writer, begun]) {
    await one.keyboard.press("Control+s");
    await noAnswer(one).waitFor();
  }
  await writer.keyboard.insertText("And a little later. ");
  // What is shown is older than ten seconds by now.
  await today.clock.fastForward(11_000);
  await today.evaluate(VISIBILITY);
  await today.getByText("what you see may be out of date").waitFor();
  await today.getByRole("link", { name: "Send Grace the slides" }).focus();
  await today.keyboard.press("Shift+E");
  await today.getByLabel("Add a note (optional)").fill("Sent as a PDF");
  await today.keyboard.press("Enter");
  await waits(today).waitFor();
  await go(today, "Documents");
  await noAnswer(today).waitFor();
  expect(await violations(today)).toEqual([]);
  service = await startService(folder.path, {}, ports);
  // The pause before the next attempt is over: at most half a minute.
  for (const one of [...pages, asleep]) await one.clock.fastForward(30_000);

  await today.getByRole("link", { name: "Plan" }).first().waitFor();
  await waits(today).waitFor({ state: "hidden" });
  await said(writer, "Saved");
  await begun.waitForURL(/\/documents\/[0-9a-f-]{36}/);
  for (const one of pages) {
    await noAnswer(one).waitFor({ state: "hidden" });
    expect(await one.evaluate("window.isTheSame")).toBe(true);
  }
  await told(asleep);
  expect(asleepAsked()).toBe(0);
  expect(await textOf(ask, id)).toBe("Written while it was away. And a little later. One\n");
  const { items } = await ask<Listed<{ title: string }>>("GET", "/api/documents?sort=title");
  expect(items.map(({ title }) => title)).toEqual(["A new idea", "Plan"]);
  const records = await ask<Listed<{ status: string; resolution_note: string }>>("GET", "/api/memories");
  expect(records.items).toMatchObject([{ status: "resolved", resolution_note: "Sent as a PDF" }]);
  await elsewhere.close();
  await service.stop();
  await folder.remove();
});

test("an answer of 503 is asked again when the user comes back to the page, and not before it says", async () => {
  const { page, context, ask } = await openAs(stage);
  await commit(ask, "Send Grace the slides");
  let refused = 0;
  const lists = /\/api\/(memories|documents|folders)/;
  await context.route(lists, (route) => {
    refused += 1;
    const detail = "The service is being updated";
    return route.fulfill({ status: 503, headers: { "Retry-After": "600" }, json: { detail } });
  });
  await page.clock.install();
  await page.goto("/records");
  await page.getByText("The service is being updated").waitFor();
  await page.getByText("Will retry automatically.").waitFor();
  // What else the page asks for when it is opened may come after the first refusal.
  await complete(page);
  await told(page);
  const before = refused;
  const asked = counting(page);
  // As if most of the ten minutes were over; the rest is far longer than this story takes.
  await page.clock.fastForward(500_000);
  await told(page);
  expect([asked(), refused]).toEqual([0, before]);
  await context.unroute(lists);
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await page.getByRole("link", { name: "Send Grace the slides" }).waitFor();
});

test("a screen whose files could not be loaded is there once the service answers", async () => {
  const { page, context } = await openAs(stage);
  await context.route(/\/app\/history|\/health/, (route) => route.abort());
  await go(page, "History");
  await page.getByText("This screen couldn’t be loaded").waitFor();
  await context.unroute(/\/app\/history|\/health/);
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await page.getByRole("heading", { level: 1, name: "History" }).waitFor();
});

test("what was done before its answer was lost is done once, and told as done", async () => {
  const { page, ask } = await openAs(stage);
  const id = await createDocument(ask, "Packing list", "Boots\n");
  const changes = async () => (await ask<Listed<unknown>>("GET", "/api/activity?limit=100")).items.length;

  await page.goto(`/documents/${id}`);
  await loseAnswers(page, `/api/documents/${id}`, "PUT");
  await page.getByRole("heading", { name: "Packing list" }).dblclick();
  await page.getByRole("textbox", { name: "Title" }).fill("What to take");
  await page.keyboard.press("Enter");
  await page.getByText("Renamed to “What to take”").waitFor();
  expect(await changes()).toBe(2);

  await loseAnswers(page, "/api/folders", "POST");
  await page.keyboard.press("m");
  await page.getByPlaceholder("Find or create a folder").fill("Travel");
  await page.getByRole("option", { name: "Create “Travel”" }).click();
  await page.getByText("“What to take” moved to Travel").waitFor();
  expect((await ask<Listed<unknown>>("GET", "/api/folders")).total).toBe(1);
  expect(await changes()).toBe(4);

  await loseAnswers(page, "/api/documents/bulk", "POST", 2);
  await page.keyboard.press("#");
  await page.getByText("“What to take” moved to the trash").waitFor();
  expect(await changes()).toBe(5);
  await page.keyboard.press("u");
  await page.getByText("What to take").first().waitFor();
  await expect.poll(changes).toBe(6);

  const record = await commit(ask, "Send Grace the slides");
  await page.goto(`/records/${record.id}`);
  await page.getByRole("button", { name: "Edit the text" }).click();
  await page.getByLabel("Content").fill("The slides and the notes");
  await loseAnswers(page, `/api/memories/${record.id}`, "PATCH");
  await page.getByRole("button", { name: "Save" }).click();
  // The repeated request does not conflict with the first one.
  await said(page, "Saved");
  await page.getByText("The slides and the notes").waitFor();
  expect(await ask("GET", `/api/memories/${record.id}`)).toMatchObject({
    ...{ content: "The slides and the notes", version: 2 },
  });
});

test("a change that waits for the service is discarded by the user", async () => {
  const { page, ask } = await openAs(stage);
  await commit(ask, "Send Grace the slides");
  await page.reload();
  await page.getByRole("link", { name: "Send Grace the slides" }).focus();
  let sent = 0;
  await page.route("**/api/memories/bulk", (route) => {
    sent += 1;
    return route.fulfill({
      status: 503,
      headers: { "Retry-After": "1", "Error-Code": "unavailable" },
      json: { detail: "The database is busy, and nothing was changed: try again in a moment" },
    });
  });
  await page.keyboard.press("a");
  await waits(page).waitFor();
  await expect.poll(() => sent).toBeGreaterThan(2);
  await page.unroute("**/api/memories/bulk");
  await page.route("**/api/memories/bulk", (route) => route.abort());
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByRole("button", { name: "Discard Archive “Send Grace the slides”" }).click();
  await waits(page).waitFor({ state: "hidden" });
  await page.unroute("**/api/memories/bulk");
  await page.getByRole("link", { name: "Send Grace the slides" }).waitFor();
  const { items } = await ask<Listed<{ status: string }>>("GET", "/api/memories");
  expect(items.map(({ status }) => status)).toEqual(["active"]);
});
