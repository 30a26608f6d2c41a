import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { IDLE, overflow, told, violationsInBoth } from "./app.ts";
import type { Ask } from "./ask.ts";
import { openAs, stageFor } from "./stage.ts";

// More records than one request answers, worked off by hand: on Today, in Records, day by day, and with a finger.

type List = {
  items: { id: number; topic: string; due_date: string | null; tags: string[] }[];
  total: number;
};

const stage = stageFor();

const dayAfter = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** "Wed 2 Dec", as messages name a day. */
const inShort = (day: string) => {
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...options }).format(new Date(day));
  return `${part({ weekday: "short" })} ${Number(day.slice(8))} ${part({ month: "short" }).slice(0, 3)}`;
};

async function create(ask: Ask, count: number, name: string, due_date: (at: number) => string | undefined) {
  const records = Array.from({ length: count }, (_, at) => ({
    ...{ operation: "create", memory_type: "commitment", content: "As promised", topic: `${name} ${at + 1}` },
    ...(due_date(at) && { due_date: due_date(at) }),
  }));
  for (let start = 0; start < count; start += 100)
    await ask("POST", "/api/memories/bulk", { operations: records.slice(start, start + 100) });
}

const find = (ask: Ask, query: string) => ask<List>("GET", `/api/memories?limit=100&${query}`);
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 2, name });

/** Collects the headings that are shown from now on, however shortly. */
const RECORD_HEADINGS = `{
  window.seen = [];
  new MutationObserver(() => {
    for (const { textContent } of document.querySelectorAll("main h2")) seen.push(textContent);
  }).observe(document.querySelector("main"), { subtree: true, childList: true, characterData: true });
}`;

test("what is overdue is counted before it is loaded, folds, and is given another day as a whole", async () => {
  const { page, ask, complaints } = await openAs(stage, "/settings", { timezoneId: "UTC" });
  await create(ask, 130, "Late", () => "2020-01-01");
  await create(ask, 3, "Now", () => dayAfter(0));
  // The rest of the long list does not arrive.
  await page.route(/due_before=.*offset=100/, () => undefined);
  await page.goto("/");
  await heading(page, "Overdue 130 records").waitFor();
  await heading(page, "Due today 3 records").waitFor();
  await page.getByRole("link", { name: "Now 3" }).waitFor();
  await page.getByRole("button", { name: "Overdue 130 records" }).click();
  await page.getByRole("link", { name: "Late 1", exact: true }).waitFor({ state: "detached" });
  await page.unrouteAll();
  await page.reload();
  await page.getByRole("link", { name: "Now 1" }).waitFor();
  expect(await page.getByRole("link", { name: "Late 1", exact: true }).count()).toBe(0);
  expect(await violationsInBoth(page)).toEqual([]);

  await page.getByRole("button", { name: "Reschedule all" }).click();
  const dialog = page.getByRole("dialog", { name: "Reschedule 130 records" });
  expect(await violationsInBoth(page)).toEqual([]);
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
  await page.route(/due_after=.*offset=100/, async (route) => {
    await isRead;
    await route.continue();
  });
  await dialog.getByRole("button", { name: /^Tomorrow/ }).click();
  await heading(page, "Overdue").waitFor({ state: "detached" });
  await page.evaluate(RECORD_HEADINGS);
  await page.getByText(`Moved 130 records to ${inShort(dayAfter(1))}`).waitFor();
  // Nor are there any in between, when the lists are read again one after the other.
  await page.getByRole("heading", { name: "Due in the next 7 days", exact: true }).waitFor();
  for (let request = 0; request < 3; request++) {
    await told(page);
    await page.evaluate(IDLE);
  }
  read();
  await heading(page, "Due in the next 7 days 130 records").waitFor();
  expect((await find(ask, "due_before=2020-02-01")).total).toBe(0);
  expect(await page.evaluate("seen.filter((text) => text.startsWith('Overdue'))")).toEqual([]);
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await page.route("**/api/activity/undo", async (route) => {
    await held;
    await route.continue();
  });
  await page.keyboard.press("u");
  await heading(page, "Overdue 130 records").waitFor();
  await page.getByText(": 130 overdue, 3 more due today").waitFor();
  // What is still being taken back is among all of them.
  await page.getByRole("button", { name: "Reschedule all" }).click();
  letGo();
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(async () => (await find(ask, "due_before=2020-02-01")).total).toBe(130);

  expect(complaints.filter((text) => !text.includes("ERR_FAILED"))).toEqual([]);
});

