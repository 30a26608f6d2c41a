import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { isFocused, overflow, violations } from "./app.ts";
import { newPerson, openAs, phoneOf, stageFor } from "./stage.ts";
import { createDocument, textField } from "./steps.ts";

// Writing and finding with fingers, on a screen that is narrow and full of bars.

const stage = stageFor();

async function phone(width: number, height: number, path: string, text = "One\n"): Promise<Page> {
  const person = await newPerson(stage);
  await createDocument(person.ask, "Plan", text, { tags: ["a"] });
  return (await openAs(stage, path, { person, ...phoneOf(width, height) })).page;
}

const boxOf = async (page: Page, name: string) =>
  (await page.getByRole("toolbar", { name }).boundingBox()) ?? { y: 0, height: 0 };

test("the line being written stands above the toolbar, which is the only bar", async () => {
  const page = await phone(390, 844, "/documents/new");
  await page.locator(".cm-content").waitFor();
  await textField(page).tap();
  for (let row = 0; row < 40; row++) {
    await page.keyboard.insertText(`row ${row}`);
    await page.keyboard.press("Enter");
  }
  await page.keyboard.insertText("last words");
  const line = page.locator(".cm-line").filter({ hasText: "last words" });
  const bar = await boxOf(page, "Keyboard toolbar");
  await expect.poll(async () => ((await line.boundingBox())?.y ?? 0) > 0).toBe(true);
  const { y = 0, height = 0 } = (await line.boundingBox()) ?? {};
  expect(y + height).toBeLessThanOrEqual(bar.y);
  await expect.poll(() => page.getByRole("navigation", { name: "Main" }).isVisible()).toBe(false);
  await expect.poll(() => page.getByRole("button", { name: "Add document" }).isVisible()).toBe(false);
  await page.getByRole("button", { name: "Hide keyboard" }).tap();
  const places = page.getByRole("navigation", { name: "Main" });
  await places.waitFor();

  // It marks the place in front of a screen, and none for a page that does not exist.
  const marked = places.locator("[data-behind], [aria-current]");
  await page.goto("/activity");
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(await marked.allInnerTexts()).toEqual(["Settings"]);
  await page.goto("/nowhere");
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  expect(await marked.count()).toBe(0);
});

test("at 320 px the ways into the documents stand in one line each, and the folders can be closed", async () => {
  const page = await phone(320, 640, "/documents");
  await page.getByRole("row", { name: /Plan/ }).waitFor();
  expect(await overflow(page)).toBe(0);
  const top = async (name: string | RegExp) =>
    (await page.getByRole("button", { name }).or(page.getByRole("link", { name })).first().boundingBox())?.y;
  expect(await top(/^Today’s note and/)).toBe(await top("Folders"));
  await page.getByRole("button", { name: "Folders" }).tap();
  await page.getByRole("dialog").getByRole("button", { name: "New folder" }).tap();
  await page.getByRole("textbox", { name: "Name" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).tap();
  await page.getByRole("textbox", { name: "Name" }).waitFor({ state: "hidden" });
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).tap();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Search" }).tap();
  await page.getByRole("searchbox").and(page.locator(":focus")).waitFor();
  expect(await violations(page)).toEqual([]);
});

test("at 320 px a word that is longer than the screen is broken, where it is written and listed, and hours stand in one column", async () => {
  const page = await phone(320, 640, "/");
  const word = "Donaudampfschifffahrtsgesellschaftskapitänsmützenreinigung";
  const entry = page.getByRole("textbox", { name: "New record" });
  await entry.fill(`${word} at 23:59 +${word}`);
  await page.getByRole("button", { name: `Project ${word}: keep` }).waitFor();
  expect(await overflow(page)).toBe(0);
  await entry.press("Enter");
  const topic = page.getByRole("link", { name: `23:59 ${word}` });
  await topic.waitFor();
  expect(await overflow(page)).toBe(0);
  // The whole word, in two lines beside its hour.
  const { height = 0 } = (await topic.boundingBox()) ?? {};
  expect(height).toBeGreaterThan(40);
  // Whichever way the words beside them are read.
  await entry.fill("להתקשר לרופא today at 23:58");
  await entry.press("Enter");
  const hours = page.locator("time[datetime^='23:5']");
  await expect.poll(() => hours.count()).toBe(2);
  const lefts = await hours.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
  expect(new Set(lefts).size).toBe(1);
});

