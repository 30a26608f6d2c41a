import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { type App, isFocused, overflow, violations, violationsInBoth } from "./app.ts";
import { createDocuments } from "./many.ts";
import { nightly } from "./nightly.ts";
import { newPerson, openAs, type Person, stageFor } from "./stage.ts";
import { createDocument } from "./steps.ts";

// Long lists: their rows are links, the way back leads to where one was, and all of them can be selected.

const COUNT = 250;
const nameOf = (index: number) => `Document ${String(index).padStart(3, "0")}`;

let app: App & Person;
let page: Page;

const stage = stageFor({}, async ({ service }) => {
  const person = await newPerson(stage);
  const texts = Array.from({ length: COUNT }, (_, index) => ({ title: nameOf(index), text: "About hay" }));
  await createDocuments(service.apiUrl, person.token, texts);
  const viewport = { width: 1280, height: 600 };
  app = await openAs(stage, "/documents?sort=title", { person, viewport });
  page = app.page;
  app.complaints.length = 0;
});

const row = (title: string) => page.getByRole("row", { name: title, exact: true });
const link = (title: string) => row(title).getByRole("link");
const heading = (name: string) => page.getByRole("heading", { level: 1, name });
const toast = (text: string | RegExp) => page.getByLabel("Notifications").getByText(text).waitFor();
const selected = (text: string) =>
  page.getByRole("toolbar", { name: "Selected" }).getByText(text, { exact: true });
const place = () => page.evaluate<number>("document.querySelector('[role=grid]')?.scrollTop ?? -1");

test("a row is a link, which the mouse opens in another tab, and still selects", async () => {
  await expect.poll(() => link(nameOf(1)).getAttribute("href")).toMatch(/^\/documents\/[0-9a-f-]{36}$/);
  for (const press of [{ button: "middle" as const }, { modifiers: ["ControlOrMeta" as const] }]) {
    const [opened] = await Promise.all([app.context.waitForEvent("page"), link(nameOf(1)).click(press)]);
    await opened.getByRole("heading", { level: 1, name: nameOf(1) }).waitFor();
    await opened.close();
  }
  await expect.poll(() => page.getByRole("toolbar", { name: "Selected" }).count()).toBe(0);
  await row(nameOf(1)).locator("label").click();
  await link(nameOf(2)).click();
  await selected("2 selected").waitFor();
  await link(nameOf(4)).click({ modifiers: ["Shift"] });
  await selected("4 selected").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("toolbar", { name: "Selected" }).waitFor({ state: "hidden" });
  await link(nameOf(3)).click();
  await heading(nameOf(3)).waitFor();
});

test("the way back leads to the place in the list, and in what was found", async () => {
  await page.goto("/documents?sort=title");
  await row(nameOf(0)).waitFor();
  const scrolled = async () => {
    await page.evaluate("document.querySelector('[role=grid]').scrollTo(0, 150 * 80)");
    return row(nameOf(152)).count();
  };
  await expect.poll(scrolled, { interval: 100 }).toBe(1);
  // While a list scrolls it takes no clicks, and Playwright would scroll it further until it does.
  const takesClicks = `getComputedStyle(document.querySelector("[role=grid] [role=row]")).pointerEvents !== "none"`;
  await expect.poll(() => page.evaluate(takesClicks)).toBe(true);
  await row(nameOf(152)).click();
  await heading(nameOf(152)).waitFor();
  await page.goBack();
  await row(nameOf(152)).waitFor();
  await expect.poll(place).toBe(150 * 80);
  await expect.poll(() => isFocused(row(nameOf(152)))).toBe(true);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await heading(nameOf(153)).waitFor();
  // A new visit begins at the top.
  await page.getByRole("link", { name: "Documents", exact: true }).first().click();
  await page.getByRole("grid").waitFor();
  expect(await place()).toBe(0);

  await page.goto("/search?q=hay&type=documents&page=2");
  const results = page.getByRole("region", { name: "Results" }).getByRole("link");
  await results.nth(15).scrollIntoViewIfNeeded();
  await page.evaluate("scrollBy(0, 60)");
  const before = await page.evaluate<number>("scrollY");
  expect(before).toBeGreaterThan(100);
  const name = (await results.nth(15).innerText()).split("\n")[0] ?? "";
  await results.nth(15).click();
  await heading(name).waitFor();
  await page.goBack();
  await results.nth(15).waitFor();
  await expect.poll(() => page.evaluate("scrollY")).toBe(before);
  expect(page.url()).toContain("q=hay&type=documents&page=2");
});

