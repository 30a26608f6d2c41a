import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { type App, enter, isFocused, openApp, overflow, violationsInBoth } from "./app.ts";
import { type Ask, askAs } from "./ask.ts";
import { register } from "./service.ts";
import { stageFor } from "./stage.ts";

// Getting around: the sidebar with folders and projects, the settings in sections, the palette.

const ACCOUNT = { email: "ada@example.com", password: "correct horse battery" };
const PHONE = { width: 390, height: 800 };

let app: App;
let page: Page;
let ask: Ask;
let work: { id: string };

const stage = stageFor({}, async ({ service, browser }) => {
  await register(service.apiUrl, ACCOUNT);
  app = await openApp(browser, service.apiUrl, { viewport: { width: 1280, height: 800 } });
  page = app.page;
  ask = askAs(app, service.apiUrl);
  await enter(app, ACCOUNT);
  work = await ask("POST", "/api/folders", { name: "Work" });
  const inner = await ask<{ id: string }>("POST", "/api/folders", { name: "Letters", parent_id: work.id });
  const document = (title: string, folder_id: string | null, text: string) =>
    ask("POST", "/api/documents", { title, folder_id, content: { format: "markdown", text } });
  await document("Minutes", work.id, "# Minutes\n\nWe met on *Monday*.");
  await document("Minutes", inner.id, "Others met");
  await document("Recipe", null, "Flour and salt");
  const record = (memory_type: string, topic: string, project: string | null) =>
    ask("POST", "/api/memories", { memory_type, topic, content: topic, project });
  await record("commitment", "Send the slides", "apollo");
  await record("decision", "Paint it blue", "house");
});

beforeEach(async () => {
  app.complaints.length = 0;
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto("/");
  await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
});

const nav = () => page.getByRole("navigation", { name: "Main" });
const heading = (name: string, level = 1) => page.getByRole("heading", { level, name, exact: true });
const folder = (name: string) => nav().getByRole("treegrid").getByRole("row", { name, exact: true });
const palette = () => page.getByRole("dialog", { name: "Palette" });
const line = (name: string | RegExp) => palette().getByRole("menuitem", { name });

test("folders and projects are links in the sidebar, and say where one is", async () => {
  await folder("Work").getByRole("link").click();
  await heading("Work").waitFor();
  expect(new URL(page.url()).search).toBe(`?folder=${work.id}`);
  await expect.poll(() => folder("Work").getAttribute("aria-selected")).toBe("true");
  const [opened] = await Promise.all([
    app.context.waitForEvent("page"),
    folder("No folder").getByRole("link").click({ button: "middle" }),
  ]);
  await opened.getByRole("row", { name: "Recipe", exact: true }).waitFor();
  await opened.close();
  await nav().getByRole("link", { name: "apollo" }).click();
  await heading("apollo").waitFor();
  await page.getByText("1 active record", { exact: true }).waitFor();
  await expect
    .poll(() => nav().getByRole("link", { name: "apollo" }).getAttribute("aria-current"))
    .toBe("page");
  await expect.poll(() => folder("Work").getAttribute("aria-selected")).toBe("false");
  expect(await violationsInBoth(page)).toEqual([]);
  expect(app.complaints).toEqual([]);
});

test("what is folded stays folded in this browser", async () => {
  await folder("Work").waitFor();
  await nav().getByRole("button", { name: "Folders" }).click();
  await folder("Work").waitFor({ state: "detached" });
  await page.reload();
  await nav().getByRole("link", { name: "apollo" }).waitFor();
  await expect
    .poll(() => nav().getByRole("button", { name: "Folders" }).getAttribute("aria-expanded"))
    .toBe("false");
  await expect.poll(() => folder("Work").count()).toBe(0);
  await nav().getByRole("button", { name: "Folders" }).click();
  await folder("Work").waitFor();
});

test("the name is a menu with the settings, the theme and the way out", async () => {
  const name = page.getByRole("button", { name: ACCOUNT.email });
  await name.click();
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  const theme = () => page.evaluate<string | undefined>("document.documentElement.dataset.theme");
  await expect.poll(theme).toBe("dark");
  await name.click();
  await expect
    .poll(() => page.getByRole("menuitemradio", { name: "Dark" }).getAttribute("aria-checked"))
    .toBe("true");
  await page.getByRole("menuitemradio", { name: "System" }).click();
  await expect.poll(theme).toBe(undefined);
  await name.click();
  await page.getByRole("menuitem", { name: "Settings" }).click();
  await heading("Settings").waitFor();
  await page.keyboard.press("Escape");
});

