import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { isFocused } from "./app.ts";
import type { Ask } from "./ask.ts";
import { openAs, stageFor } from "./stage.ts";
import { createDocument } from "./steps.ts";

// Reading and writing a long text continue at the same place; and what was done by a key leaves the focus where the next key
// is meant.

const DAYS = Array.from(
  { length: 90 },
  (_, day) => `## Day ${day}\n\n${"We walked on. ".repeat(30)}\n\n- rain`,
);

let page: Page;
let ask: Ask;
let id: string;

stageFor({}, async (stage) => {
  ({ page, ask } = await openAs(stage));
  id = await createDocument(ask, "Journey", DAYS.join("\n\n"));
});

const read = (day: number) =>
  page.getByRole("article").getByRole("heading", { name: `Day ${day}`, exact: true });
const written = (day: number) => page.locator(".cm-line", { hasText: `Day ${day}` });

/** How far below the top of the window something stands. */
const top = (element: Locator): Promise<number> =>
  element.evaluate((found) => Math.round(found.getBoundingClientRect().top));

const scrollTo = async (element: Locator, height: number) =>
  page.evaluate(`scrollBy(0, ${(await top(element)) - height})`);

/** Clicks the beginning of a day, and returns how far below the top of the window it is. */
async function click(day: number): Promise<number> {
  // Waits until it no longer moves.
  await read(day).click({ trial: true });
  const { x = 0, y = 0 } = (await read(day).boundingBox()) ?? {};
  await page.mouse.click(x + 10, y + 10);
  return y;
}

/** What is between two lines is not as high when it is read as when it is written. */
const isNear = (one: number, other: number) => Math.abs(one - other) < 40;

test("a long text is written where it is read, and read where it was written", async () => {
  await page.goto(`/documents/${id}`);
  await read(40).waitFor();
  await scrollTo(read(40), 60);
  await page.keyboard.press("e");
  await written(40).waitFor();
  await expect.poll(async () => isNear(await top(written(40)), 60)).toBe(true);
  await page.keyboard.type(" of the hut");
  await expect.poll(() => written(40).innerText()).toContain("Day 40 of the hut");
  await written(41).click();
  await page.keyboard.press("End");
  await page.keyboard.type(" of the pass");
  const height = await top(written(41));
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "Day 41 of the pass" }).waitFor();
  await expect.poll(() => isFocused(page.getByRole("button", { name: "Edit" }))).toBe(true);
  await expect
    .poll(async () => isNear(await top(page.getByRole("heading", { name: "Day 41" })), height))
    .toBe(true);
});

test("what the editor loads later moves nothing", async () => {
  const menu = Promise.withResolvers<void>();
  await page.route(/\/extras-[^/]*\.js/, async (route) => {
    await menu.promise;
    await route.continue();
  });
  await page.goto(`/documents/${id}`);
  await read(30).waitFor();
  await scrollTo(read(30), 60);
  await page.keyboard.press("e");
  await written(30).waitFor();
  // From a key on, nothing corrects the place.
  await page.keyboard.press("ArrowRight");
  const height = await top(written(30));
  await page.evaluate("void (window.line = document.activeElement.shadowRoot.querySelector('.cm-line'))");
  const loaded = page.waitForResponse(/\/extras-[^/]*\.js/);
  menu.resolve();
  await loaded;
  await page.keyboard.press("Enter");
  const menus = page.getByRole("listbox", { name: "Insert" });
  const isMenuOpen = async () => {
    await page.keyboard.press("Backspace");
    await page.keyboard.type("/");
    return (await menus.count()) === 1;
  };
  await page.keyboard.type("/");
  await expect.poll(isMenuOpen).toBe(true);
  expect(await page.evaluate("window.line.isConnected")).toBe(true);
  expect(isNear(await top(written(30)), height)).toBe(true);
  for (const key of ["Escape", "Backspace", "Backspace", "Escape"]) await page.keyboard.press(key);
  await read(30).waitFor();
});

