import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { complete, enter, IDLE, openApp, told } from "./app.ts";
import { type Account, launch } from "./browser.ts";
import { register, type Service, startService, temporaryFolder } from "./service.ts";

// What a screen shows first: the right day, in its place, and of a long list what was answered first.

const PASSWORD = "correct horse battery";
/** Somebody with much. */
const BOB: Account = { email: "bob@example.com", password: PASSWORD };
/** Of more than one answer of a list. */
const OVERDUE = 150;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let browser: Browser;
let bobsToken: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  service = await startService(folder.path);
  browser = await launch();
  bobsToken = await register(service.apiUrl, BOB);
  for (let made = 0; made < OVERDUE; made += 50) {
    const operations = Array.from({ length: 50 }, (_, n) => ({
      operation: "create",
      memory_type: "commitment",
      topic: `Promise ${made + n}`,
      content: "A long story. ".repeat(50),
      due_date: "2026-01-01",
    }));
    await send(bobsToken, "POST", "/api/memories/bulk", { operations });
  }
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await folder?.remove();
});

async function send<Answer>(token: string, method: string, path: string, body: unknown): Promise<Answer> {
  const answer = await fetch(service.apiUrl + path, {
    method,
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  expect(answer.ok, `${path}: ${answer.status}`).toBe(true);
  return (await answer.json()) as Answer;
}

/** The day in a time zone, as the app writes it above Today. */
const dayIn = (timeZone: string) =>
  new Date().toLocaleDateString("en-GB", { timeZone, weekday: "long", day: "numeric", month: "long" });

/** Collects whatever of these texts is painted, at any moment. Whether a day has a comma, browsers and Node decide themselves. */
const PAINTED = (texts: string[]) => `
  globalThis.painted = [];
  const look = () => {
    const shown = (document.body?.innerText ?? "").replaceAll(",", "");
    for (const text of ${JSON.stringify(texts)}) if (shown.includes(text) && !painted.includes(text)) painted.push(text);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);`;

const painted = (page: Page) => page.evaluate<string[]>("painted");

/** Leaves a screen, so that none of its requests is among those of the next one. */
const leave = (page: Page) => page.goto("about:blank");

/** Collects the paths of the API that a tab asks for. */
function askedBy(page: Page): string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith("/api/")) asked.push(pathname + search);
  });
  return asked;
}

test("the day of the account is painted, and never that of the browser", async () => {
  const ada: Account = { email: "ada@example.com", password: PASSWORD };
  const token = await register(service.apiUrl, ada);
  const [west, east] = ["Pacific/Pago_Pago", "Pacific/Kiritimati"];
  await send(token, "PATCH", "/api/auth/me", { timezone: east });
  const days = [dayIn(west), dayIn(east)].map((day) => day.replace(",", ""));
  expect(days[0]).not.toBe(days[1]);
  const app = await openApp(browser, service.apiUrl, { timezoneId: west });
  const { page } = app;
  // The whole day: a hint of the screen speaks of Friday.
  await page.addInitScript(PAINTED(days));
  const right = page.getByText(new RegExp(`^${days[1]?.replace(" ", ",? ")}`));
  await enter(app, ada);
  await right.waitFor();
  expect(await painted(page)).toEqual([days[1]]);
  await page.reload();
  await right.waitFor();
  expect(await painted(page)).toEqual([days[1]]);
  expect(app.complaints).toEqual([]);
  await app.close();
});

test("Today with many records shows the first answers of a few requests, and all of them when asked", async () => {
  const app = await openApp(browser, service.apiUrl);
  const { page } = app;
  await enter(app, BOB);
  await leave(page);
  const bodies: Promise<Buffer>[] = [];
  page.on("response", (response) => {
    if (response.url().includes("/api/")) bodies.push(response.body());
  });
  await page.goto("/");
  const rows = page.locator("[data-record]");
  await rows.first().waitFor();
  await page.getByRole("button", { name: `Show all ${OVERDUE}` }).click();
  await expect.poll(() => rows.count()).toBe(OVERDUE);
  await complete(page);
  await told(page);
  // Two of them are for what is around the screen: the folders in the sidebar, and what is under way.
  expect(bodies.length).toBeLessThanOrEqual(11);
  const bytes = (await Promise.all(bodies)).reduce((sum, { byteLength }) => sum + byteLength, 0);
  // A record without its content has 34 fields, most of them null: 830 bytes before they are compressed.
  expect(bytes, "without contents").toBeLessThan(180_000);
  await app.close();
});

