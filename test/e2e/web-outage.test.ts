import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, test } from "vitest";
import { type App, enter, openApp, WITH_WORKER } from "./app.ts";
import { type Ask, askWith } from "./ask.ts";
import { freePorts, register, type Service, startService, temporaryFolder } from "./service.ts";
import { stageFor } from "./stage.ts";

// The service goes away in the middle of a day, or its answers do: nothing that was typed is lost, nothing is done twice,
// and no page has to be loaded again.

const stage = stageFor();
const PASSWORD = "correct horse battery";
let people = 0;

type Person = { app: App; page: Page; ask: Ask };
type Listed<Item> = { total: number; items: Item[] };

async function somebody(
  service: Service = stage.service,
  options: BrowserContextOptions = {},
): Promise<Person> {
  people += 1;
  const account = { email: `outage-${people}@example.com`, password: PASSWORD };
  const ask = askWith(service.apiUrl, await register(service.apiUrl, account));
  const app = await openApp(stage.browser, service.apiUrl, options);
  await enter(app, account);
  return { app, page: app.page, ask };
}

const commit = (ask: Ask, topic: string) =>
  ask<{ id: number; version: number }>("POST", "/api/memories", {
    ...{ memory_type: "commitment", topic, content: "As promised", due_date: "2020-01-01" },
  });

const write = (ask: Ask, title: string, text: string) =>
  ask<{ id: string }>("POST", "/api/documents", { title, content: { format: "markdown", text } });

const textField = (page: Page) => page.getByRole("textbox", { name: "Text", exact: true });
const said = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();
const waits = (page: Page) => page.getByText(/\d changes? will sync/);

const contentOf = async (ask: Ask, id: string) =>
  (await ask<{ content: { text: string }; version: number }>("GET", `/api/documents/${id}`)).content.text;

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

test("while the service is away a document, a record and a step are written, and arrive when it is back", async () => {
  const folder = await temporaryFolder();
  const ports = await freePorts();
  let service = await startService(folder.path, {}, ports);
  const { app, page, ask } = await somebody(service, WITH_WORKER);
  await page.evaluate("navigator.serviceWorker.ready");
  await commit(ask, "Send Grace the slides");
  const { id } = await write(ask, "Plan", "One\n");
  const writer = await app.context.newPage();
  await writer.goto(`/documents/${id}?edit`);
  await textField(writer).filter({ hasText: "One" }).waitFor();
  const begun = await app.context.newPage();
  await begun.goto("/documents/new");
  await textField(begun).waitFor();
  await page.reload();
  await page.getByRole("link", { name: "Send Grace the slides" }).waitFor();
  const pages = [page, writer, begun];
  for (const one of pages) await one.evaluate("window.isTheSame = true");

  await service.kill();
  await textField(writer).press("Control+Home");
  await writer.keyboard.insertText("Written while it was away. ");
  await writer.keyboard.press("Control+s");
  await writer.getByText("Can’t reach the server").first().waitFor();
  await writer.keyboard.insertText("And a little later. ");
  await begun.getByRole("textbox", { name: "Title" }).fill("A new idea");
  await begun.keyboard.press("Control+s");
  await begun.getByText("Can’t reach the server").first().waitFor();
  await page.bringToFront();
  await page.getByRole("link", { name: "Send Grace the slides" }).focus();
  await page.keyboard.press("e");
  await page.getByLabel("Add a note (optional)").fill("Sent as a PDF");
  await page.keyboard.press("Enter");
  await waits(page).waitFor();
  await page.getByLabel("New record").fill("Call Bob");
  await page.keyboard.press("Enter");
  await page.getByText(/\d changes? will sync/).waitFor();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Documents" }).click();
  await page.getByText("Can’t reach the server").first().waitFor();
  service = await startService(folder.path, {}, ports);

  await page.getByRole("link", { name: "Plan" }).first().waitFor();
  await page.getByText(/\d changes? will sync/).waitFor({ state: "hidden" });
  await waits(page).waitFor({ state: "hidden" });
  await said(writer, "Saved");
  await begun.waitForURL(/\/documents\/[0-9a-f-]{36}/);
  for (const one of pages) {
    await one.getByText("Can’t reach the server").first().waitFor({ state: "hidden" });
    expect(await one.evaluate("window.isTheSame")).toBe(true);
  }
  expect(await contentOf(ask, id)).toBe("Written while it was away. And a little later. One\n");
  const documents = await ask<Listed<{ title: string }>>("GET", "/api/documents?sort=title");
  expect(documents.items.map(({ title }) => title)).toEqual(["A new idea", "Plan"]);
  const records = await ask<Listed<{ topic: string; status: string; resolution_note: string | null }>>(
    "GET",
    "/api/memories?sort=created_at&order=asc",
  );
  expect(records.items.map(({ topic, status }) => [topic, status])).toEqual([
    ["Send Grace the slides", "resolved"],
    ["Call Bob", "active"],
  ]);
  await app.close();
  await service.stop();
  await folder.remove();
});

