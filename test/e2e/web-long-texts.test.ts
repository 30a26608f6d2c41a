import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { overflow } from "./app.ts";
import type { Ask } from "./ask.ts";
import { type AppOfPerson, openAs, stageFor } from "./stage.ts";
import { createDocument } from "./steps.ts";

// Texts as people have them: longer than any line, without spaces, in writings that run from right to left.

const LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
const ARABIC = "مرحبا بالعالم: قائمة التعبئة للسفر إلى القاهرة في الشتاء القادم مع العائلة والأصدقاء كلهم";
const TAG = "a-tag-that-is-as-long-as-a-tag-may-possibly-be-in-this-product";

let person: AppOfPerson;
let page: Page;
let ask: Ask;
let longTitled: string;

const stage = stageFor({}, async (set) => {
  person = await openAs(set, "/", { viewport: { width: 390, height: 844 } });
  ({ page, ask } = person);
  let parent: string | null = null;
  for (const name of ["Projects", LONG, `${LONG} again`]) {
    const made: { id: string } = await ask("POST", "/api/folders", { name, parent_id: parent });
    parent = made.id;
  }
  const filed = { folder_id: parent, tags: [TAG, "travel"] };
  for (const title of [ARABIC, LONG])
    longTitled = await createDocument(ask, title, `# ${ARABIC}\n\n${ARABIC}`, filed);
  await ask("PUT", `/api/documents/${longTitled}`, { title: `${LONG} changed` });
  await ask("POST", "/api/memories", { memory_type: "decision", topic: ARABIC, content: ARABIC });
});

/** What a function of an element says of it, in the page. */
const tell = (element: Locator, source: string): Promise<unknown> =>
  element.evaluate(new Function("element", `return (${source})(element)`) as (element: unknown) => unknown);

/** Where the first letter of a text is drawn, and the box that it is drawn in: its middle must be inside. */
const FIRST_LETTER = `(element) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let node = walker.nextNode();
  while (node && !/\\p{Script=Arabic}/u.test(node.data)) node = walker.nextNode();
  const at = node.data.search(/\\p{Script=Arabic}/u);
  const range = document.createRange();
  range.setStart(node, at);
  range.setEnd(node, at + 1);
  const letter = range.getBoundingClientRect();
  const box = element.getBoundingClientRect();
  const middle = (letter.left + letter.right) / 2;
  return middle >= box.left && middle <= box.right;
}`;

const LISTS = [
  { path: "/documents", list: "[role=grid]" },
  { path: "/records", list: "#main ul" },
  { path: "/search?q=type:decision", list: "#main ol" },
];

test("a title that runs from right to left shows its beginning in every list, and in what it is opened to", async () => {
  for (const { path, list } of LISTS) {
    await page.goto(path);
    const link = page.locator(list).getByRole("link", { name: /مرحبا/ }).first();
    await link.waitFor();
    expect(await tell(link, FIRST_LETTER), path).toBe(true);
  }
  await page.goto("/documents");
  await page.getByRole("row", { name: /مرحبا/ }).click();
  const paragraph = page.locator("article p, section p").getByText(ARABIC);
  await paragraph.waitFor();
  expect(await tell(paragraph, "(element) => getComputedStyle(element).unicodeBidi")).toBe("plaintext");
  await page.getByRole("button", { name: "Edit" }).click();
  const line = page.locator(".cm-line").last();
  await line.waitFor();
  await expect.poll(() => tell(line, "(element) => getComputedStyle(element).direction")).toBe("rtl");
});

/** How many lines of its own text an element is high. */
const LINES = `(element) => {
  const { lineHeight, fontSize } = getComputedStyle(element);
  return element.getBoundingClientRect().height / (Number.parseFloat(lineHeight) || 1.5 * Number.parseFloat(fontSize));
}`;

test("long names of folders and tags leave room for what they belong to", async () => {
  await page.goto(`/documents/${longTitled}`);
  const place = page.getByRole("navigation", { name: "Folder path" });
  await place.getByText("again").waitFor();
  expect(Number(await tell(place, LINES))).toBeLessThan(4.5);
  await page.goto("/search?q=Donau*");
  const fact = page.locator("#main ol").getByText(`Projects / ${LONG} / ${LONG} again`).first();
  await fact.waitFor();
  expect(Number(await tell(fact, LINES))).toBeLessThan(1.9);
  await page.goto("/documents");
  const chip = page.getByRole("group", { name: "Filter by tag" }).getByRole("button").first();
  await chip.waitFor();
  expect((await chip.boundingBox())?.width).toBeLessThan(300);
  expect(await overflow(page)).toBe(0);
});

test("the name of what a version changed stays one word", async () => {
  await page.goto(`/documents/${longTitled}?versions`);
  const name = page.locator("dt", { hasText: "Title" });
  await name.waitFor();
  expect(await tell(name, "(element) => element.offsetWidth")).toBeGreaterThan(25);
});

test("the trash says what each thing is, and nothing of it begins with a dot", async () => {
  await ask("DELETE", `/api/documents/${longTitled}`);
  await page.goto("/documents?view=trash");
  const kind = page.getByRole("row", { name: /Donau/ }).getByText("Document", { exact: true });
  await kind.waitFor();
  expect(await tell(kind, "(element) => getComputedStyle(element, '::before').content")).toBe("none");
});

test("a screen has its title before the service has said who is signed in", async () => {
  const context = await stage.browser.newContext({
    baseURL: stage.service.apiUrl,
    storageState: { ...(await person.context.storageState()), origins: [] },
  });
  const other = await context.newPage();
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await other.route("**/api/auth/me", (route) => held.then(() => route.continue()));
  await other.goto("/records");
  await other.getByRole("heading", { level: 1, name: "Records" }).waitFor();
  await expect.poll(() => other.getByPlaceholder(/Call Grace/).isVisible()).toBe(false);
  letGo();
  await other.getByPlaceholder(/Call Grace/).waitFor();
  await expect.poll(() => other.getByRole("heading", { level: 1 }).count()).toBe(1);
  await context.close();
});
