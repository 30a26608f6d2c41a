import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { violations } from "./app.ts";
import type { Ask } from "./ask.ts";
import { openAs, stageFor } from "./stage.ts";

// A task of a document becomes a commitment, and each of them shows the other.

let page: Page;
let ask: Ask;
let complaints: string[];

const stage = stageFor({}, async () => {
  ({ page, ask, complaints } = await openAs(stage));
});

beforeEach(() => {
  complaints.length = 0;
});

type Kept = { id: string; content: { text: string } };
type Row = { id: number; topic: string; status: string; due_date: string | null; memory_type: string };

const create = (text: string) =>
  ask<Kept>("POST", "/api/documents", { title: "Minutes", content: { format: "markdown", text } });
const textOf = async (id: string) => (await ask<Kept>("GET", `/api/documents/${id}`)).content.text;
const recordsOf = async (id: string) =>
  (await ask<{ items: Row[] }>("GET", `/api/memories?document_id=${id}`)).items;

const box = (name: string) => page.getByRole("checkbox", { name, exact: true });
const told = () => page.getByLabel("Notifications");
const lines = () => page.locator(".cm-line").allInnerTexts();

test("one key makes it one while it is read, with its day, and undo takes both back", async () => {
  // So long that it is tried out first: it stays in sight, with the focus where it was.
  const others = `  - [ ] inner\n- [x] done\n\n${"Many words. ".repeat(200)}`;
  const { id } = await create(`- [ ] Call **Grace** by 2099-12-24\n${others.replace("x", " ")}`);
  await page.goto(`/documents/${id}`);
  await box("done").click();
  await box("Call Grace by 2099-12-24").focus();
  await page.keyboard.press("c");
  await told().getByText("“Call Grace” is now a commitment, due").waitFor();
  await box("Call Grace by 2099-12-24").and(page.locator(":focus")).waitFor();
  const records = await recordsOf(id);
  expect(records).toHaveLength(1);
  const [record] = records;
  expect(record).toMatchObject({ topic: "Call Grace", due_date: "2099-12-24", memory_type: "commitment" });
  const link = ` [commitment ${record?.id}](/records/${record?.id})`;
  const linked = `- [ ] Call **Grace** by 2099-12-24${link}\n${others}`;
  await expect.poll(() => textOf(id)).toBe(linked);
  const item = page.getByRole("listitem").filter({ has: box("Call Grace by 2099-12-24") });
  await item.getByText(/^due /).waitFor();
  const due = (await item.getByText(/^due /).innerText()).trim();
  await page
    .getByRole("complementary", { name: "About this document" })
    .getByText(`commitment, ${due}`)
    .waitFor();
  await expect.poll(() => page.getByRole("button", { name: /^Make “/ }).count()).toBe(1);
  expect(await violations(page)).toEqual([]);

  await item.getByRole("link", { name: `commitment ${record?.id}` }).click();
  await page.getByRole("heading", { level: 1, name: "Call Grace" }).waitFor();
  await page
    .locator("div", { has: page.getByText("From", { exact: true }) })
    .getByRole("link", { name: "Minutes" })
    .click();
  await box("Call Grace by 2099-12-24").waitFor();
  await page.keyboard.press("u");
  await expect.poll(() => textOf(id)).not.toContain("/records/");
  await expect.poll(() => recordsOf(id)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("a button makes it one, and ticking it offers to resolve that", async () => {
  const { id } = await create("- [ ] Pack ^its-id\n- [ ] #12 and\n  more\n");
  await page.goto(`/documents/${id}`);
  await page.getByRole("button", { name: "Make “Pack” a commitment" }).click();
  await told().getByText("“Pack” is now a commitment").waitFor();
  await box("Pack").click();
  await told().getByText("The commitment “Pack” is still open").waitFor();
  expect((await recordsOf(id))[0]?.status).toBe("active");
  await told().getByRole("button", { name: "Resolve" }).click();
  await told().getByText("“Pack” resolved").waitFor();
  await page
    .getByRole("listitem")
    .filter({ has: box("Pack") })
    .getByText("done", { exact: true })
    .waitFor();
  expect((await recordsOf(id))[0]?.status).toBe("resolved");

  // An id ends its block.
  expect(await textOf(id)).toMatch(/^- \[x\] Pack \[commitment \d+\]\(\/records\/\d+\) \^its-id\n/);

  // A task of two lines has the link behind the last.
  await page.getByRole("button", { name: "Make “#12 and" }).click();
  await expect
    .poll(() => textOf(id))
    .toMatch(/- \[ \] #12 and\n {2}more \[commitment \d+\]\(\/records\/\d+\)\n$/);
  expect(complaints).toEqual([]);
});

test("words from elsewhere stay, and a refused record leaves the text as it was", async () => {
  const { id } = await create("- [ ] Pack\n");
  await page.goto(`/documents/${id}`);
  await box("Pack").waitFor();
  await ask("PUT", `/api/documents/${id}`, {
    content: { format: "markdown", text: "# List\n\n- [ ] Pack\n" },
  });
  await box("Pack").focus();
  await page.keyboard.press("c");
  await expect
    .poll(() => textOf(id))
    .toMatch(/^# List\n\n- \[ \] Pack \[commitment \d+\]\(\/records\/\d+\)\n$/);

  const { id: other } = await create("- [ ] Pack\n");
  await page.goto(`/documents/${other}`);
  await box("Pack").focus();
  await page.route("**/api/memories", (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 422, json: { detail: "topic: not today" } })
      : route.continue(),
  );
  await page.keyboard.press("c");
  await told().getByText("topic: not today").waitFor();
  await page.unroute("**/api/memories");
  expect(await textOf(other)).toBe("- [ ] Pack\n");
});

test("while it is written, a key or the menu makes it one of a document that is saved for that", async () => {
  const { promise: waited, resolve: load } = Promise.withResolvers<void>();
  await page.route("**/commit-task-*.js", (route) => waited.then(() => route.continue()));
  await page.goto("/documents/new");
  await page.getByRole("textbox", { name: "Title" }).fill("Plan");
  await page.getByRole("textbox", { name: "Title" }).press("Enter");
  await page.locator(".cm-content:focus").waitFor();
  await page.keyboard.type("- [ ] Call Grace ^its-id");
  await page.keyboard.press("Control+Shift+Enter");
  await page.keyboard.press("Enter");
  await page.keyboard.type("Pack");
  load();
  await told().getByText("“Call Grace” is now a commitment").waitFor();
  await page.keyboard.type(" /com");
  await page.getByRole("option", { name: /^Commitment/ }).waitFor();
  await page.keyboard.press("Enter");
  await told().getByText("“Pack” is now a commitment").waitFor();
  await page.waitForURL(/\/documents\/[0-9a-f-]{36}\?edit$/);
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const [one, two] = (await recordsOf(id)).map(({ id: number }) => number).sort((a, b) => a - b);
  const linked = (words: string, number = 0) => `- [ ] ${words} [commitment ${number}](/records/${number})`;
  await expect.poll(() => textOf(id)).toBe(`${linked("Call Grace", one)} ^its-id\n${linked("Pack", two)}`);

  // Not offered where there is no task, or one that is a commitment already.
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" /com");
  await expect.poll(() => page.getByRole("option").count()).toBe(0);
  for (let key = 0; key < 5; key++) await page.keyboard.press("Backspace");

  await told().getByRole("button", { name: /^Undo/ }).last().click();
  await expect.poll(async () => (await recordsOf(id)).map(({ topic }) => topic)).toEqual(["Call Grace"]);
  await expect.poll(() => textOf(id)).toBe(`${linked("Call Grace", one)} ^its-id\n- [ ] Pack`);
  expect((await lines()).at(-1)).toContain("Pack");
  expect(complaints).toEqual([]);
});

test("the link comes into the text of an editor that was left before the answer, and undo takes it out", async () => {
  const { id } = await create("# List\n\n- [ ] Pack\n");
  const { promise: left, resolve: answer } = Promise.withResolvers<void>();
  await page.route("**/api/memories", async (route) => {
    await left;
    await route.continue();
  });
  await page.goto(`/documents/${id}?edit`);
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.press("ArrowUp");
  const asked = page.waitForRequest((request) => request.url().endsWith("/api/memories"));
  await page.keyboard.press("Control+Shift+Enter");
  await asked;
  await page.getByRole("button", { name: "Done" }).click();
  await box("Pack").waitFor();
  answer();
  await told().getByText("“Pack” is now a commitment").waitFor();
  await page.unroute("**/api/memories");
  await expect.poll(() => textOf(id)).toMatch(/- \[ \] Pack \[commitment \d+\]\(\/records\/\d+\)\n$/);
  await told().getByRole("button", { name: /^Undo/ }).last().click();
  await expect.poll(() => textOf(id)).toBe("# List\n\n- [ ] Pack\n");
  await expect.poll(() => recordsOf(id)).toEqual([]);
  expect(complaints).toEqual([]);
});