test.each([390, 320])("at %i px a long text is written from wherever one reads it", async (width) => {
  const days = Array.from({ length: 40 }, (_, day) => `## Day ${day}\n\n${"We walked on. ".repeat(20)}`);
  const page = await phone(width, 700, "/documents", days.join("\n\n"));
  await page.getByRole("row", { name: /Plan/ }).tap();
  const heading = page.getByRole("article").getByRole("heading", { name: "Day 20" });
  await heading.evaluate((element) => element.scrollIntoView({ block: "start", behavior: "instant" }));
  const edit = page.getByRole("button", { name: "Edit", exact: true });
  const places = page.getByRole("navigation", { name: "Main" });
  const boxes = await Promise.all([edit, places].map((element) => element.boundingBox()));
  const [button, bar] = boxes.map((box) => box ?? { x: 0, y: 0, width: 0, height: 0 });
  if (!button || !bar) throw new Error("there are two");
  expect(Math.min(button.width, button.height)).toBeGreaterThanOrEqual(44);
  expect(button.y + button.height).toBeLessThanOrEqual(bar.y);
  expect([await overflow(page), await violations(page)]).toEqual([0, []]);
  // What is at the end of the page can be scrolled from under it.
  const about = page.getByRole("complementary", { name: "About this document" });
  const end = async () => {
    // Parts of the text that are drawn meanwhile may move it.
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    const { y = 0, height = 0 } = (await about.boundingBox()) ?? {};
    return y + height;
  };
  await expect.poll(end).toBeLessThanOrEqual(button.y);
  await heading.evaluate((element) => element.scrollIntoView({ block: "start", behavior: "instant" }));
  await edit.tap();
  await page.locator(".cm-line").filter({ hasText: "Day 20" }).waitFor();
  await expect.poll(() => page.evaluate("scrollY")).toBeGreaterThan(1000);
});

test("on a phone the documents scroll with their page, and a row has a line for folder, tasks and tags", async () => {
  const person = await newPerson(stage);
  const { id: folder_id } = await person.ask<{ id: string }>("POST", "/api/folders", { name: "Meetings" });
  for (let n = 0; n < 12; n++) await createDocument(person.ask, `Old ${n}`, "Words");
  const tags = ["apollo", "budget"];
  await createDocument(person.ask, "Kickoff", "Everybody came.\n\n- [x] a\n- [ ] b", { folder_id, tags });
  const { page } = await openAs(stage, "/documents", { person, ...phoneOf(320, 640) });
  const row = page.getByRole("row", { name: /Kickoff/ });
  await row.waitFor();
  const facts = ["Meetings", "1 of 2 done", "#apollo #budget"].map((text) => row.getByText(text));
  const boxes = await Promise.all(facts.map((fact) => fact.boundingBox()));
  const [folder, tasks, tagged] = boxes.map((box) => box ?? { x: 0, y: 0, width: 0 });
  if (!folder || !tasks || !tagged) throw new Error("there are three");
  expect([tasks.y, tagged.y]).toEqual([folder.y, folder.y]);
  expect(tasks.x - folder.x - folder.width).toBeGreaterThanOrEqual(8);
  expect(tagged.x - tasks.x - tasks.width).toBeGreaterThanOrEqual(8);
  const cut = await facts[0]?.evaluate((element) => element.scrollWidth > element.clientWidth);
  expect(cut).toBe(false);

  // The page scrolls, and no box in it; also at a large zoom on a desk.
  const scrolls = () =>
    page.evaluate<boolean[]>(`(() => {
      const list = document.querySelector("[role=grid]");
      const { documentElement: root } = document;
      return [list.scrollHeight > list.clientHeight + 1, root.scrollHeight > root.clientHeight];
    })()`);
  await expect.poll(scrolls).toEqual([false, true]);
  await page.setViewportSize({ width: 800, height: 450 });
  await expect.poll(scrolls).toEqual([false, true]);
  await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
  await page.getByRole("row", { name: /Old 0/ }).waitFor();

  // A print says that it does not have all.
  await page.emulateMedia({ media: "print" });
  const printed = await page
    .getByText("13 documents")
    .evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element, "::before").content);
  expect(printed).toContain("Printed: ");
});

