import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { type App, enter, goOffline, openApp, WITH_WORKER } from "./app.ts";
import { updatable } from "./next-version.ts";
import { type AppOfPerson, newPerson, openAs, stageFor } from "./stage.ts";
import { createDocument, markdown, textField, textOf, writeAtStart } from "./steps.ts";

// What comes between a person and their text: a lost answer, a session that ends, a new version of the app.

const stage = stageFor();

type Listed<Item> = { total: number; items: Item[] };
type Found = { id: string; title: string; version: number };

/** Complaints about anything but what the story asks for. */
const unexpected = ({ complaints }: Pick<App, "complaints">, wanted: RegExp) =>
  complaints.filter((complaint) => !wanted.test(complaint));

const saved = (page: Page) => page.getByText("Saved", { exact: true }).waitFor();
const SAVED = /\/documents\/[0-9a-f-]{36}\?edit/;

type Fate = (route: Route) => Promise<void>;
const loseRequest: Fate = (route) => route.abort();
const loseAnswer: Fate = async (route) => {
  await route.fetch();
  await route.abort();
};
const limit: Fate = (route) => route.fulfill({ status: 429, json: { detail: "Too many attempts" } });

/** Sets what happens to the first requests that create a document. Returns what waits until it has happened. */
async function meet(
  page: Page,
  fates: Fate[],
  others: Fate = (route) => route.fallback(),
): Promise<() => Promise<void>> {
  const left = [...fates];
  let met = 0;
  await page.route("**/api/documents", async (route) => {
    const fate = left.shift();
    await (fate ?? others)(route);
    if (fate) met += 1;
  });
  return () => expect.poll(() => met).toBe(fates.length);
}

async function reload(page: Page): Promise<void> {
  await page.reload();
  await textField(page).filter({ hasText: "Second First" }).waitFor();
  await page.unrouteAll({ behavior: "wait" });
}

/** Two days later: the page's clock says so, and the service has forgotten the keys of requests. */
async function twoDaysLater(page: Page): Promise<void> {
  const address = page.url();
  await page.goto("about:blank");
  await page.unrouteAll();
  await page.clock.setFixedTime(Date.now() + 2 * 86_400_000);
  await page.route("**/api/documents", (route) => {
    const { "idempotency-key": _, ...headers } = route.request().headers();
    return route.continue({ headers });
  });
  await page.goto(address);
  await textField(page).waitFor();
}

type Creation = { fates: Fate[]; others?: Fate; link?: string; next?: (page: Page) => Promise<void> };
const CREATIONS: Record<string, Creation> = {
  "lost its answer": { fates: [loseAnswer] },
  "lost its answer and was then limited": { fates: [loseAnswer, limit] },
  "lost its answer before a reload": { fates: [loseAnswer], others: loseAnswer, next: reload },
  "was begun by a link and lost its answer before a reload": {
    ...{ fates: [loseAnswer], others: loseAnswer, link: "?title=Draft&text=First", next: reload },
  },
  "lost its answer, when its key has been forgotten": {
    ...{ fates: [loseAnswer], others: loseRequest, next: twoDaysLater },
  },
  "lost its request, when its key has been forgotten": {
    ...{ fates: [loseRequest], others: loseRequest, next: twoDaysLater },
  },
};

test.each(Object.entries(CREATIONS))(
  "a document whose creation %s is there once",
  async (_, { fates, others, link, next }) => {
    const app = await openAs(stage);
    const { page, ask } = app;
    await createDocument(ask, "Draft", "Another text of the same name");
    await page.goto(`/documents/new${link ?? ""}`);
    await textField(page).waitFor();
    if (!link) await page.getByRole("textbox", { name: "Title" }).fill("Draft");
    await writeAtStart(page, link ? "" : "First");
    const areMet = await meet(page, fates, others);
    await page.keyboard.press("Control+s");
    await areMet();
    await writeAtStart(page, "Second ");
    await next?.(page);
    await page.keyboard.press("Control+s");
    await page.waitForURL(SAVED);
    await saved(page);
    const { items } = await ask<Listed<Found>>("GET", "/api/documents?sort=created_at");
    expect(items.map(({ title }) => title)).toEqual(["Draft", "Draft"]);
    expect(page.url()).toContain(items[0]?.id);
    expect(await textOf(ask, items[0]?.id ?? "")).toContain("Second First");
    await page.goto("/documents/new?title=Another");
    await textField(page).waitFor();
    expect(await textField(page).innerText()).not.toContain("First");
    expect(unexpected(app, /ERR_FAILED|429/)).toEqual([]);
  },
);

