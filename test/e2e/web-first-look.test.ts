import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { type App, complete, enter, openApp, told } from "./app.ts";
import { newPerson, openAs, type Person, stageFor } from "./stage.ts";
import { createDocument } from "./steps.ts";

// What a screen shows first: the right day, in its place, and of a long list what was answered first.

/** Of more than one answer of a list. */
const OVERDUE = 150;

/** An account with much. */
let bob: Person;

const stage = stageFor({}, async () => {
  bob = await newPerson(stage);
  for (let made = 0; made < OVERDUE; made += 50) {
    const operations = Array.from({ length: 50 }, (_, n) => ({
      ...{ operation: "create", memory_type: "commitment", topic: `Promise ${made + n}` },
      ...{ content: "A long story. ".repeat(50), due_date: "2026-01-01" },
    }));
    await bob.ask("POST", "/api/memories/bulk", { operations });
  }
});

/** A window of his that has left its first screen, so that none of its requests is among those of the next one. */
async function openBobs(): Promise<App> {
  const app = await openAs(stage, "/settings", { person: bob });
  await app.page.goto("about:blank");
  return app;
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
  const ada = await newPerson(stage);
  const [west, east] = ["Pacific/Pago_Pago", "Pacific/Kiritimati"];
  await ada.ask("PATCH", "/api/auth/me", { timezone: east });
  const days = [dayIn(west), dayIn(east)].map((day) => day.replace(",", ""));
  expect(days[0]).not.toBe(days[1]);
  const app = await openApp(stage.browser, stage.service.apiUrl, { timezoneId: west });
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

test("Today asks for what it shows while its scripts are on their way, once, and shows all of it when asked", async () => {
  const { page, complaints } = await openBobs();
  const asked = askedBy(page);
  const lists = page.waitForRequest("**/api/memories?*memory_type=decision*");
  await page.route("**/app/base-*.js", (route) => lists.then(() => route.continue()));
  await page.goto("/", { waitUntil: "commit" });
  const rows = page.locator("[data-record]");
  await rows.first().waitFor();
  const first = asked.slice(0, 6);
  expect(first).toEqual(expect.arrayContaining(["/api/auth/me", "/api/dashboard/summary"]));
  expect(first.filter((one) => one.startsWith("/api/memories?")).length).toBe(4);
  await complete(page);
  await told(page);
  expect(asked.filter((one, at) => asked.indexOf(one) !== at)).toEqual([]);
  await page.getByRole("button", { name: `Show all ${OVERDUE}` }).click();
  await expect.poll(() => rows.count()).toBe(OVERDUE);
  await complete(page);
  await told(page);
  // Three of them are for what is around the screen: the folders and pinned documents in the sidebar, and what is under way.
  expect(asked.length).toBeLessThanOrEqual(12);
  const bytes = await page.evaluate<number>(
    `performance.getEntriesByType("resource").filter(({ name }) => name.includes("/api/"))
      .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)`,
  );
  expect(bytes).toBeGreaterThan(10_000);
  // A record without its content has 38 fields, most of them null: 730 bytes before they are compressed.
  expect(bytes, "without contents").toBeLessThan(185_000);
  expect(complaints).toEqual([]);
});

test("Documents asks for its rows and its own files while the scripts of all are on their way, once, and shows them before their list is there", async () => {
  await createDocument(bob.ask, "A first row", "One line");
  const { page, complaints } = await openBobs();
  const asked = askedBy(page);
  const early = Promise.all(
    ["**/api/documents?sort=changed_at*", "**/app/documents-*.js"].map((url) => page.waitForRequest(url)),
  );
  await page.route("**/app/base-*.js", (route) => early.then(() => route.continue()));
  const { promise: isTime, resolve: goOn } = Promise.withResolvers<void>();
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
  expect(complaints).toEqual([]);
});

test("the browser keeps the app's files, for the page and for the service worker", async () => {
  const index = await (await fetch(stage.service.apiUrl)).text();
  const [script = ""] = /\/app\/index-[^"]+\.js/.exec(index) ?? [];
  const { status, headers } = await fetch(stage.service.apiUrl + script);
  expect([status, headers.get("Cache-Control")]).toEqual([200, "public, max-age=31536000, immutable"]);
  // Scripts of the page name their origin, and what the service worker asks for does not.
  expect(headers.get("Vary") ?? "").not.toContain("Origin");
});
