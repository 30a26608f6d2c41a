import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { enter, openApp } from "./app.ts";
import { type Ask, askWith } from "./ask.ts";
import { register } from "./service.ts";
import { stageFor } from "./stage.ts";

// What keys do where nothing has the focus yet, and how one gets out of fields.

const stage = stageFor();
let people = 0;

async function somebody(path: string) {
  people += 1;
  const account = { email: `keys-${people}@example.com`, password: "a long password" };
  const ask: Ask = askWith(stage.service.apiUrl, await register(stage.service.apiUrl, account));
  const ids: string[] = [];
  for (const title of ["One", "Two", "Three"]) {
    const content = { format: "markdown", text: title };
    const document = { title, content, tags: ["work", "pinned"] };
    ids.push((await ask<{ id: string }>("POST", "/api/documents", document)).id);
  }
  const app = await openApp(stage.browser, stage.service.apiUrl);
  await enter(app, account, path);
  return { ...app, ask, ids };
}

const focusedRow = (page: Page, name: string) =>
  page
    .getByRole("grid")
    .getByRole("row", { name: new RegExp(`^${name}`) })
    .and(page.locator(":focus"));

test("in the documents j, k and x lead into the list, from wherever the focus is", async () => {
  const { page, close } = await somebody("/documents");
  await page
    .getByRole("grid")
    .getByRole("row", { name: /^Three/ })
    .waitFor();
  await page.keyboard.press("j");
  await focusedRow(page, "Three").waitFor();
  await page.keyboard.press("j");
  await focusedRow(page, "Two").waitFor();
  await page.keyboard.press("k");
  await focusedRow(page, "Three").waitFor();
  await page.keyboard.press("x");
  await page.getByText("1 selected").waitFor();
  await close();
});

test("Escape leaves the field for a tag, whose suggestions are those that have what is typed", async () => {
  const { page, ask, ids, close } = await somebody("/documents");
  await ask("PUT", `/api/documents/${ids[0]}`, { tags: ["home"] });
  await page.goto(`/documents/${ids[0]}`);
  await page.getByRole("article").getByText("One").waitFor();
  await page.keyboard.press("t");
  const tag = page.getByRole("combobox", { name: "Add a tag" });
  await tag.and(page.locator(":focus")).waitFor();
  await page.keyboard.type("wo");
  await page.getByRole("option", { name: /work/ }).waitFor();
  await expect.poll(() => page.getByRole("option").count()).toBe(1);
  await page.keyboard.press("Escape");
  await expect.poll(() => tag.and(page.locator(":focus")).count()).toBe(0);
  await expect.poll(() => tag.inputValue()).toBe("");
  await page.keyboard.press("m");
  await page.getByPlaceholder("Find or create a folder").waitFor();
  await close();
});

test("one Escape closes the palette, and a straight apostrophe finds a curly one", async () => {
  const { page, close } = await somebody("/");
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Palette" });
  await palette.locator("input:focus").waitFor();
  await page.keyboard.type("today's note");
  await palette.getByRole("menuitem", { name: "Today’s note" }).first().waitFor();
  await page.keyboard.press("Escape");
  await palette.waitFor({ state: "hidden" });
  await close();
});

test("of a series that is found, each record says its day, and what became of it; so does the history", async () => {
  const { page, ask, close } = await somebody("/");
  const pills = { memory_type: "commitment", topic: "Take the pills", content: "One", repeat: "FREQ=DAILY" };
  const { id } = await ask<{ id: number }>("POST", "/api/memories", { ...pills, due_date: "2031-05-14" });
  await ask("POST", `/api/memories/${id}/resolve`, {});
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Palette" });
  await palette.locator("input:focus").waitFor();
  await page.keyboard.type("take the pills");
  await palette.getByRole("menuitem", { name: "Take the pills Thu 15 May 2031" }).waitFor();
  await palette.getByRole("menuitem", { name: "Take the pills Resolved, Wed 14 May 2031" }).waitFor();
  await page.goto("/history");
  await page.getByText("due Wed 14 May 2031").waitFor();
  await close();
});

test("the copy of a pinned document is not pinned", async () => {
  const { page, ask, ids, close } = await somebody("/documents");
  await page.goto(`/documents/${ids[0]}`);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Duplicate" }).click();
  await page.waitForURL((url) => url.searchParams.has("edit"));
  const id = new URL(page.url()).pathname.split("/").at(-1);
  expect((await ask<{ tags: string[] }>("GET", `/api/documents/${id}`)).tags).toEqual(["work"]);
  await close();
});
