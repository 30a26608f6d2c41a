import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { type App, enter, openApp, overflow, violations } from "./app.ts";
import { type Ask, askAs } from "./ask.ts";
import type { Account } from "./browser.ts";
import { register } from "./service.ts";
import { stageFor } from "./stage.ts";

// Documents that are pinned stand on top, in every browser of the account.

const stage = stageFor();
let account: Account;
let app: App;
let page: Page;
let ask: Ask;

let people = 0;

beforeEach(async () => {
  people += 1;
  account = { email: `person-${people}@example.com`, password: "correct horse battery" };
  await register(stage.service.apiUrl, account);
  app = await openApp(stage.browser, stage.service.apiUrl);
  page = app.page;
  ask = askAs(app, stage.service.apiUrl);
  await enter(app, account);
  return () => app.close();
});

const create = (title: string, tags: string[] = []) =>
  ask<{ id: string }>("POST", "/api/documents", { title, tags, content: { format: "markdown", text: "x" } });
const tagsOf = async (id: string) => (await ask<{ tags: string[] }>("GET", `/api/documents/${id}`)).tags;
const inSidebar = () => page.getByRole("navigation", { name: "Main" }).getByRole("list", { name: "Pinned" });
const titles = async () => (await inSidebar().getByRole("link").allInnerTexts()).map((title) => title.trim());

test("a key pins a document, and takes it down again; undo does the opposite", async () => {
  const { id } = await create("Packing list", ["travel"]);
  // As an assistant or an import has spelled it.
  const { id: other } = await create("Addresses", ["Pinned"]);
  await page.goto(`/documents/${id}`);
  await page.getByRole("heading", { level: 1, name: "Packing list" }).waitFor();
  await page.keyboard.press("p");
  await page.getByText("“Packing list” pinned").waitFor();
  await expect.poll(titles).toEqual(["Addresses", "Packing list"]);
  expect(await tagsOf(id)).toEqual(["travel", "pinned"]);
  await inSidebar()
    .getByRole("link", { name: "Packing list" })
    .and(page.locator("[aria-current=page]"))
    .waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("u");
  await expect.poll(titles).toEqual(["Addresses"]);

  await inSidebar().getByRole("link", { name: "Addresses" }).click();
  await page.getByRole("heading", { level: 1, name: "Addresses" }).waitFor();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Unpin" }).click();
  await page.getByText("“Addresses” unpinned").waitFor();
  await expect.poll(() => tagsOf(other)).toEqual([]);
  await inSidebar().waitFor({ state: "detached" });
  expect(app.complaints).toEqual([]);
});

test("on a phone they stand above all documents, and above no part of them", async () => {
  const { id } = await create("A very long title of a document that does not fit into one line", ["pinned"]);
  const phone = await openApp(stage.browser, stage.service.apiUrl, {
    ...{ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  });
  await enter(phone, account, "/documents");
  const above = phone.page.getByRole("list", { name: "Pinned" });
  await above.getByRole("link", { name: /^A very long title/ }).waitFor();
  expect(await overflow(phone.page)).toBe(0);
  expect(await violations(phone.page)).toEqual([]);
  await above.getByRole("link", { name: /^A very long title/ }).click();
  await phone.page.waitForURL(`**/documents/${id}`);
  await phone.page.goto("/documents?tag=pinned");
  await phone.page.getByRole("row", { name: /^A very long title/ }).waitFor();
  await expect.poll(() => above.count()).toBe(0);
  await phone.close();
});