test("all of them are selected, moved in steps, taken back, and what an interruption left is sent after it", async () => {
  const { id } = await app.ask<{ id: string }>("POST", "/api/folders", { name: "Work" });
  await app.ask("POST", "/api/folders", { name: "Home" });
  const inWork = async () =>
    (await app.ask<{ total: number }>("GET", `/api/documents?limit=1&folder_id=${id}`)).total;
  const selectAll = async () => {
    await row(nameOf(0)).focus();
    await page.keyboard.press("Control+a");
    await selected("100 selected").waitFor();
    await page.getByRole("button", { name: `Select all ${COUNT}` }).click();
    await selected(`${COUNT} selected`).waitFor();
  };
  const moveToWork = async () => {
    await page.keyboard.press("m");
    await page.getByPlaceholder("Find or create a folder").fill("Work");
    await page.getByRole("option", { name: "Work", exact: true }).click();
  };
  await page.goto("/documents?sort=title");
  await selectAll();
  await moveToWork();
  await toast(`${COUNT} documents moved to Work`);
  expect(await inWork()).toBe(COUNT);
  await page.keyboard.press("u");
  await expect.poll(inWork).toBe(0);

  let sent = 0;
  await page.route("**/api/documents/bulk", (route) => (sent++ === 0 ? route.continue() : route.abort()));
  await selectAll();
  await moveToWork();
  const left = COUNT - 100;
  await toast(`${COUNT} documents moved to Work; ${left} of them will sync when the server is back`);
  await page.getByText("1 change will sync").waitFor();
  expect(await inWork()).toBe(100);
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByRole("dialog").getByText(`Move ${left} documents to Work`).waitFor();
  await page.unroute("**/api/documents/bulk");
  await expect.poll(inWork).toBe(COUNT);
  await page.getByText("1 change will sync").waitFor({ state: "hidden" });
  await page.goto(`/documents?sort=title&folder=${id}`);
  await selectAll();
  await page.keyboard.press("m");
  await page.getByRole("option", { name: "No folder" }).click();
  await expect.poll(inWork).toBe(0);
  expect(app.complaints.filter((complaint) => !complaint.includes("ERR_FAILED"))).toEqual([]);
});

test("a folder is created where something is moved, and folders count what is inside them", async () => {
  await page.goto("/documents?sort=title");
  // Rows in sight: a list that scrolls takes no clicks.
  await row(nameOf(3)).locator("label").click();
  await page.keyboard.press("m");
  await page.getByPlaceholder("Find or create a folder").fill("Work / Letters");
  await page.getByRole("option", { name: "Create “Work / Letters”" }).click();
  await toast(`“${nameOf(3)}” moved to Work / Letters`);
  await row(nameOf(4)).locator("label").click();
  await page.keyboard.press("m");
  await page.getByRole("dialog").getByText("Work", { exact: true }).click();
  const work = page.getByRole("treegrid").getByRole("row", { name: "Work" });
  await work.getByText("2 documents", { exact: true }).waitFor();
  await work.click();
  await page.getByText("1 document here, 1 in subfolders").waitFor();
});

