import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { type App, enter, openApp, violationsInBoth } from "./app.ts";
import { type Ask, askAs } from "./ask.ts";
import { register } from "./service.ts";
import { stageFor } from "./stage.ts";

// One record: what it says is changed in place, and its history says what was changed.

const ACCOUNT = { email: "ada@example.com", password: "correct horse battery" };

let app: App;
let page: Page;
let ask: Ask;

stageFor({}, async ({ service, browser }) => {
  await register(service.apiUrl, ACCOUNT);
  app = await openApp(browser, service.apiUrl, { viewport: { width: 1280, height: 800 } });
  page = app.page;
  ask = askAs(app, service.apiUrl);
  await enter(app, ACCOUNT);
  app.complaints.length = 0;
});

type Memory = { id: number; topic: string; content: string; scope: string | null };

const heading = (name: string) => page.getByRole("heading", { level: 1, name, exact: true });
const event = (text: string | RegExp) =>
  page.getByRole("region", { name: "History" }).getByRole("listitem").filter({ hasText: text });

test("a topic is changed where it stands, a property with the same kind of list as elsewhere, and the history says so", async () => {
  const words = { memory_type: "commitment", topic: "Send the slides", content: "Send the slides" };
  const { id } = await ask<Memory>("POST", "/api/memories", words);
  await page.goto(`/records/${id}`);
  await heading("Send the slides").waitFor();
  // What is said in one line is said once.
  expect(await page.getByText("Send the slides", { exact: true }).count()).toBe(1);
  await page.getByRole("button", { name: "Send the slides", exact: true }).click();
  await page.getByRole("textbox", { name: "Topic" }).fill("Send all slides");
  await page.keyboard.press("Enter");
  await heading("Send all slides").waitFor();
  await event("You changed topic → “Send all slides”").waitFor();
  expect(await ask<Memory>("GET", `/api/memories/${id}`)).toMatchObject({
    ...{ topic: "Send all slides", content: "Send all slides" },
  });
  await page.getByRole("button", { name: /Scope$/ }).click();
  await page.getByRole("option", { name: "Work" }).click();
  await event("You changed scope → Work").waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  expect(app.complaints).toEqual([]);
});

test("of a series, what was skipped says so; what ended it was archived", async () => {
  const bins = { memory_type: "commitment", topic: "Bins", content: "Both", repeat: "FREQ=WEEKLY" };
  const first = await ask<Memory>("POST", "/api/memories", { ...bins, due_date: "2031-05-14" });
  await page.goto(`/records/${first.id}`);
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
