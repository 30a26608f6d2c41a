import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { complete, goOffline, isFocused, overflow, violationsInBoth, WITH_WORKER } from "./app.ts";
import type { Ask } from "./ask.ts";
import { openAs, phoneOf, stageFor } from "./stage.ts";
import { createDocument, readHere, rename, textField, textOf } from "./steps.ts";

// Links between documents, and what else people write as in Obsidian.

const stage = stageFor();

const article = (page: Page) => page.getByRole("article");
const options = (page: Page) => page.getByRole("option");
const linkedFrom = (page: Page) => page.getByRole("region", { name: /^Linked from/ });

/** Opens the editor of a document with the cursor at its end. */
async function edit(page: Page, id: string): Promise<void> {
  await page.goto(`/documents/${id}?edit`);
  await page.locator(".cm-content").waitFor();
  // The list is loaded after the editor.
  await expect
    .poll(() => page.evaluate("performance.getEntriesByType('resource').map((one) => one.name).join()"))
    .toMatch(/extras/);
  await textField(page).press("Control+End");
}

/** Saves by leaving the editor. */
async function done(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "More" }).first().waitFor();
}

const OBSIDIAN = `==Marked== and %%hidden%% words, \`==code== %%kept%%\`, $a_b$.

> [!warning] Mind the gap
> Between *train* and platform.

> [!tip]- Folded
> Not seen at first.

%%
- a block
%%

The end.`;

test("callouts, marked words and comments are shown as Obsidian shows them, read and written", async () => {
  const { page, ask } = await openAs(stage);
  const id = await createDocument(ask, "Notes", OBSIDIAN);
  await page.goto(`/documents/${id}`);
  await article(page).getByText("The end.").waitFor();
  await complete(page);
  expect(await article(page).locator("mark").allInnerTexts()).toEqual(["Marked"]);
  const words = await article(page).innerText();
  expect(words).toContain("==code== %%kept%%");
  expect(words).toContain("$a_b$");
  for (const hidden of ["hidden", "a block", "[!", "Not seen"]) expect(words).not.toContain(hidden);
  // The kind is read aloud.
  expect(await article(page).getByRole("note").getByRole("paragraph").first().textContent()).toBe(
    "Warning: Mind the gap",
  );
  await article(page).getByText("Folded").click();
  await article(page).getByText("Not seen at first.").waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await overflow(page)).toBe(0);

  await page.goto("/documents");
  await page.getByText("Marked and words").first().waitFor();

  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`/documents/${id}?edit`);
  await page.locator(".live-callout-title[style*='--warn'] svg").waitFor();
  await page.locator(".live-marked", { hasText: "Marked" }).waitFor();
  await page.locator(".live-comment", { hasText: "hidden" }).waitFor();
  await page.locator(".cm-line.live-comment", { hasText: "a block" }).waitFor();
  expect(await textOf(ask, id)).toBe(OBSIDIAN);
});

/** Two documents with the same title in folders, one with headings, and one to write in. */
async function library(ask: Ask) {
  const folder = async (name: string) => (await ask<{ id: string }>("POST", "/api/folders", { name })).id;
  const [people, ships] = [await folder("People"), await folder("Ships")];
  const ada = await createDocument(
    ask,
    "Ada Lovelace",
    `# Life\n\n${"Words.\n\n".repeat(60)}## The engine\n\nNotes. ^Its-notes`,
    {
      folder_id: people,
    },
  );
  const grace = await createDocument(ask, "Grace", "An admiral.", { folder_id: people });
  await createDocument(ask, "Grace", "A ship.", { folder_id: ships });
  const diary = await createDocument(ask, "Diary", "Today");
  return { people, ada, grace, diary };
}