test("what was done before its answer was lost is done once, and told as done", async () => {
  const { app, page, ask } = await somebody();
  const { id } = await write(ask, "Packing list", "Boots\n");
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
  await app.close();
});

test("a record whose edit was not answered is no conflict with itself", async () => {
  const { app, page, ask } = await somebody();
  const { id } = await commit(ask, "Send Grace the slides");
  await page.goto(`/records/${id}`);
  await page.getByRole("button", { name: "Edit the text" }).click();
  await page.getByLabel("Content").fill("The slides and the notes");
  await loseAnswers(page, `/api/memories/${id}`, "PATCH");
  await page.getByRole("button", { name: "Save" }).click();
  await said(page, "Saved");
  await page.getByText("The slides and the notes").waitFor();
  const record = await ask<{ content: string; version: number }>("GET", `/api/memories/${id}`);
  expect(record).toMatchObject({ content: "The slides and the notes", version: 2 });
  await app.close();
});

test("who does not want to wait for the service discards what waits for it", async () => {
  const { app, page, ask } = await somebody();
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
  await app.close();
});

test("a new document whose answer was lost is there once, although the service then took no more requests", async () => {
  const { app, page, ask } = await somebody();
  await page.goto("/documents/new");
  await page.getByRole("textbox", { name: "Title" }).fill("Once");
  const refused = Promise.withResolvers<void>();
  await page.route(
    "**/api/documents",
    async (route) => {
      await route.fulfill({ status: 429, json: { detail: "Too many attempts" } });
      refused.resolve();
    },
    { times: 1 },
  );
  await loseAnswers(page, "/api/documents", "POST");
  await page.keyboard.press("Control+s");
  await refused.promise;
  await textField(page).click();
  await page.keyboard.insertText("More");
  await page.keyboard.press("Control+s");
  await page.waitForURL(/\/documents\/[0-9a-f-]{36}\?edit/);
  await said(page, "Saved");
  const { total, items } = await ask<Listed<{ id: string }>>("GET", "/api/documents");
  expect(total).toBe(1);
  expect(await contentOf(ask, items[0]?.id ?? "")).toBe("More");
  await app.close();
});

test("what was begun by a link and written on is there after a reload, and is saved once", async () => {
  const { app, page, ask } = await somebody();
  await page.goto("/documents/new?title=Shared&text=From%20a%20page");
  // However often it is sent, by the key or by itself.
  await loseAnswers(page, "/api/documents", "POST", Number.POSITIVE_INFINITY);
  await textField(page).filter({ hasText: "From a page" }).press("Control+Home");
  await page.keyboard.insertText("Mine. ");
  await page.keyboard.press("Control+s");
  await page.getByText("Can’t reach the server").first().waitFor();
  await page.reload();
  await textField(page).filter({ hasText: "Mine. From a page" }).waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await page.keyboard.press("Control+s");
  await page.waitForURL(/\/documents\/[0-9a-f-]{36}\?edit/);
  await said(page, "Saved");
  expect((await ask<Listed<unknown>>("GET", "/api/documents")).total).toBe(1);
  await page.goto("/documents/new?title=Another");
  expect(await textField(page).innerText()).not.toContain("Mine");
  await app.close();
});