test("the settings are sections with addresses; on a phone each is a page with a way back", async () => {
  await page.goto("/settings#sessions");
  await heading("Active sessions", 3).waitFor();
  await expect.poll(() => heading("Active sessions", 3).isVisible()).toBe(true);
  const contents = page.getByRole("navigation", { name: "Settings" });
  await expect
    .poll(() => contents.getByRole("link", { name: "Security" }).getAttribute("aria-current"))
    .toBe("true");
  await contents.getByRole("link", { name: "Data" }).click();
  await expect.poll(() => new URL(page.url()).hash).toBe("#data");
  const isInSight = `(() => { const { top } = document.querySelector("#data").getBoundingClientRect();
    return top >= 0 && top < innerHeight; })()`;
  await expect.poll(() => page.evaluate(isInSight)).toBe(true);
  await page.setViewportSize(PHONE);
  await heading("Data").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Settings" }).click();
  await heading("Settings").waitFor();
  await contents.getByRole("link", { name: /^Security/ }).click();
  await heading("Security").waitFor();
  await heading("Password", 2).waitFor();
  await page.goBack();
  await heading("Settings").waitFor();
  await contents.getByRole("link", { name: "Webhooks" }).click();
  await heading("Webhooks").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Settings" }).click();
  await heading("Settings").waitFor();
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await overflow(page)).toBe(0);
  expect(await violationsInBoth(page)).toEqual([]);
});

test("the palette goes to a setting by its name, and makes something of what was typed", async () => {
  await page.keyboard.press("Control+k");
  await palette().waitFor();
  await page.keyboard.type("totp");
  await line("Settings: Two-factor authentication").waitFor();
  await page.keyboard.press("Enter");
  await heading("Settings").waitFor();
  expect(new URL(page.url()).hash).toBe("#second-factor");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("Buy hay by Friday");
  await line("New record “Buy hay by Friday”").click();
  await heading("Today").waitFor();
  const entry = page.getByRole("textbox", { name: "New record" });
  await expect.poll(() => entry.inputValue()).toBe("Buy hay by Friday");
  await expect.poll(() => isFocused(entry)).toBe(true);
  await entry.fill("");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("Hay prices");
  await line("New document “Hay prices”").click();
  await expect.poll(() => new URL(page.url()).searchParams.get("title")).toBe("Hay prices");
});

test("the palette begins with what was opened last, tells equal titles apart, and acts on what is open", async () => {
  await page.goto("/records?status=all");
  await page.getByRole("link", { name: /Send the slides/ }).click();
  await heading("Send the slides").waitFor();
  await page.keyboard.press("Control+k");
  await line(/^Defer/).waitFor();
  await expect.poll(() => palette().getByRole("group").first().textContent()).toMatch(/^This record/);
  await page.keyboard.press("Escape");
  await nav().getByRole("link", { name: "Today" }).click();
  await heading("Today").waitFor();
  await page.keyboard.press("Control+k");
  const first = palette().getByRole("group", { name: "Recently opened" });
  await first.getByRole("menuitem", { name: "Send the slides" }).waitFor();
  await expect.poll(() => line(/^Defer/).count()).toBe(0);
  await page.keyboard.type("minutes");
  await line(/^Minutes.*Work \/ Letters/).waitFor();
  await line(/^Minutes.*Work$/).waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  await page.keyboard.press("Escape");
});

test("on a phone the palette opens where the thumb is", async () => {
  const phone = await openApp(stage.browser, stage.service.apiUrl, {
    ...{ viewport: PHONE, hasTouch: true, isMobile: true },
  });
  await enter(phone, ACCOUNT);
  const button = phone.page.getByRole("button", { name: "Search or run a command" });
  const box = await button.boundingBox();
  expect(box?.y).toBeGreaterThan(PHONE.height / 2);
  await button.tap();
  await phone.page.getByRole("dialog", { name: "Palette" }).waitFor();
  expect(await overflow(phone.page)).toBe(0);
  await phone.close();
});