test("a screen begins at its top, however far the one before was scrolled, and Back comes back to the place", async () => {
  const person = await newPerson(stage);
  for (let n = 0; n < 20; n++) {
    const record = { memory_type: "commitment", topic: `Call ${n}`, content: "Soon", due_date: "2020-01-01" };
    await person.ask("POST", "/api/memories", record);
  }
  const { page } = await openAs(stage, "/", { person, ...phoneOf(390, 640) });
  const toPlace = (name: string) =>
    page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).tap();
  const isAt = (path: string, name: string) =>
    Promise.all([page.waitForURL(path), page.getByRole("heading", { name, level: 1 }).waitFor()]);
  await page.getByText("Call 0", { exact: true }).waitFor();
  await toPlace("Records");
  await isAt("/records", "Records");
  await page.getByText("Call 0", { exact: true }).waitFor();
  await page.evaluate("scrollTo(0, 500)");
  await expect.poll(() => page.evaluate("scrollY")).toBe(500);
  await toPlace("Today");
  await isAt("/", "Today");
  await expect.poll(() => page.evaluate("scrollY")).toBe(0);
  await page.goBack();
  await isAt("/records", "Records");
  await expect.poll(() => page.evaluate("scrollY")).toBe(500);

  // So do the versions of a document.
  const text = Array.from({ length: 60 }, (_, n) => `Line ${n}x`).join("\n\n");
  const id = await createDocument(person.ask, "Long", text);
  await page.setViewportSize({ width: 390, height: 240 });
  await page.goto(`/documents/${id}`);
  await page.getByRole("article").getByText("Line 0x").waitFor();
  await page.evaluate("scrollTo(0, 500)");
  await page.getByRole("article").getByText("Line 9x").waitFor();
  await page.evaluate("history.pushState(null, '', '?versions')");
  await page.getByRole("heading", { name: "Versions of Long" }).waitFor();
  expect(await page.evaluate("document.documentElement.scrollHeight > 300")).toBe(true);
  await expect.poll(() => page.evaluate("scrollY")).toBe(0);
});

test("at 320 px nothing is squeezed: a shared page's bar, a record's buttons, a message with two offers", async () => {
  const page = await phone(320, 640, "/share?title=Tea&text=Green");
  const heightOf = async (what: Locator) => (await what.boundingBox())?.height ?? 0;
  expect(await heightOf(page.getByText("Not saved yet"))).toBeLessThan(30);
  const offered = ["Save", "Done"].map((name) => page.getByRole("button", { name, exact: true }));
  const ends = await Promise.all(offered.map(async (one) => (await one.boundingBox())?.y));
  expect(ends).toEqual([expect.any(Number), ends[0]]);
  await page.goto("/records");
  await page.getByRole("textbox", { name: /^New/ }).fill("Call Grace tomorrow");
  await page.keyboard.press("Enter");
  const told = page.getByLabel("Notifications");
  const [show, undo] = ["Show", /^Undo/].map((name) =>
    told.getByRole("link", { name }).or(told.getByRole("button", { name })),
  );
  const topOf = async (one: Locator | undefined) => (await one?.boundingBox())?.y ?? 0;
  await expect.poll(async () => Math.abs((await topOf(show)) - (await topOf(undo)))).toBeLessThan(1);
  await show?.tap();
  const buttons = page.getByRole("button", { name: /^(Resolve|Defer|Still true|More)$/ });
  await buttons.last().waitFor();
  const boxes = await Promise.all((await buttons.all()).map((button) => button.boundingBox()));
  expect(new Set(boxes.map((box) => box?.y)).size).toBe(1);
  expect(await overflow(page)).toBe(0);
});