test("`[[` offers documents and headings by the keyboard, and creates one that is missing", async () => {
  const { page, ask } = await openAs(stage);
  const { diary, people } = await library(ask);
  await ask("PUT", `/api/documents/${diary}`, { folder_id: people });
  await edit(page, diary);
  await page.keyboard.type(" met [[");
  await options(page).filter({ hasText: "Ada Lovelace" }).filter({ hasText: "People" }).waitFor();
  await page.keyboard.press("Escape");
  await options(page).first().waitFor({ state: "detached" });
  expect(await isFocused(textField(page))).toBe(true);
  await page.keyboard.type("love");
  await expect
    .poll(() => options(page).allInnerTexts())
    .toEqual(["Ada Lovelace\nPeople", expect.stringMatching(/^Create “love”/)]);
  await page.keyboard.press("Enter");
  await page.keyboard.type(", [[grace");
  // The one that was changed last is the first.
  await options(page).first().filter({ hasText: "Ships" }).waitFor();
  expect(await options(page).filter({ hasText: "Create" }).count()).toBe(0);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await page.keyboard.type(" and [[Ada Lovelace#eng");
  await options(page).filter({ hasText: "The engine" }).waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type(" and [[Babbage");
  await options(page).filter({ hasText: "Create “Babbage”" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("“Babbage” created").waitFor();
  await done(page);
  const text = "Today met [[Ada Lovelace]], [[People/Grace]] and [[Ada Lovelace#The engine]] and [[Babbage]]";
  await expect.poll(() => textOf(ask, diary)).toBe(text);
  await article(page).getByRole("link", { name: "Babbage" }).click();
  await page.getByRole("heading", { level: 1, name: "Babbage" }).waitFor();
  await page.getByRole("navigation", { name: "Folder path" }).getByText("People").waitFor();
});

test("on a phone, the list is above the keyboard's bar, and `/` begins a link", async () => {
  const { page, ask } = await openAs(stage, "/", phoneOf());
  const { diary } = await library(ask);
  await edit(page, diary);
  await page.keyboard.type("\n/link");
  await options(page).filter({ hasText: "Link to a document" }).tap();
  const ada = options(page).filter({ hasText: "Ada Lovelace" });
  await expect.poll(async () => (await ada.boundingBox())?.y ?? -1).toBeGreaterThan(0);
  expect(await violationsInBoth(page)).toEqual([]);
  await ada.tap();
  await expect.poll(() => page.locator(".cm-line").last().innerText()).toContain("[[Ada Lovelace]]");
});

test("links lead to documents, headings and blocks, and a missing one is created where it is missed", async () => {
  const { page, ask, complaints } = await openAs(stage);
  const { ada, grace, diary } = await library(ask);
  const text =
    "[[Ada Lovelace#The engine|her engine]], [[Ada Lovelace#^its-notes|notes]], [Grace](People/Grace.md), [[Babbage]], [[#Later]]\n\n## Later\n\nMore.";
  await ask("PUT", `/api/documents/${diary}`, { content: { format: "markdown", text } });
  await page.goto(`/documents/${diary}`);
  const link = (name: string) => article(page).getByRole("link", { name });
  await link("her engine").click();
  const engine = article(page).getByRole("heading", { name: "The engine" });
  await expect.poll(async () => (await engine.boundingBox())?.y ?? 10_000).toBeLessThan(800);
  expect(page.url()).toContain(`/documents/${ada}#`);
  await page.goBack();
  await link("notes").click();
  const notes = article(page).getByText("Notes.", { exact: true });
  await expect.poll(async () => (await notes.boundingBox())?.y ?? 10_000).toBeLessThan(800);
  await page.goBack();
  await link("Grace").click();
  await page.waitForURL(`**/documents/${grace}`);
  await page.goBack();

  await expect.poll(() => link("Babbage").getAttribute("title")).toBe("Not written yet");
  await complete(page);
  expect(await violationsInBoth(page)).toEqual([]);
  await link("Babbage").click();
  await expect.poll(() => page.getByRole("textbox", { name: "Title" }).inputValue()).toBe("Babbage");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await page.goBack();
  await link("Babbage").waitFor();
  await expect.poll(() => link("Babbage").getAttribute("title")).toBeNull();
  await link("Babbage").click();
  await page.getByRole("heading", { level: 1, name: "Babbage" }).waitFor();
  await linkedFrom(page).getByRole("link", { name: "Diary" }).waitFor();

  expect(complaints).toEqual([]);

  await ask("DELETE", `/api/documents/${grace}`);
  await page.goto(`/documents/${diary}`);
  await article(page).getByText("in the trash").waitFor();
  await link("Grace").click();
  await page
    .getByText("In the trash since")
    .or(page.getByRole("button", { name: "Restore" }))
    .first()
    .waitFor();
});

test("while one writes, a missing document is seen, and an id is its title", async () => {
  const { page, ask } = await openAs(stage);
  const { ada, diary } = await library(ask);
  const text = `See [[doc:${ada}]], [[Babbage]], [him](Babbage.md) and [[People/Grace]].\n\nMore`;
  await ask("PUT", `/api/documents/${diary}`, { content: { format: "markdown", text } });
  await edit(page, diary);
  const link = page.locator(".live-link");
  await expect.poll(() => link.allInnerTexts()).toEqual(["Ada Lovelace", "Babbage", "him", "Grace"]);
  expect(await page.locator(".live-missing").allInnerTexts()).toEqual(["Babbage", "him"]);
  await page.keyboard.press("Control+Home");
  for (const _ of "See ") await page.keyboard.press("ArrowRight");
  await expect.poll(() => page.locator(".cm-line").first().innerText()).toContain(`[[doc:${ada}]]`);
  await page.keyboard.press("Control+End");
  expect(await textOf(ask, diary)).toBe(text);

  await page.keyboard.type(" [[Babbage");
  await options(page).filter({ hasText: "Create “Babbage”" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("“Babbage” created").waitFor();
  await expect.poll(() => page.locator(".live-missing").count()).toBe(0);
  expect(await link.allInnerTexts()).toContain("Babbage");
});

test("Ctrl and a click, or Alt+Enter, follow a link while one writes", async () => {
  const { page, ask } = await openAs(stage);
  const { ada, grace, diary } = await library(ask);
  await edit(page, diary);
  await page.keyboard.type(" [[Ada Lovelace]] and more");
  await page.locator(".live-link", { hasText: "Ada Lovelace" }).click({ modifiers: ["Control"] });
  await page.waitForURL(`**/documents/${ada}`);
  await expect.poll(() => textOf(ask, diary)).toContain("[[Ada Lovelace]] and more");
  await page.goBack();
  await page.locator(".live-link", { hasText: "Ada Lovelace" }).click();
  await page.keyboard.press("Alt+Enter");
  await page.waitForURL(`**/documents/${ada}`);

  // One that is looked up first says so.
  await edit(page, diary);
  const held = Promise.withResolvers<void>();
  await page.route("**/api/search?**", (route) => held.promise.then(() => route.continue()));
  await page.keyboard.type(" [[Grace]]");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Alt+Enter");
  await page.getByRole("status").filter({ hasText: "Opening “Grace”…" }).waitFor();
  held.resolve();
  await page.waitForURL(`**/documents/${grace}`);
  await page.getByText("Opening “Grace”…").waitFor({ state: "detached" });
});

test("a document shows what links to it, by pages, and follows a new title", async () => {
  const { page, ask } = await openAs(stage);
  const { people, ada } = await library(ask);
  for (let number = 1; number <= 52; number++)
    await createDocument(
      ask,
      `Letter ${number}`,
      `Dear you. Letter ${number} is about [[Ada Lovelace]]. Bye.`,
      { folder_id: people },
    );
  await page.goto(`/documents/${ada}`);
  const all = linkedFrom(page);
  await all.getByRole("heading", { name: "Linked from 52 documents" }).waitFor();
  await all.getByText("Letter 52 is about Ada Lovelace.").waitFor();
  await page.getByRole("link", { name: "from 52 documents" }).waitFor();
  expect(await all.getByRole("listitem").count()).toBe(50);
  await all.getByRole("button", { name: "Show more" }).click();
  await expect.poll(() => all.getByRole("listitem").count()).toBe(52);
  await complete(page);
  expect(await violationsInBoth(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await overflow(page)).toBe(0);
  await page.setViewportSize({ width: 1280, height: 800 });

  await rename(page, "Ada Lovelace", "Ada, Countess of Lovelace");
  await all.getByRole("link", { name: "Letter 52" }).click();
  await article(page).getByRole("link", { name: "Ada, Countess of Lovelace" }).click();
  await page.waitForURL(`**/documents/${ada}`);
});

const WITH_LINKS = "GET /api/documents/id?include=links";

test("links come with the document in one request, also after it was changed", async () => {
  const { page, ask } = await openAs(stage);
  const { grace } = await library(ask);
  const diary = await createDocument(ask, "Plans", "- [ ] Ask [[Ada Lovelace]]");
  const sent: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith(`/api/documents/${diary}`) && !pathname.includes("/versions/"))
      sent.push(`${request.method()} ${pathname}${search}`);
  });
  const requests = async () => {
    await complete(page);
    return sent.splice(0).map((one) => one.replace(diary, "id"));
  };
  await page.goto(`/documents/${diary}`);
  await article(page).getByRole("link", { name: "Ada Lovelace" }).waitFor();
  expect(await requests()).toEqual([WITH_LINKS]);
  await article(page).getByRole("checkbox").click();
  await expect.poll(() => sent.at(-1)).toMatch(/^GET/);
  // A tick may be read again twice: when it is answered, and when it is no longer pending.
  expect(new Set(await requests())).toEqual(new Set(["PATCH /api/documents/id/tasks/1", WITH_LINKS]));
  await ask("PUT", `/api/documents/${grace}`, { content: { format: "markdown", text: "See [[Plans]]." } });
  await rename(page, "Plans", "All plans");
  await linkedFrom(page).getByRole("link", { name: "Grace" }).waitFor();
  expect(new Set(await requests())).toEqual(new Set([WITH_LINKS]));
});

test("without a network, links lead to the documents on the device", async () => {
  const { page, ask, context } = await openAs(stage, "/", WITH_WORKER);
  const { ada, diary } = await library(ask);
  await readHere(page, ada, "Notes.");
  const text = "About [[Ada Lovelace|her]] and [[Nobody]].";
  await ask("PUT", `/api/documents/${diary}`, { content: { format: "markdown", text } });
  await readHere(page, diary, "About");
  const goOnline = await goOffline(context);
  await page.goto(`/documents/${diary}`);
  await article(page).getByRole("link", { name: "her" }).click();
  await page.getByRole("heading", { level: 1, name: "Ada Lovelace" }).waitFor();
  await edit(page, diary);
  await page.keyboard.type(" See [[ada");
  await options(page).filter({ hasText: "Ada Lovelace" }).waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type(" and [[Later");
  await options(page).filter({ hasText: "Create “Later”" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("“Later” will be created when you’re back online").waitFor();
  await goOnline();
  const titles = async () =>
    (await ask<{ items: { title: string }[] }>("GET", "/api/documents?limit=20")).items.map(
      ({ title }) => title,
    );
  await expect.poll(titles, { timeout: 20_000 }).toContain("Later");
});
