import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { violationsInBoth } from "./app.ts";
import type { Ask } from "./ask.ts";
import { openAs, stageFor } from "./stage.ts";
import { createDocument } from "./steps.ts";

// Finding things again: search, the palette, the history.

const stage = stageFor();
let page: Page;
let ask: Ask;
let complaints: string[];

beforeEach(async () => {
  ({ page, ask, complaints } = await openAs(stage, "/settings", { viewport: { width: 1280, height: 800 } }));
});

afterEach(() => expect(complaints).toEqual([]));

const document = (title: string, text: string, tags: string[] = []) =>
  createDocument(ask, title, text, { tags });
const record = (topic: string, content: string) =>
  ask<{ id: number }>("POST", "/api/memories", { memory_type: "commitment", topic, content });

const open = (path: string) => page.goto(path);
const field = () => page.getByRole("searchbox", { name: "Search documents and records" });

test("a search finds while it is typed, narrows down by tags and tasks, and comes back as it was", async () => {
  await document("Packing list", "Passport, boots, rain jacket", ["travel"]);
  await document("Shoes", "- [ ] The boots need new laces", ["repair"]);
  await record("Buy laces", "For the boots");
  await open("/search");
  await field().pressSequentially("boo");
  await page.getByText("3 results").waitFor();
  await page.getByRole("button", { name: "Tag", exact: true }).click();
  await page.getByRole("menuitem", { name: "travel" }).click();
  await page.getByText("1 result", { exact: true }).waitFor();
  await expect.poll(() => field().inputValue()).toBe("boo tag:travel");
  await page.getByRole("button", { name: "Remove the filter tag: travel" }).click();
  await page.getByText("3 results").waitFor();
  await page.getByRole("button", { name: "Tasks", exact: true }).click();
  await page.getByRole("menuitem", { name: "Open", exact: true }).click();
  await page.getByText("1 result", { exact: true }).waitFor();
  await expect.poll(() => field().inputValue()).toBe("boo task:open");
  await page.getByText("Only documents are shown, because records have no tasks.").waitFor();
  await field().fill("boo");
  await page.getByText("3 results").waitFor();
  await field().focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/(documents|records)\/[^/]+$/);
  await page.goBack();
  await page.getByText("3 results").waitFor();
  await expect.poll(() => field().inputValue()).toBe("boo");
});

test("a slip is corrected, and the word can be searched for as it was written", async () => {
  await document("Packing list", "Passport and boots");
  await open("/search?q=pasport");
  await page.getByText("Showing results for passport").waitFor();
  await page.getByRole("button", { name: "Search instead for “pasport”" }).click();
  await page.getByRole("heading", { name: "Nothing found" }).waitFor();
  await expect.poll(() => field().inputValue()).toBe('"pasport"');
});

test("a document opens at what was found in it, which is marked there", async () => {
  const before = Array.from({ length: 80 }, (_, line) => `Line ${line} of the diary`).join("\n\n");
  await document("Diary", `${before}\n\nThe **heron** came back. Two herons now.`);
  await open("/search?q=heron");
  await page
    .getByRole("main")
    .getByRole("link", { name: /^Diary/ })
    .click();
  const text = page.getByRole("article").getByText("The heron came back.");
  await text.waitFor();
  await expect.poll(() => page.evaluate<number>("scrollY")).toBeGreaterThan(500);
  const marked = `[...(CSS.highlights.get("found") ?? [])].map((range) =>
    range.startContainer.textContent.slice(range.startOffset, range.endOffset))`;
  await expect.poll(() => page.evaluate(marked)).toEqual(["heron", "herons"]);
  await page.goBack();
  await page.getByText("1 result", { exact: true }).waitFor();
  expect(await page.evaluate("CSS.highlights.has('found')")).toBe(false);
});

test("where nothing is found, it says what was looked for, and what was typed can be written down", async () => {
  await document("Packing list", "Passport and boots", ["travel"]);
  await open("/search?q=zebra+-lion+tag:travel&type=documents");
  await page.getByText("No results for “zebra” without “lion” with tag travel.").waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  await page.getByRole("button", { name: "Search everything" }).click();
  await page.waitForURL((url) => !url.searchParams.has("type"));
  await page.getByRole("link", { name: "Add “zebra” as a record" }).click();
  const entry = page.getByRole("textbox", { name: "New record" });
  await expect.poll(() => entry.inputValue()).toBe("zebra");
  await page.keyboard.press("Enter");
  await page.getByLabel("Notifications").getByText("Saved “zebra”").waitFor();
  await page.getByRole("heading", { name: /^New, no date/ }).waitFor();
  await page.getByLabel("Notifications").getByRole("link", { name: "Show" }).click();
  await page.getByRole("heading", { level: 1, name: "zebra" }).waitFor();
});

test("everything is a few keys away", async () => {
  const id = await document("Packing list", "Passport, boots, rain jacket");
  await open("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("menuitem", { name: "Packing list" }).waitFor();
  await page.keyboard.type("rain");
  await page.getByRole("menuitem", { name: "Packing list" }).and(page.locator("[data-focused]")).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/documents/${id}`);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("dark");
  await page.getByRole("menuitem", { name: "Dark theme" }).and(page.locator("[data-focused]")).waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.locator("html[data-theme=dark]").waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.waitForURL("**/history");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
});

test("what was closed is listed with its note, reopened, and closed again", async () => {
  const { id } = await record("Buy laces", "For the boots");
  await ask("POST", `/api/memories/${id}/resolve`, { resolution_note: "Red ones" });
  const now = () => ask<{ resolved_at: string | null }>("GET", `/api/memories/${id}`);
  const { resolved_at } = await now();
  await open("/history?status=resolved");
  await page.getByText("Red ones").waitFor();
  await page.getByRole("link", { name: "Buy laces" }).press("r");
  await page.getByText("Reopened: Buy laces").waitFor();
  await page.getByRole("heading", { name: "No records match these filters" }).waitFor();
  expect(await now()).toMatchObject({ status: "active", resolution_note: null, resolved_at: null });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Red ones").waitFor();
  const as = { status: "resolved", resolution_note: "Red ones", resolved_at };
  await expect.poll(now).toMatchObject(as);
});

test("a page that another app shares becomes a document, which is shown first", async () => {
  await open("/share?title=A+page&text=Worth+reading&url=https%3A%2F%2Fexample.com%2Fa");
  await page.waitForURL("**/documents/new?**");
  await page.getByText("Worth reading").waitFor();
  const total = async () => (await ask<{ total: number }>("GET", "/api/documents")).total;
  expect(await total()).toBe(0);
  await page.getByRole("button", { name: "Done" }).click();
  await expect.poll(total).toBe(1);
});
