import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { overflow, violations, violationsInBoth } from "./app.ts";
import type { Ask } from "./ask.ts";
import { type AppOfPerson, openAs, stageFor } from "./stage.ts";

// Many documents: folders, tags, selections, files, the trash.

const stage = stageFor();
let person: AppOfPerson;
let page: Page;
let ask: Ask;

beforeEach(async () => {
  person = await openAs(stage);
  ({ page, ask } = person);
});

afterEach(() => expect(person.complaints).toEqual([]));

const createFolder = (name: string, parent_id?: string) =>
  ask<{ id: string }>("POST", "/api/folders", { name, parent_id: parent_id ?? null });

/** Documents of these titles, the last one changed last. */
async function createDocuments(titles: string[], fields: object = {}) {
  for (let start = 0; start < titles.length; start += 100) {
    const operations = titles
      .slice(start, start + 100)
      .map((title) => ({ operation: "create", title, ...fields }));
    await ask("POST", "/api/documents/bulk", { operations });
  }
}

type Listed = { total: number; items: { title: string; tags: string[]; folder_id: string | null }[] };
const list = (query = "") => ask<Listed>("GET", `/api/documents?limit=100${query}`);
const titles = async (query = "") => (await list(query)).items.map(({ title }) => title).sort();

const row = (title: string) => page.getByRole("row", { name: title, exact: true });
const folderRow = (name: string) => page.getByRole("treegrid").getByRole("row", { name });
const select = (title: string) => row(title).locator("label").click();
const focused = () => page.evaluate<string | null>("document.activeElement?.getAttribute('aria-label')");
const toast = (text: string) => page.getByLabel("Notifications").getByText(text).waitFor();

test("selected documents are tagged, moved and deleted together, and each of it is taken back", async () => {
  const work = await createFolder("Work");
  await createDocuments(["Alpha", "Beta", "Gamma"]);
  await page.goto("/documents");
  await select("Alpha");
  await select("Beta");
  await page.getByText("2 selected").waitFor();

  await page.keyboard.press("t");
  await page.getByPlaceholder("Add a tag").fill("plan");
  await page.keyboard.press("Enter");
  await toast("2 documents tagged plan");
  await page.getByPlaceholder("Add a tag").fill("Plan");
  await page.keyboard.press("Enter");
  await toast("Both have it already");
  await page.getByRole("button", { name: "Done" }).click();
  expect(await titles("&tag=plan")).toEqual(["Alpha", "Beta"]);

  await page.keyboard.press("m");
  await page.getByPlaceholder("Find or create a folder").fill("work");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await toast("2 documents moved to Work");
  expect(await titles(`&folder_id=${work.id}`)).toEqual(["Alpha", "Beta"]);
  await select("Alpha");
  await page.keyboard.press("m");
  await page.getByPlaceholder("Find or create a folder").fill("work");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await toast("“Alpha” is there already");
  await page.getByRole("button", { name: "Dismiss" }).last().click();
  await page.keyboard.press("u");
  await row("Alpha").getByText("Work").waitFor({ state: "hidden" });
  await expect.poll(() => titles(`&folder_id=${work.id}`)).toEqual([]);

  await select("Beta");
  await page.keyboard.press("#");
  await toast("“Beta” moved to the trash");
  await row("Beta").waitFor({ state: "hidden" });
  await page.keyboard.press("u");
  await row("Beta").waitFor();
  expect(await titles()).toEqual(["Alpha", "Beta", "Gamma"]);

  // Without a selection, the keys act on the row that has the focus.
  await row("Gamma").focus();
  await page.keyboard.press("m");
  await page.getByRole("dialog", { name: "Move “Gamma” to" }).waitFor();
  await page.getByPlaceholder("Find or create a folder").fill("work");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await toast("“Gamma” moved to Work");
  await row("Gamma").focus();
  await page.keyboard.press("t");
  await page.getByRole("dialog", { name: "Tags of “Gamma”" }).waitFor();
  await page.getByPlaceholder("Add a tag").fill("plan");
  await page.keyboard.press("Enter");
  await toast("“Gamma” tagged plan");
  await page.getByRole("button", { name: "Remove plan" }).waitFor();
  await page.getByRole("button", { name: "Done" }).click();

  // In a list of a tag, the dialog goes on with what has left the list.
  await page.goto("/documents?tag=plan");
  await row("Gamma").focus();
  await page.keyboard.press("t");
  await page.getByRole("button", { name: "Remove plan" }).click();
  await toast("plan removed from “Gamma”");
  await row("Gamma").waitFor({ state: "detached" });
  await page.getByPlaceholder("Add a tag").fill("later");
  await page.keyboard.press("Enter");
  await toast("“Gamma” tagged later");
  const tags = page.getByRole("grid", { name: "Tags", exact: true }).getByRole("row");
  expect(await tags.allInnerTexts()).toEqual(["later"]);
  await page.getByRole("button", { name: "Done" }).click();
  await page.goto("/documents");
  await row("Gamma").focus();
  await page.keyboard.press("#");
  await toast("“Gamma” moved to the trash");
  await row("Gamma").waitFor({ state: "hidden" });
});

