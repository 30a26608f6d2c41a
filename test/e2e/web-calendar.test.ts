import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, test } from "vitest";
import { goOffline, overflow, violations, violationsInBoth } from "./app.ts";
import { newPerson, openAs, type Person, phoneOf, stageFor } from "./stage.ts";

// The calendar of a person with a keyboard and a mouse, and of one with a phone and no network for a while. The days are far
// ahead, so that no test depends on the day on which it runs. Keys and dialogs in detail are in web/test.

const stage = stageFor();

const MAY = "/calendar?day=2031-05-14";

type Record = { id: number; topic: string; status: string; due_date: string | null; due_time: string | null };

async function openMay(records: object[], options: BrowserContextOptions = {}) {
  const person = await newPerson(stage);
  for (const record of records)
    await person.ask("POST", "/api/memories", {
      ...{ memory_type: "commitment", content: "As promised", ...record },
    });
  return openAs(stage, MAY, { person, locale: "de-DE", ...options });
}

const dayOf = (page: Page, name: string) => page.getByRole("gridcell", { name });

async function recordsOf({ ask }: Person): Promise<{ [topic: string]: Record[] }> {
  const { items } = await ask<{ items: Record[] }>("GET", "/api/memories?sort=due_date&limit=100");
  return Object.groupBy(items, ({ topic }) => topic) as { [topic: string]: Record[] };
}

test("a month is planned with a keyboard and a mouse", async () => {
  const app = await openMay([
    { topic: "Board meeting", due_date: "2031-05-14", due_time: "14:00" },
    { topic: "Ask Tom for the projector", due_date: "2031-05-14", due_time: "09:15" },
    { topic: "Order sandwiches", due_date: "2031-05-14" },
    { topic: "Pay the rent", due_date: "2031-05-01", due_time: "09:00", repeat: "FREQ=MONTHLY;BYMONTHDAY=1" },
  ]);
  const { page } = app;
  const rent = page.getByRole("link", { name: /Pay the rent/ }).first();
  // The 14th: first what has no hour, then by the hour.
  const links = dayOf(page, "Wednesday, 14 May 2031: 3 records").getByRole("link");
  await expect
    .poll(() => links.evaluateAll((all) => all.map((one) => one.getAttribute("title"))))
    .toEqual(["Order sandwiches", "Ask Tom for the projector", "Board meeting"]);
  await page.getByRole("columnheader").first().getByText("Mon").waitFor();
  expect(await violationsInBoth(page)).toEqual([]);

  // A new one on an empty day.
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.getByLabel("What is it?").fill("Call Grace");
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await dayOf(page, "Thursday, 15 May 2031: 1 record").waitFor();

  // Dragged to another day: the hour stays.
  await page
    .getByRole("link", { name: "Board meeting" })
    .dragTo(dayOf(page, "Tuesday, 20 May 2031: nothing"));
  await page.getByText("Moved “Board meeting” to Tue 20 May 2031").waitFor();
  await expect
    .poll(async () => (await recordsOf(app))["Board meeting"]?.[0])
    .toMatchObject({ due_date: "2031-05-20", due_time: "14:00" });
  await page.keyboard.press("u");
  await dayOf(page, "Wednesday, 14 May 2031: 3 records").waitFor();

  // What repeats: its next dates are copies; done, the next one is there, and undo takes back both.
  await page.getByRole("button", { name: "Next month" }).click();
  await page.getByRole("heading", { name: "June 2031" }).waitFor();
  await dayOf(page, "Sunday, 1 June 2031: 1 that repeats").waitFor();
  await page.getByRole("button", { name: "Previous month" }).click();
  await rent.focus();
  await dayOf(page, "Thursday, 1 May 2031: 1 record").click({ position: { x: 60, y: 100 } });
  await rent.focus();
  await page.keyboard.press("e");
  await page.getByText("Resolved “Pay the rent”. Next: Sun 1 Jun 2031, 09:00").waitFor();
  await expect.poll(async () => (await recordsOf(app))["Pay the rent"]?.length).toBe(2);
  await page.getByRole("link", { name: /Pay the rent.*done/ }).waitFor();
  await page.keyboard.press("u");
  await expect
    .poll(async () => (await recordsOf(app))["Pay the rent"])
    .toMatchObject([{ status: "active", due_date: "2031-05-01" }]);

  await page.keyboard.press("w");
  await page.getByRole("heading", { name: "28 April – 4 May 2031" }).waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  expect(app.complaints).toEqual([]);
});

test("on a phone a day is chosen, worked off without a network, and sent when there is one again", async () => {
  const app = await openMay(
    [
      { topic: "Board meeting", due_date: "2031-05-14", due_time: "14:00" },
      { topic: "Water the plants", due_date: "2031-05-15", repeat: "FREQ=DAILY", remind: [] },
    ],
    phoneOf(320, 640),
  );
  const { page } = app;
  await page.getByRole("heading", { name: "12 – 18 May 2031" }).waitFor();
  await page.getByRole("link", { name: "14:00 Board meeting" }).waitFor();
  expect([await violationsInBoth(page), await overflow(page)]).toEqual([[], 0]);

  await page.getByRole("button", { name: "Saturday, 17 May 2031: 1 that repeats" }).tap();
  await page.getByRole("region", { name: "Repeats on this day" }).getByRole("link").waitFor();
  await page.getByRole("button", { name: "Sunday, 11 May 2031" }).waitFor({ state: "detached" });
  const { promise: isTime, resolve: goOn } = Promise.withResolvers<void>();
  await page.route(/due_after=2031-04/, (route) => isTime.then(() => route.continue()));
  await page.getByText("Month", { exact: true }).tap();
  await page.getByRole("heading", { name: "May 2031", exact: true }).waitFor();
  const seventh = page.getByRole("button", { name: "Wednesday, 7 May 2031", exact: true });
  await seventh.tap();
  await seventh.and(page.locator("[aria-pressed=true]")).waitFor();
  // Nothing is said of a day before it is known.
  expect(await page.getByText("Nothing on Wednesday").count()).toBe(0);
  goOn();
  await page.getByRole("button", { name: "Wednesday, 7 May 2031: nothing" }).waitFor();
  await page.getByRole("button", { name: "New record on this day" }).tap();
  await page.getByLabel("What is it?").fill("Call Grace at 9 every Friday");
  await page.getByText("Friday, 9 May 2031, 09:00").waitFor();
  await page.getByRole("button", { name: /^every Friday: keep/ }).waitFor();
  expect(await overflow(page)).toBe(0);
  await page.getByRole("button", { name: "Cancel" }).tap();
  expect([await violationsInBoth(page), await overflow(page)]).toEqual([[], 0]);

  await page.getByRole("button", { name: "Thursday, 15 May 2031: 1 record" }).tap();
  const goOnline = await goOffline(app.context);
  await page.getByRole("button", { name: "Resolve Water the plants" }).tap();
  await page.getByText("1 change will sync").waitFor();
  await page.locator('[data-status="resolved"]').getByRole("link", { name: "Water the plants" }).waitFor();
  await page.getByText("It will sync when you’re back online.").waitFor();
  expect((await recordsOf(app))["Water the plants"]).toMatchObject([{ status: "active" }]);
  await goOnline();
  await page.getByText("1 change will sync").waitFor({ state: "detached" });
  await expect
    .poll(async () => (await recordsOf(app))["Water the plants"])
    .toMatchObject([
      { status: "resolved", due_date: "2031-05-15" },
      { status: "active", due_date: "2031-05-16" },
    ]);
});