test("versions scroll with their page, the newest first, and the older ones on request", async () => {
  const person = await newPerson(stage);
  const id = await createDocument(person.ask, "Kickoff", "Version 1");
  for (let n = 2; n <= 12; n++)
    await person.ask("PUT", `/api/documents/${id}`, {
      content: { format: "markdown", text: `Version ${n}` },
    });
  const { page } = await openAs(stage, `/documents/${id}?versions`, { person, ...phoneOf(320, 640) });
  const rows = () => page.getByRole("radio", { name: /^Compare version/ }).count();
  await page.getByRole("heading", { name: "From version 11 to 12" }).waitFor();
  expect(await rows()).toBe(5);
  await page.getByRole("button", { name: "Show all 12 versions" }).tap();
  await expect.poll(rows).toBe(12);
  expect(await isFocused(page.getByRole("radio", { name: "Compare version 7" }))).toBe(true);
  const boxes =
    "[...document.querySelectorAll('main *')].filter((one) => one.clientHeight > 0 && /auto|scroll/.test(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight + 1).length";
  for (const size of [
    { width: 320, height: 640 },
    { width: 720, height: 450 },
  ]) {
    await page.setViewportSize(size);
    expect(await page.evaluate(boxes)).toBe(0);
  }
  await page.getByRole("radio", { name: "Compare version 1", exact: true }).check();
  await page.getByRole("heading", { name: "From version 1 to 12" }).waitFor();
});

test("on a phone details are added below the line, and a record's menu stands beside its buttons", async () => {
  const page = await phone(320, 640, "/");
  const entry = page.getByRole("textbox", { name: "New record" });
  await entry.fill("Call Grace");
  expect(await page.getByText("Shift+Enter").isVisible()).toBe(false);
  await page.getByRole("button", { name: "Add details" }).tap();
  await page.keyboard.type("about the slides");
  await page.keyboard.press("Enter");
  await page.keyboard.type("and the board");
  await page.getByRole("button", { name: "Save" }).tap();
  await page.getByRole("link", { name: "Show" }).tap();
  await page.getByText("about the slides").waitFor();
  const tops = await Promise.all(
    ["Resolve", "Still true", "More"].map(async (name) => {
      const { y = 0, height = 0 } = (await page.getByRole("button", { name }).first().boundingBox()) ?? {};
      return y + height / 2;
    }),
  );
  expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(2);
});

test("the app says once, on a later day, that it can be installed, and browsers have pictures of it", async () => {
  const page = await phone(390, 844, "/");
  const offer = () =>
    page.evaluate(`dispatchEvent(Object.assign(new Event("beforeinstallprompt", { cancelable: true }), {
      prompt: async () => { globalThis.isInstalled = true; },
    }))`);
  const hint = page.getByRole("status").getByText("Install Commonplace");
  // On the first day it does not; nor does it take the browser's own button away.
  expect(await offer()).toBe(true);
  expect(await hint.count()).toBe(0);
  await page.evaluate('localStorage.setItem("install-hint", "yesterday")');
  await offer();
  await hint.waitFor();
  await page.getByRole("button", { name: "Install", exact: true }).tap();
  expect(await page.evaluate("globalThis.isInstalled")).toBe(true);
  await hint.waitFor({ state: "hidden" });
  await offer();
  expect(await hint.count()).toBe(0);
  const { screenshots } = await (await page.request.get("/manifest.webmanifest")).json();
  const types = screenshots.map(async ({ src }: { src: string }) => {
    const answer = await page.request.get(src);
    return [answer.status(), answer.headers()["content-type"]];
  });
  expect(await Promise.all(types)).toEqual(Array(4).fill([200, "image/webp"]));
});