test("the address keeps folder, tag and order", async () => {
  const work = await createFolder("Work");
  await createDocuments(["Zebra", "Apple"], { folder_id: work.id, tags: ["plan"] });
  await createDocuments(["Mango"], { folder_id: work.id });
  await page.goto("/documents");
  await folderRow("Work").click();
  await page.getByRole("heading", { level: 1, name: "Work" }).waitFor();
  await page.getByRole("button", { name: "plan 2" }).click();
  await page.getByLabel("Sort by").selectOption("Title");
  await row("Mango").waitFor({ state: "hidden" });
  await page.waitForURL(/sort=title/);
  await page.reload();
  await row("Apple").waitFor();
  const shown = await page.getByRole("grid").getByRole("row").allInnerTexts();
  expect(shown.map((text) => text.split("\n")[0])).toEqual(["Apple", "Zebra"]);
  const search = await page.getByRole("link", { name: "Search here" }).getAttribute("href");
  expect(new URLSearchParams(search?.split("?")[1]).get("q")).toBe('folder:"Work" tag:plan ');
  await page.goBack();
  await page.goBack();
  await row("Mango").waitFor();
});

test("documents are narrowed down by their tasks, which rows count, and ticking the last one takes it out", async () => {
  const withTasks = (text: string) => ({ content: { format: "markdown", text } });
  await createDocuments(["Party"], withTasks("- [ ] cake\n- [x] music\n- [x] lamps"));
  await createDocuments(["Trip"], withTasks("- [x] tickets"));
  await createDocuments(["Diary"], withTasks("no tasks"));
  await page.goto("/documents");
  await row("Party").getByText("2 of 3 done").waitFor();
  await row("Trip").getByText("1 of 1 done").waitFor();
  await row("Diary").waitFor();
  await expect.poll(() => page.getByText(/ of .* done/).count()).toBe(2);

  const tasks = page.getByRole("combobox", { name: "Tasks" });
  const shown = async () =>
    (await page.getByRole("grid").getByRole("row").allInnerTexts()).map((text) => text.split("\n")[0]);
  for (const [choice, titles] of [
    ["Tasks: any", ["Trip", "Party"]],
    ["Tasks: done", ["Trip"]],
    ["Tasks: open", ["Party"]],
  ] as const) {
    await tasks.selectOption(choice);
    await expect.poll(shown).toEqual(titles);
  }
  await page.reload();
  await expect.poll(shown).toEqual(["Party"]);
  const search = await page.getByRole("link", { name: "Search here" }).getAttribute("href");
  expect(new URLSearchParams(search?.split("?")[1]).get("q")).toBe("task:open ");
  expect(await violationsInBoth(page)).toEqual([]);

  await row("Party").click();
  await page.getByRole("checkbox", { name: "cake" }).click();
  await expect.poll(() => titles("&tasks=open")).toEqual([]);
  await page.goBack();
  await page.getByText("No document here has an open task").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await row("Party").getByText("3 of 3 done").waitFor();
});

test("folders are created, renamed, dragged and deleted; deleting one asks what to do with its content", async () => {
  await page.goto("/documents");
  for (const name of ["Work", "Home"]) {
    await page.goto("/documents");
    await page.getByRole("button", { name: "New folder", exact: true }).click();
    await page.getByRole("textbox", { name: "Name" }).fill(name);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name }).waitFor();
  }
  const { items } = await ask<{ items: { id: string; name: string }[] }>("GET", "/api/folders");
  const home = items.find(({ name }) => name === "Home");
  await createDocuments(["Recipe"], { folder_id: home?.id });
  await page.goto("/documents");

  await row("Recipe").dragTo(folderRow("Work"));
  await toast("“Recipe” moved to Work");
  await folderRow("Home").dragTo(folderRow("Work"));
  await toast("“Home” moved to Work");

  await folderRow("Work").click();
  await folderRow("Work").hover();
  await page.getByRole("button", { name: "Actions for Work" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Office");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Office" }).waitFor();
  await folderRow("Office").hover();
  await page.getByRole("button", { name: "Actions for Office" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByText("It contains 1 document and 1 folder").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Move them to the top level" }).click();
  await toast("“Office” deleted");
  expect(await list()).toMatchObject({ items: [{ title: "Recipe", folder_id: null }] });
  await page.getByRole("heading", { level: 1, name: "Documents" }).waitFor();
});

test("a folder that is made in one that was folded is there to be seen", async () => {
  const { id } = await createFolder("Work");
  await ask("POST", "/api/folders", { name: "Earlier", parent_id: id });
  await page.goto("/documents");
  const chevron = folderRow("Work").locator("[slot=chevron]");
  await chevron.click();
  await folderRow("Earlier").waitFor();
  await chevron.click();
  await folderRow("Earlier").waitFor({ state: "hidden" });
  await folderRow("Work").hover();
  await page.getByRole("button", { name: "Actions for Work" }).click();
  await page.getByRole("menuitem", { name: "New subfolder" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("New");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "New" }).waitFor();
  await folderRow("New").waitFor();
});

