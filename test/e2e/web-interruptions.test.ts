import type { Browser, BrowserContextOptions, Page, Route } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type App, enter, goOffline, openApp, WITH_WORKER } from "./app.ts";
import { type Account, launch } from "./browser.ts";
import { updatable } from "./next-version.ts";
import { register, type Service, startService, temporaryFolder } from "./service.ts";

// What comes between a person and their text: another device, a session that ends, a network that is gone.

const PASSWORD = "correct horse battery";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let browser: Browser;
let people = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
  service = await startService(folder.path);
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await folder?.remove();
});

type Person = Account & { token: string };

async function newPerson(): Promise<Person> {
  people += 1;
  const account = { email: `interrupted-${people}@example.com`, password: PASSWORD };
  return { ...account, token: await register(service.apiUrl, account) };
}

async function open(person: Account, path = "/", options: BrowserContextOptions = {}): Promise<App> {
  const app = await openApp(browser, service.apiUrl, options);
  await enter(app, person, path);
  return app;
}

type Answer = {
  id: string;
  total: number;
  version: number;
  content: { text: string };
  items: { id: string; title: string; topic: string; kind: string; current: boolean }[];
};

async function send(token: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await fetch(service.apiUrl + path, {
    method,
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(answer.ok, `${path}: ${answer.status}`).toBe(true);
  return (answer.status === 204 ? undefined : await answer.json()) as Answer;
}

const create = ({ token }: Person, title: string, text: string) =>
  send(token, "POST", "/api/documents", { title, content: { format: "markdown", text } });

/** Complaints about anything but what the story asks for. */
const unexpected = ({ complaints }: App, wanted: RegExp) =>
  complaints.filter((complaint) => !wanted.test(complaint));

const textField = (page: Page) => page.getByRole("textbox", { name: "Text", exact: true });

async function write(page: Page, text: string): Promise<void> {
  await textField(page).press("Control+Home");
  await page.keyboard.insertText(text);
}

test("two devices with one document: the second to save sees both texts, and nothing is lost", async () => {
  const person = await newPerson();
  const { id } = await create(person, "Shared", "One\n");
  const [desk, laptop] = [
    await open(person, `/documents/${id}?edit`),
    await open(person, `/documents/${id}?edit`),
  ];
  await textField(desk.page).waitFor();
  await write(laptop.page, "From the laptop: ");
  await laptop.page.keyboard.press("Control+s");
  await laptop.page.getByText("Saved", { exact: true }).waitFor();
  await textField(desk.page).press("Control+Home");
  await desk.page.keyboard.press("Shift+End");
  await desk.page.keyboard.insertText("From the desk");
  await desk.page.keyboard.press("Control+s");
  await desk.page.getByText("The same passage was changed twice").waitFor();
  await desk.page.getByText("From the laptop: One").waitFor();
  const mine = desk.page.getByRole("textbox", { name: "Mine", exact: true });
  await expect.poll(() => mine.innerText()).toContain("From the desk");
  await mine.press("Control+Home");
  await desk.page.keyboard.insertText("From the laptop, too: ");
  await desk.page.getByRole("button", { name: "Save merged text" }).click();
  await textField(desk.page).waitFor();
  await laptop.page.goto(`/documents/${id}`);
  await laptop.page.getByText("From the laptop, too: From the desk").waitFor();
  const second = await send(person.token, "GET", `/api/documents/${id}/versions/2`);
  expect(second.content.text).toBe("From the laptop: One\n");
  expect(unexpected(desk, /412/)).toEqual([]);
  expect(laptop.complaints).toEqual([]);
  await Promise.all([desk.close(), laptop.close()]);
});

/** Ends every session of the app, as one does on another device. */
async function endSessions({ token }: Person): Promise<void> {
  const { items } = await send(token, "GET", "/api/auth/sessions");
  for (const { id, current } of items) {
    if (!current) await send(token, "DELETE", `/api/auth/sessions/${id}`);
  }
}

async function signInAgain(page: Page): Promise<void> {
  const dialog = page.getByRole("alertdialog", { name: "Your session has ended" });
  const password = dialog.getByLabel("Password");
  await password.fill("not the password");
  await page.keyboard.press("Enter");
  await dialog
    .getByText(/password/i, { exact: false })
    .nth(1)
    .waitFor();
  await password.fill(PASSWORD);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "hidden" });
}

const LOST = /ERR_FAILED/;