test("a row has the first words, and shows its box when it may be wanted", async () => {
  const folder = await app.ask<{ id: string }>("POST", "/api/folders", { name: "Trips" });
  const text = "# Rome\n\n- the **blue** coat\n- tickets";
  await createDocument(app.ask, "Rome", text, { folder_id: folder.id, tags: ["travel"] });
  await page.goto("/documents?sort=created");
  await row("Rome").getByText("the blue coat · tickets", { exact: true }).waitFor();
  await row("Rome").getByText("Trips", { exact: true }).waitFor();
  await row("Rome").getByText("#travel", { exact: true }).waitFor();
  await expect.poll(() => row("Rome").locator("time").textContent()).toMatch(/^\d\d:\d\d$/);
  const seen = () =>
    page.evaluate<string>(
      `getComputedStyle(document.querySelector("[role=row][aria-label=Rome] label > span")).opacity`,
    );
  await page.mouse.move(0, 0);
  await expect.poll(seen).toBe("0");
  await row("Rome").hover();
  await expect.poll(seen).toBe("1");
  await row("Rome").locator("label").focus();
  expect(await violationsInBoth(page)).toEqual([]);
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 640 });
    expect(await overflow(page)).toBe(0);
  }
  await page.setViewportSize({ width: 1280, height: 600 });
});

const preview = (name: string) => page.getByRole("complementary", { name: `Preview of ${name}` });

test("j, k and x lead into the list from wherever the focus is; Space looks into a document, arrows go on, and Escape leads back", async () => {
  await page.goto("/documents?sort=title");
  await row(nameOf(0)).waitFor();
  for (const [key, at] of [
    ["j", 0],
    ["j", 1],
    ["j", 2],
    ["k", 1],
    ["j", 2],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(() => isFocused(row(nameOf(at)))).toBe(true);
  }
  await page.keyboard.press("x");
  await selected("1 selected").waitFor();
  await row(nameOf(0)).focus();
  await page.keyboard.press("Space");
  await preview(nameOf(0)).getByText("About hay").waitFor();
  await expect.poll(() => isFocused(row(nameOf(0)))).toBe(true);
  await page.keyboard.press("ArrowDown");
  await preview(nameOf(1)).waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  await page.keyboard.press("x");
  await selected("2 selected").waitFor();
  await page.keyboard.press("Escape");
  await selected("2 selected").waitFor();
  const isClosed = async () => {
    await preview(nameOf(1)).waitFor({ state: "detached" });
    await expect.poll(() => isFocused(row(nameOf(1)))).toBe(true);
  };
  await isClosed();
  await page.keyboard.press("Space");
  await preview(nameOf(1)).getByRole("button", { name: "Close preview" }).click();
  await isClosed();
  await page.keyboard.press("Space");
  await preview(nameOf(1)).waitFor();
  await page.keyboard.press("Space");
  await isClosed();
  await page.keyboard.press("x");
  await selected("1 selected").waitFor();
});

// How fast the screens of such an account are is measured by `npm run bench -- web`.
nightly("ten thousand documents are listed, scrolled through, and found from the palette", async () => {
  const person = await newPerson(stage);
  const texts = Array.from({ length: 10_000 }, (_, number) => {
    const title = `Document ${String(number).padStart(5, "0")}`;
    return { title, text: number === 4711 ? "The needle in the haystack" : "Hay" };
  });
  await createDocuments(stage.service.apiUrl, person.token, texts);
  const { page, complaints } = await openAs(stage, "/documents?sort=title", { person });
  await page.getByRole("row", { name: "Document 00000" }).waitFor();
  // More rows are loaded while it is scrolled: which of them is the last one cannot be foreseen.
  const scrolled = async () => {
    await page.evaluate("document.querySelector('[role=grid]').scrollTo(0, 1e9)");
    const last = await page.getByRole("row").last().innerText();
    return Number(/Document (\d+)/.exec(last)?.[1]);
  };
  await expect.poll(scrolled, { interval: 100 }).toBeGreaterThanOrEqual(299);
  await expect.poll(() => page.getByRole("row").count()).toBeLessThan(80);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Palette" }).locator("input:focus").waitFor();
  await page.keyboard.type("needle");
  await page.getByRole("menuitem", { name: "Document 04711" }).and(page.locator("[data-focused]")).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Document 04711" }).waitFor();
  expect(complaints).toEqual([]);
});