test("a document is moved to a folder without a mouse, by dragging it with the keyboard", async () => {
  await createFolder("Work");
  await createDocuments(["Alpha"]);
  await page.goto("/documents");
  await folderRow("Work").waitFor();
  await row("Alpha").focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(focused).toBe("Drag Alpha");
  await page.keyboard.press("Enter");
  // The drag begins, and moves on, a moment after the key: each step is awaited.
  await expect.poll(focused).toMatch(/^Drop /);
  for (let at = await focused(); at !== "Drop on Work"; at = await focused()) {
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).not.toBe(at);
  }
  await page.keyboard.press("Enter");
  await toast("“Alpha” moved to Work");
});

test("documents that are in no folder are a place of their own", async () => {
  const { id } = await createFolder("Work");
  await createDocuments(["Filed"], { folder_id: id });
  await createDocuments(["Loose"]);
  await page.goto("/documents");
  await row("Filed").waitFor();
  await page.getByRole("row", { name: "No folder" }).click();
  await row("Filed").waitFor({ state: "hidden" });
  await select("Loose");
  await page.keyboard.press("m");
  await page.getByRole("dialog").getByText("Work").click();
  await page.getByRole("heading", { name: "Every document is in a folder" }).waitFor();
});

test("files become documents, and one that is not text says why", async () => {
  const work = await createFolder("Work");
  await page.goto(`/documents?folder=${work.id}`);
  await page.getByText("This folder is empty").waitFor();
  const file = (name: string, text: string | Buffer) => ({
    name,
    mimeType: "application/octet-stream",
    buffer: Buffer.from(text),
  });
  await page
    .locator("input[type=file]")
    .setInputFiles([
      file("Packing list.md", "# Packing list\n\n- boots"),
      file("Notes.txt", "Plain"),
      file("Latin.txt", Buffer.from([0x66, 0xfc, 0x72])),
      file("picture.png", "x"),
    ]);
  await toast("2 documents created");
  await page.getByText("2 files were not added").waitFor();
  await page.getByText("not UTF-8 text").waitFor();
  await page.getByText(/only \.md, \.markdown, \.txt/).waitFor();
  await row("Packing list").waitFor();
  expect(await titles(`&folder_id=${work.id}`)).toEqual(["Notes", "Packing list"]);
  await page.keyboard.press("u");
  await row("Packing list").waitFor({ state: "hidden" });
});

test("what is in the trash is restored, or erased after it was asked twice", async () => {
  await createDocuments(["Alpha", "Beta", "Gamma", "Delta"]);
  await page.goto("/documents");
  await row("Alpha").focus();
  await page.keyboard.press("Control+a");
  await page.getByText("4 selected").waitFor();
  await page.keyboard.press("#");
  await page.getByText("No documents yet").waitFor();
  await folderRow("Trash").click();
  await select("Alpha");
  await page.keyboard.press("r");
  await toast("“Alpha” restored");
  await select("Beta");
  await page.keyboard.press("#");
  await page.getByRole("alertdialog").getByText("This can’t be undone").waitFor();
  await page.getByRole("button", { name: "Delete permanently" }).last().click();
  await row("Beta").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Empty trash" }).click();
  const sure = page.getByRole("alertdialog").getByRole("button", { name: "Empty trash" });
  await expect.poll(() => sure.isDisabled()).toBe(true);
  expect(await violations(page)).toEqual([]);
  await page.getByLabel(/^Type “delete”/).fill("delete");
  await sure.click();
  await page.getByRole("heading", { name: "The trash is empty" }).waitFor();
  expect(await titles()).toEqual(["Alpha"]);
});

test("hundreds of documents are a page of few rows, and scrolling brings the last of them", async () => {
  const nameOf = (index: number) => `Document ${String(index).padStart(4, "0")}`;
  const names = Array.from({ length: 300 }, (_, index) => nameOf(index));
  await createDocuments(names, { tags: ["many"] });
  await page.goto("/documents?sort=title");
  await row(nameOf(0)).waitFor();
  await expect.poll(() => page.getByRole("row").count()).toBeLessThan(80);
  const scrolled = async () => {
    await page.evaluate("document.querySelector('[role=grid]').scrollTo(0, 1e9)");
    return row(nameOf(299)).count();
  };
  await expect.poll(scrolled, { interval: 100 }).toBe(1);
  await expect.poll(() => page.getByRole("row").count()).toBeLessThan(80);
  expect(await violationsInBoth(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  await page.getByRole("button", { name: "Folders" }).waitFor();
  expect(await overflow(page)).toBe(0);
  expect(await violations(page)).toEqual([]);
});