test.each(["going on", "a reload"])(
  "a document whose creation was not answered is there once, after %s",
  async (what) => {
    const person = await newPerson();
    const app = await open(person, "/documents/new");
    const { page } = app;
    await textField(page).waitFor();
    await page.getByRole("textbox", { name: "Title" }).fill("Once");
    await write(page, "First");
    await page.route(
      "**/api/documents",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await page.keyboard.press("Control+s");
    await page.getByText("Can’t reach the server").waitFor();
    await write(page, "Second ");
    if (what === "a reload") {
      await page.reload();
      await textField(page).filter({ hasText: "Second First" }).waitFor();
    }
    await page.keyboard.press("Control+s");
    await page.waitForURL(/\/documents\/[0-9a-f-]{36}\?edit/);
    await page.getByText("Saved", { exact: true }).waitFor();
    const { items, total } = await send(person.token, "GET", "/api/documents");
    expect([total, items[0]?.title]).toEqual([1, "Once"]);
    const saved = await send(person.token, "GET", `/api/documents/${items[0]?.id}`);
    expect(saved.content.text).toContain("Second First");
    await page.goto("/documents/new");
    await textField(page).waitFor();
    expect(await textField(page).innerText()).not.toContain("First");
    expect(unexpected(app, LOST)).toEqual([]);
    await app.close();
  },
);

/** Loses the answer of the next creation, or the request itself, and the requests that the app repeats by itself. */
async function loseCreation(page: Page, what: "answer" | "request"): Promise<void> {
  await page.route("**/api/documents", (route) => route.abort());
  const reachTheService = async (route: Route) => {
    await route.fetch();
    await route.abort();
  };
  if (what === "answer") await page.route("**/api/documents", reachTheService, { times: 1 });
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

test.each(["answer", "request"] as const)(
  "a document whose creation lost its %s is there once, also when its key has been forgotten",
  async (what) => {
    const person = await newPerson();
    await create(person, "Draft", "Another text of the same name");
    const app = await open(person, "/documents/new");
    const { page } = app;
    await page.getByRole("textbox", { name: "Title" }).fill("Draft");
    await write(page, "First");
    await loseCreation(page, what);
    await page.keyboard.press("Control+s");
    await page.getByText("Can’t reach the server").waitFor();
    await twoDaysLater(page);
    await write(page, "Second ");
    await page.keyboard.press("Control+s");
    await page.waitForURL(/\/documents\/[0-9a-f-]{36}\?edit/);
    await page.getByText("Saved", { exact: true }).waitFor();
    const { items } = await send(person.token, "GET", "/api/documents?sort=created_at");
    expect(items.map(({ title }) => title)).toEqual(["Draft", "Draft"]);
    expect(page.url()).toContain(items[0]?.id);
    const saved = await send(person.token, "GET", `/api/documents/${items[0]?.id}`);
    expect(saved.content.text).toContain("Second First");
    expect(unexpected(app, LOST)).toEqual([]);
    await app.close();
  },
);

test("a document whose creation was not answered and that was changed since is not overwritten", async () => {
  const person = await newPerson();
  const app = await open(person, "/documents/new");
  const { page } = app;
  await page.getByRole("textbox", { name: "Title" }).fill("Draft");
  await write(page, "Mine");
  await loseCreation(page, "answer");
  await page.keyboard.press("Control+s");
  await page.getByText("Can’t reach the server").waitFor();
  const { items } = await send(person.token, "GET", "/api/documents");
  const content = { format: "markdown", text: "Theirs" };
  await send(person.token, "PUT", `/api/documents/${items[0]?.id}`, { content });
  await twoDaysLater(page);
  await write(page, "Still ");
  await page.keyboard.press("Control+s");
  await page.getByText("The same passage was changed twice").waitFor();
  const mine = page.getByRole("textbox", { name: "Mine", exact: true });
  await expect.poll(() => mine.innerText()).toContain("Still Mine");
  await page.getByRole("button", { name: "Keep mine" }).click();
  await textField(page).waitFor();
  expect((await send(person.token, "GET", "/api/documents")).total).toBe(1);
  expect(unexpected(app, /ERR_FAILED|412/)).toEqual([]);
  await app.close();
});

test("who saves again before the first answer saves once more after it, and only what is new", async () => {
  const person = await newPerson();
  const app = await open(person, "/documents/new");
  const { page } = app;
  await textField(page).waitFor();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await page.route("**/api/documents", async (route) => {
    await answered;
    await route.continue();
  });
  const asked = page.waitForRequest("**/api/documents");
  await page.getByRole("textbox", { name: "Title" }).fill("Twice");
  await write(page, "First");
  await page.keyboard.press("Control+s");
  await asked;
  await page.keyboard.press("Control+s");
  await write(page, "Second ");
  await page.keyboard.press("Control+s");
  await page.keyboard.press("Control+s");
  answer();
  await page.waitForURL(/\/documents\/[0-9a-f-]{36}\?edit/);
  await page.getByText("Saved", { exact: true }).waitFor();
  const { items, total } = await send(person.token, "GET", "/api/documents");
  expect(total).toBe(1);
  const saved = await send(person.token, "GET", `/api/documents/${items[0]?.id}`);
  expect([saved.version, saved.content.text]).toEqual([2, "Second First"]);
  expect(app.complaints).toEqual([]);
  await app.close();
});

test("a session that is ended elsewhere is asked for over the text, which is still there and is saved", async () => {
  const person = await newPerson();
  const { id } = await create(person, "Long text", "One\n");
  const app = await open(person, `/documents/${id}?edit`);
  await write(app.page, "Typed: ");
  await endSessions(person);
  await app.page.keyboard.press("Control+s");
  await signInAgain(app.page);
  await app.page.getByText("Saved", { exact: true }).waitFor();
  await expect.poll(() => textField(app.page).innerText()).toContain("Typed: One");
  // The next letter is one of the text.
  await textField(app.page).and(app.page.locator(":focus")).waitFor();
  expect((await send(person.token, "GET", `/api/documents/${id}`)).content.text).toBe("Typed: One\n");
  expect(unexpected(app, /401/)).toEqual([]);
  await app.close();
});

test("a session that ends under a dialog is asked for over it, and the dialog goes on as it was", async () => {
  const person = await newPerson();
  const app = await open(person, "/settings/connections");
  const { page } = app;
  await page.getByRole("button", { name: "New API key" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Backup script");
  await endSessions(person);
  // The screen looks for new calls every few seconds, and finds that nobody is signed in.
  await signInAgain(page);
  await expect.poll(() => page.getByRole("dialog").getByLabel("Name").inputValue()).toBe("Backup script");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "Your new key" }).waitFor();
  const keys = await send(person.token, "GET", "/api/api-keys");
  expect(keys.total).toBe(1);
  expect(unexpected(app, /401/)).toEqual([]);
  await app.close();
});

const OFFLINE = /ERR_INTERNET_DISCONNECTED/;

test("a capture without a network survives a reload without one, and arrives once", async () => {
  const person = await newPerson();
  const app = await open(person, "/", WITH_WORKER);
  const { page, context } = app;
  await page.evaluate("navigator.serviceWorker.ready");
  await page.reload();
  const field = page.getByRole("textbox", { name: "New record" });
  const waiting = page.getByText("1 change will sync");
  const saved = () => send(person.token, "GET", "/api/memories");

  await field.waitFor();
  const goOnline = await goOffline(context);
  await field.fill("Call Grace by tomorrow");
  await field.press("Enter");
  await waiting.waitFor();
  await page.reload();
  await waiting.waitFor();
  expect((await saved()).total).toBe(0);

  await goOnline();
  await waiting.waitFor({ state: "hidden" });
  await page.getByRole("link", { name: "Call Grace" }).waitFor();
  const { total, items } = await saved();
  expect([total, items[0]?.topic]).toEqual([1, "Call Grace"]);
  expect(unexpected(app, OFFLINE)).toEqual([]);
  await app.close();
});

test("a document that is written without a network is there after a reload, and is saved once there is one", async () => {
  const person = await newPerson();
  const app = await open(person, "/documents/new", WITH_WORKER);
  const { page, context } = app;
  await page.evaluate("navigator.serviceWorker.ready");
  await page.reload();
  await page.getByRole("textbox", { name: "Title" }).fill("On the train");
  await textField(page).click();
  const goOnline = await goOffline(context);
  await page.keyboard.insertText("Tunnels and fields");
  await page.keyboard.press("Control+s");
  await page.getByText("You’re offline").first().waitFor();
  await page.getByText("Offline – saved on this device").waitFor();
  await page.reload();
  await goOnline();
  await expect.poll(() => textField(page).innerText()).toContain("Tunnels and fields");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("heading", { level: 1, name: "On the train" }).waitFor();
  const { total, items } = await send(person.token, "GET", "/api/documents");
  expect([total, items[0]?.title]).toEqual([1, "On the train"]);
  expect(unexpected(app, OFFLINE)).toEqual([]);
  await app.close();
});

test("a new version waits until a person reloads, in each tab, and keeps what is being written", async () => {
  const person = await newPerson();
  const updated = await updatable(service.apiUrl);
  const app = await openApp(browser, updated.url, WITH_WORKER);
  const { page, context } = app;
  const mark = (tab: Page) => tab.locator('meta[name="build"]');
  const isNext = (tab: Page) => mark(tab).count();
  const bar = (tab: Page) => tab.getByText("A new version is ready.");
  // Cookies are for a host and all its ports.
  await enter(app, person, `${service.apiUrl}/`);
  await page.goto("/");
  await page.evaluate("navigator.serviceWorker.ready");
  await page.reload();
  const other = await context.newPage();
  await other.goto("/");
  await other.getByRole("textbox", { name: "New record" }).fill("Half a thought");

  updated.update();
  // The app looks for a new version whenever somebody comes back to its tab.
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