test("a click far down in a text begins there, and after scrolling alone reading goes on there", async () => {
  await page.goto(`/documents/${id}`);
  await read(60).waitFor();
  await scrollTo(read(60), 300);
  const clicked = await click(60);
  await written(60).waitFor();
  await expect.poll(async () => isNear(await top(written(60)), clicked)).toBe(true);
  await page.evaluate(
    "void (window.scrolled = new Promise((end) => addEventListener('scrollend', () => end(), { once: true })))",
  );
  await page.mouse.wheel(0, 900);
  await page.evaluate("scrolled");
  await expect.poll(() => written(63).count()).toBe(1);
  await scrollTo(written(63), 60);
  const height = await top(written(63));
  await page.getByRole("button", { name: "Done" }).dispatchEvent("click");
  await read(63).waitFor();
  await expect.poll(async () => isNear(await top(read(63)), height)).toBe(true);
});

test("after a reload writing goes on in the same place, and at the start once the editor was closed", async () => {
  await page.goto(`/documents/${id}`);
  await read(50).waitFor();
  await scrollTo(read(50), 300);
  const clicked = await click(50);
  await written(50).waitFor();
  await expect.poll(async () => isNear(await top(written(50)), clicked)).toBe(true);
  await page.keyboard.press("End");
  await page.keyboard.insertText(" at sea");
  await scrollTo(written(50), 150);
  await page.reload();
  const line = page.locator(".cm-line", { hasText: "Day 50 at sea" });
  await line.waitFor();
  await expect.poll(async () => isNear(await top(line), 150)).toBe(true);
  await page.keyboard.insertText(", all day");
  await page.locator(".cm-line", { hasText: "Day 50 at sea, all day" }).waitFor();
  await page.getByRole("button", { name: "Done" }).dispatchEvent("click");
  await page.getByRole("heading", { name: "Day 50 at sea, all day" }).waitFor();
  await page.goto(`/documents/${id}?edit`);
  await written(0).waitFor();
  await page.keyboard.insertText("First of all. ");
  await page.locator(".cm-line", { hasText: "First of all. " }).waitFor();
  expect(await page.evaluate("scrollY")).toBe(0);
});

test("after a reload a new document is written on in the same place", async () => {
  await page.goto("/documents/new");
  await page.getByRole("textbox", { name: "Title" }).press("Enter");
  await page.keyboard.insertText("Ship and sea");
  for (const key of ["Home", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
  await page.reload();
  const first = page.locator(".cm-line").first();
  await expect.poll(() => first.innerText()).toBe("Ship and sea");
  await page.keyboard.insertText("--");
  await expect.poll(() => first.innerText()).toBe("Sh--ip and sea");
});

test("what is renamed, made a commitment or restored leaves the focus there", async () => {
  const short = await createDocument(ask, "Calls", "- [ ] call Grace");
  await page.goto(`/documents/${short}`);
  await page.getByRole("heading", { level: 1 }).getByRole("button").press("Enter");
  await page.keyboard.press("End");
  await page.keyboard.type(" of today");
  await page.keyboard.press("Enter");
  const title = page.getByRole("button", { name: "Calls of today" });
  await expect.poll(() => isFocused(title)).toBe(true);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await expect.poll(() => isFocused(title)).toBe(true);
  await page.getByRole("button", { name: "Make “call Grace” a commitment" }).click();
  await page.getByRole("link", { name: "commitment 1" }).waitFor();
  await expect.poll(() => isFocused(page.getByRole("checkbox", { name: "call Grace" }))).toBe(true);
  await page.goto(`/documents/${short}?versions`);
  await page.getByRole("button", { name: "Restore version 2" }).press("Enter");
  await expect.poll(() => isFocused(page.getByRole("button", { name: "Restore version 3" }))).toBe(true);
});