test("all records are selected, also those that are not loaded, and rows follow as one scrolls", async () => {
  const { page, ask, complaints } = await openAs(stage, "/settings");
  await create(ask, 230, "One", () => undefined);
  await page.goto("/records");
  await page.getByText("230 records, 100 shown").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.getByRole("button", { name: "Select all 230" }).click();
  await page.getByText("230 selected").waitFor();
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: /^Add a tag/ }).click();
  await page.getByRole("combobox", { name: "Tag" }).fill("spring");
  await page.keyboard.press("Enter");
  await page.getByText("Tagged 230 records #spring").waitFor();
  expect((await find(ask, "tag=spring")).total).toBe(230);
  await page.keyboard.press("u");
  await expect.poll(async () => (await find(ask, "tag=spring")).total).toBe(0);
  for (const shown of ["200 shown", "230 records"]) {
    await page.mouse.wheel(0, 100_000);
    await page.getByText(shown).waitFor();
  }
  expect(complaints).toEqual([]);
});

test("upcoming days are endless, and a record is dragged to another one", async () => {
  const { page, ask, complaints } = await openAs(stage, "/settings");
  await create(ask, 140, "Task", (at) => dayAfter(Math.floor(at / 2)));
  await create(ask, 1, "Late", () => "2020-01-01");
  await page.goto("/");
  await heading(page, "Due today 2 records").waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("u");
  await page.getByRole("heading", { level: 1, name: "Upcoming" }).waitFor();
  const on = (days: number) => page.locator(`[data-day="${dayAfter(days)}"]`);
  await on(0).getByRole("link").nth(1).waitFor();
  expect([await violationsInBoth(page), await overflow(page)]).toEqual([[], 0]);
  await page.getByRole("link", { name: "Task 1", exact: true }).dragTo(on(1).getByRole("heading"));
  await page.getByText(`Moved “Task 1” to ${inShort(dayAfter(1))}`).waitFor();
  await expect.poll(() => on(1).getByRole("link").allInnerTexts()).toEqual(["Task 1", "Task 3", "Task 4"]);
  // From a list of its own, into one of several pages that is not read again.
  await page.mouse.wheel(0, 100_000);
  await on(69).getByRole("link").nth(1).waitFor();
  await page.getByRole("link", { name: "Late 1", exact: true }).focus();
  await page.keyboard.press("t");
  await page.getByLabel("Due on…").fill("tomorrow");
  await page.keyboard.press("Enter");
  await expect
    .poll(async () => (await on(1).getByRole("link").allInnerTexts()).sort())
    .toEqual(["Late 1", "Task 1", "Task 3", "Task 4"]);
  await page.keyboard.press("u");
  await heading(page, "Overdue 1 record").waitFor();
  expect(complaints).toEqual([]);
});

test("with a finger a row is resolved to the right and gets another day to the left", async () => {
  const phone = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };
  const { page, ask, complaints, context } = await openAs(stage, "/settings", phone);
  await create(ask, 30, "Task", () => dayAfter(0));
  const { promise: isTime, resolve: goOn } = Promise.withResolvers<void>();
  await page.route("**/app/steps-*.js", (route) => isTime.then(() => route.continue()));
  await page.goto("/");
  const row = (topic: string) =>
    page.locator("[data-record]", { has: page.getByRole("link", { name: topic, exact: true }) });
  await row("Task 2").waitFor();
  const device = await context.newCDPSession(page);
  const swipe = async (topic: string, { x = 150, by = 0, down = 0, isCancelled = false }) => {
    await row(topic).scrollIntoViewIfNeeded();
    const { y = 0, height = 0 } = (await row(topic).boundingBox()) ?? {};
    const send = (type: string, ...touchPoints: object[]) =>
      device.send("Input.dispatchTouchEvent", { type, touchPoints } as never);
    await send("touchStart", { x, y: y + height / 2 });
    for (let step = 1; step <= 10; step++)
      await send("touchMove", { x: x + (by * step) / 10, y: y + height / 2 + (down * step) / 10 });
    if (isCancelled) await row(topic).and(page.locator("[data-swipe]")).waitFor();
    await send(isCancelled ? "touchCancel" : "touchEnd");
  };
  // Before its script has arrived.
  await swipe("Task 1", { by: 160 });
  goOn();
  await page.getByText("Resolved “Task 1”").waitFor();
  await row("Task 1").waitFor({ state: "detached" });
  expect(await overflow(page)).toBe(0);

  await swipe("Task 2", { x: 250, by: -160 });
  await page.getByRole("dialog", { name: "Reschedule" }).getByText("Task 2").waitFor();
  await page.getByRole("button", { name: /^Tomorrow/ }).tap();
  await page.getByText(`Moved “Task 2” to ${inShort(dayAfter(1))}`).waitFor();

  // Too short, from the edge, taken back by the system, or scrolling: nothing.
  await swipe("Task 3", { by: 60 });
  await swipe("Task 4", { x: 10, by: 200 });
  await swipe("Task 5", { by: 200, isCancelled: true });
  await swipe("Task 6", { by: 20, down: -200 });
  await expect.poll(() => page.locator("[data-swipe]").count()).toBe(0);
  expect((await find(ask, "status=active")).total).toBe(29);
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(complaints).toEqual([]);
});