test("a document whose creation was not answered and that was changed since is not overwritten", async () => {
  const app = await openAs(stage);
  const { page, ask } = app;
  await page.goto("/documents/new");
  await page.getByRole("textbox", { name: "Title" }).fill("Draft");
  await writeAtStart(page, "Mine");
  await meet(page, [loseAnswer], loseRequest);
  await page.keyboard.press("Control+s");
  await page.getByText("Can’t reach the server").waitFor();
  const { items } = await ask<Listed<Found>>("GET", "/api/documents");
  await ask("PUT", `/api/documents/${items[0]?.id}`, { content: markdown("Theirs") });
  await twoDaysLater(page);
  await writeAtStart(page, "Still ");
  await page.keyboard.press("Control+s");
  await page.getByText("The same passage was changed twice").waitFor();
  const mine = page.getByRole("textbox", { name: "Mine", exact: true });
  await expect.poll(() => mine.innerText()).toContain("Still Mine");
  await page.getByRole("button", { name: "Keep mine" }).click();
  await textField(page).waitFor();
  expect((await ask<Listed<Found>>("GET", "/api/documents")).total).toBe(1);
  expect(unexpected(app, /ERR_FAILED|412/)).toEqual([]);
});

/** Ends every session of the app, as one does on another device. */
async function endSessions({ ask }: AppOfPerson): Promise<void> {
  const { items } = await ask<Listed<{ id: string; current: boolean }>>("GET", "/api/auth/sessions");
  for (const { id, current } of items) if (!current) await ask("DELETE", `/api/auth/sessions/${id}`);
}

async function signInAgain({ page, password: right }: AppOfPerson): Promise<void> {
  const dialog = page.getByRole("alertdialog", { name: "Your session has ended" });
  const password = dialog.getByLabel("Password");
  await password.fill("not the password");
  await page.keyboard.press("Enter");
  await dialog
    .getByText(/password/i, { exact: false })
    .nth(1)
    .waitFor();
  await password.fill(right);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "hidden" });
}

test("a session that is ended elsewhere is asked for over the text, which is still there and is saved", async () => {
  const person = await openAs(stage);
  const { page, ask } = person;
  const id = await createDocument(ask, "Long text", "One\n");
  await page.route("**/app/modal-*.js", (route) => route.abort());
  await page.goto(`/documents/${id}?edit`);
  await writeAtStart(page, "Typed: ");
  await endSessions(person);
  await page.keyboard.press("Control+s");
  // What asks for it could not be loaded, and is loaded when it is tried again.
  await page.getByText("This part couldn’t be loaded.").waitFor();
  await page.unrouteAll();
  await page.getByRole("button", { name: "Try again" }).click();
  await signInAgain(person);
  await saved(page);
  await expect.poll(() => textField(page).innerText()).toContain("Typed: One");
  // The next letter is one of the text.
  await textField(page).and(page.locator(":focus")).waitFor();
  expect(await textOf(ask, id)).toBe("Typed: One\n");
  expect(
    unexpected(person, /401|ERR_FAILED|dynamically imported module: \S+\/app\/modal-[\w-]+\.js/),
  ).toEqual([]);
});

test("a session that ends under a dialog is asked for over it, and the dialog goes on as it was", async () => {
  const person = await openAs(stage);
  const { page, ask } = person;
  await page.goto("/settings/connections");
  await page.getByRole("button", { name: "New API key" }).click();
  const name = page.getByRole("dialog").getByLabel("Name");
  await name.fill("Backup script");
  await endSessions(person);
  // The screen looks for new calls every few seconds, and gets a 401.
  await signInAgain(person);
  await expect.poll(() => name.inputValue()).toBe("Backup script");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "Your new key" }).waitFor();
  expect((await ask<Listed<unknown>>("GET", "/api/api-keys")).total).toBe(1);
  expect(unexpected(person, /401/)).toEqual([]);
});

const OFFLINE = /ERR_INTERNET_DISCONNECTED/;

test("a new version waits until a person reloads, in each tab, and keeps what is being written", async () => {
  const { apiUrl } = stage.service;
  const updated = await updatable(apiUrl);
  const app = await openApp(stage.browser, updated.url, WITH_WORKER);
  const { page, context } = app;
  const mark = (tab: Page) => tab.locator('meta[name="build"]');
  const isNext = (tab: Page) => mark(tab).count();
  const bar = (tab: Page) => tab.getByText("A new version is ready.");
  // Cookies are for a host and all its ports.
  await enter(app, await newPerson(stage), `${apiUrl}/`);
  await page.goto("/");
  await page.evaluate("navigator.serviceWorker.ready");
  await page.reload();
  const other = await context.newPage();
  await other.goto("/");
  await other.getByRole("textbox", { name: "New record" }).fill("Half a thought");

  updated.update();
  // The app looks for a new version whenever the user returns to its tab.
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await Promise.all([bar(page).waitFor(), bar(other).waitFor()]);
  expect([await isNext(page), await isNext(other)]).toEqual([0, 0]);
  await page.getByRole("button", { name: "Reload" }).click();
  await mark(page).waitFor({ state: "attached" });
  await bar(page).waitFor({ state: "hidden" });
  expect(await isNext(other)).toBe(0);
  await other.getByRole("button", { name: "Reload" }).click();
  await mark(other).waitFor({ state: "attached" });
  const kept = () => other.getByRole("textbox", { name: "New record" }).inputValue();
  await expect.poll(kept).toBe("Half a thought");
  await goOffline(context);
  await page.reload();
  await page.getByText("You’re offline").first().waitFor();
  expect(await isNext(page)).toBe(1);
  expect(unexpected(app, OFFLINE)).toEqual([]);
  await app.close();
  updated.stop();
});