test("Today asks for what it shows while its scripts are on their way, and once", async () => {
  const app = await openApp(browser, service.apiUrl);
  const { page } = app;
  await enter(app, BOB, "/settings");
  await leave(page);
  const asked = askedBy(page);
  const lists = page.waitForRequest("**/api/memories?*memory_type=decision*");
  await page.route("**/app/base-*.js", (route) => lists.then(() => route.continue()));
  await page.goto("/", { waitUntil: "commit" });
  await page.locator("[data-record]").first().waitFor();
  const first = asked.slice(0, 6);
  expect(first).toEqual(expect.arrayContaining(["/api/auth/me", "/api/dashboard/summary"]));
  expect(first.filter((one) => one.startsWith("/api/memories?")).length).toBe(4);
  await complete(page);
  await told(page);
  expect(asked.filter((one, at) => asked.indexOf(one) !== at)).toEqual([]);
  expect(app.complaints).toEqual([]);
  await app.close();
});

test("Documents asks for its rows while its scripts are on their way, once, and shows them before their list is there", async () => {
  const document = { title: "A first row", content: { format: "markdown", text: "One line" } };
  await send(bobsToken, "POST", "/api/documents", document);
  const app = await openApp(browser, service.apiUrl);
  const { page } = app;
  await enter(app, BOB, "/settings");
  await leave(page);
  const asked = askedBy(page);
  const rows = page.waitForRequest("**/api/documents?sort=changed_at*");
  await page.route("**/app/base-*.js", (route) => rows.then(() => route.continue()));
  let goOn = () => {};
  const isTime = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route("**/app/full-list-*.js", (route) => isTime.then(() => route.continue()));
  await page.goto("/documents?sort=changed", { waitUntil: "commit" });
  const first = page.getByRole("main").getByRole("listitem").getByRole("link", { name: "A first row" });
  await first.focus();
  goOn();
  const row = page.getByRole("row", { name: "A first row" });
  await expect.poll(() => row.evaluate((element) => element.matches(":focus"))).toBe(true);
  await complete(page);
  await told(page);
  const lists = asked.filter((one) => /^\/api\/(documents|folders)\b/.test(one));
  expect(lists.length).toBe(3);
  expect(asked.filter((one, at) => asked.indexOf(one) !== at)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "A first row", level: 1 }).waitFor();
  expect(app.complaints).toEqual([]);
  await app.close();
});

test("a screen's own files are on their way while the scripts of all are", async () => {
  const app = await openApp(browser, service.apiUrl);
  const { page } = app;
  await enter(app, BOB, "/settings");
  const own = page.waitForRequest("**/app/documents-*.js");
  await page.route("**/app/base-*.js", (route) => own.then(() => route.continue()));
  await page.goto("/documents", { waitUntil: "commit" });
  await page.getByRole("heading", { name: "Documents", level: 1 }).waitFor();
  expect(app.complaints).toEqual([]);
  await app.close();
});

/** On a busy machine the page may be out of patience (PATIENCE_MS) before it shows anything: here it never is. */
const ENDLESS_PATIENCE = `{
  const real = window.setTimeout;
  window.setTimeout = (act, ms, ...more) => (ms === 4000 ? 0 : real(act, ms, ...more));
}`;

test("what nobody waits for is loaded after the first answers", async () => {
  const app = await openApp(browser, service.apiUrl);
  const { page } = app;
  await enter(app, BOB, "/settings");
  await leave(page);
  await page.addInitScript(ENDLESS_PATIENCE);
  let answer = () => {};
  const isTime = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/api/memories?*", (route) => isTime.then(() => route.continue()));
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const isLater = (url: string) => /\/app\/(folders|jobs-bar|import-bar|side-edge)|\/api\/jobs/.test(url);
  await page.goto("/", { waitUntil: "commit" });
  // The summary is shown: the app runs, and asks for what it shows.
  await page.getByText(`${OVERDUE} overdue`).waitFor();
  // With nothing left to do, it would have asked for more by now.
  await page.evaluate(IDLE);
  await told(page);
  expect(asked.filter(isLater)).toEqual([]);
  const later = page.waitForRequest("**/api/jobs?*");
  answer();
  await page.locator("[data-record]").first().waitFor();
  await later;
  await app.close();
});

test("the browser keeps the app's files, whoever asks for them", async () => {
  const index = await (await fetch(service.apiUrl)).text();
  const [script = ""] = /\/app\/index-[^"]+\.js/.exec(index) ?? [];
  const { status, headers } = await fetch(service.apiUrl + script);
  expect([status, headers.get("Cache-Control")]).toEqual([200, "public, max-age=31536000, immutable"]);
  // Scripts of the page name their origin, and what the service worker asks for does not.
  expect(headers.get("Vary") ?? "").not.toContain("Origin");
});
