import type { BrowserContextOptions } from "playwright-core";
import { expect, test } from "vitest";
import { type App, enter, isFocused, openApp, violations } from "./app.ts";
import { askWith } from "./ask.ts";
import type { Account } from "./browser.ts";
import { register } from "./service.ts";
import { stageFor } from "./stage.ts";

// Undo takes back what the latest message names: that, all of that, and nothing else.

type Memory = { id: number; topic: string; content: string; status: string; [field: string]: unknown };

const stage = stageFor();

/** Somebody who has just registered, with the app open on a path. */
async function somebody(
  name: string,
  records: Record<string, unknown>[] = [],
  options: BrowserContextOptions = {},
) {
  const account: Account = { email: `${name}@example.com`, password: "correct horse battery" };
  const token = await register(stage.service.apiUrl, account);
  const api = askWith(stage.service.apiUrl, token);
  for (const record of records)
    await api("POST", "/api/memories", { memory_type: "commitment", content: "As promised", ...record });
  const app = await openApp(stage.browser, stage.service.apiUrl, options);
  await enter(app, account);
  const list = async (): Promise<Memory[]> =>
    (await api<{ items: Memory[] }>("GET", "/api/memories?sort=created_at&order=asc&limit=100")).items;
  return { app, page: app.page, api, list };
}

async function press(app: App, ...keys: string[]): Promise<void> {
  for (const key of keys) await app.page.keyboard.press(key);
}

const LATE = [
  { topic: "Send Grace the slides", due_date: "2020-01-01" },
  { topic: "Pay the bill", due_date: "2020-01-02" },
  { topic: "Order the boots", due_date: "2020-01-03" },
];

const statuses = async (list: () => Promise<Memory[]>) =>
  Object.fromEntries((await list()).map(({ topic, status }) => [topic, status]));

test("a confirmation is taken back, and what is older stays", async () => {
  const { app, page, list } = await somebody("confirmed", LATE);
  await page.getByRole("link", { name: "Pay the bill" }).waitFor();
  await press(app, "j", "a");
  await page.getByText("Archived “Send Grace the slides”").waitFor();
  await expect.poll(() => isFocused(page.getByRole("link", { name: "Pay the bill" }))).toBe(true);
  await press(app, "c");
  await page.getByText("Confirmed “Pay the bill”").waitFor();
  const keys = page.getByRole("list", { name: "Notifications" }).locator("kbd");
  await expect.poll(() => keys.count()).toBe(1);
  expect((await list()).map(({ last_confirmed_at }) => last_confirmed_at !== null)).toEqual([
    false,
    true,
    false,
  ]);
  await press(app, "u");
  await expect
    .poll(async () => (await list()).map(({ last_confirmed_at }) => last_confirmed_at))
    .toEqual([null, null, null]);
  expect(await statuses(list)).toMatchObject({
    "Send Grace the slides": "archived",
    "Pay the bill": "active",
  });
  expect(app.complaints).toEqual([]);
  await app.close();
});

test("after a message that offers nothing, u does nothing", async () => {
  const { app, page, api, list } = await somebody("nothing", LATE);
  await page.getByRole("link", { name: "Pay the bill" }).waitFor();
  await press(app, "j", "a");
  await page.getByText("Archived “Send Grace the slides”").waitFor();
  await expect.poll(() => isFocused(page.getByRole("link", { name: "Pay the bill" }))).toBe(true);
  const [, second] = await list();
  await api("POST", `/api/memories/${second?.id}/resolve`, {});
  await press(app, "c");
  await page.getByText(/“Pay the bill”: A resolved record cannot be confirmed/).waitFor();
  await press(app, "u");
  await page.getByText("Archived “Send Grace the slides”").waitFor();
  expect(await statuses(list)).toMatchObject({
    "Send Grace the slides": "archived",
    "Pay the bill": "resolved",
  });
  await app.close();
});

test("what was changed since stays as it is, and the message says so", async () => {
  const { app, page, api, list } = await somebody("since", LATE);
  await page.getByRole("link", { name: "Pay the bill" }).waitFor();
  await press(app, "j", "a");
  await page.getByText("Archived “Send Grace the slides”").waitFor();
  await expect.poll(() => isFocused(page.getByRole("link", { name: "Pay the bill" }))).toBe(true);
  const [first] = await list();
  await api("PATCH", `/api/memories/${first?.id}`, { content: "By somebody else" });
  await press(app, "u");
  await page.getByText("Couldn’t undo “Send Grace the slides”: changed since then, see Activity").waitFor();
  expect((await list())[0]).toMatchObject({ status: "archived", content: "By somebody else" });
  expect(app.complaints).toEqual([]);
  await app.close();
});

test("a deferred record that is archived gets its day and its note back", async () => {
  const { app, page, api, list } = await somebody("day", LATE);
  const [first] = await list();
  const deferral = { deferred_until: "2090-01-01", note: "After the summer" };
  await api("POST", `/api/memories/${first?.id}/defer`, deferral);
  const [before] = await list();
  await page.goto(`/records/${first?.id}`);
  await page.getByRole("heading", { level: 1, name: "Send Grace the slides" }).waitFor();
  await press(app, "a");
  await page.getByText("Archived “Send Grace the slides”").waitFor();
  await press(app, "u");
  await expect.poll(async () => (await list())[0]).toMatchObject({ status: "deferred", ...deferral });
  const { version: _, updated_at: __, ...rest } = before as Memory;
  expect((await list())[0]).toMatchObject(rest);
  await app.close();
});

test("what was saved of a record's text is taken back, and nothing that came after it", async () => {
  const { app, page, api, list } = await somebody("text", LATE.slice(0, 1));
  const [first] = await list();
  const write = async (content: string) => {
    await page.getByRole("button", { name: "Edit the text" }).click();
    await page.getByLabel("Content").fill(content);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).last().waitFor();
  };
  const content = async () => (await list())[0]?.content;
  await page.goto(`/records/${first?.id}`);
  await write("Promised twice");
  await expect.poll(content).toBe("Promised twice");
  await page.getByRole("button", { name: "Edit the text" }).waitFor();
  await press(app, "u");
  await expect.poll(content).toBe("As promised");
  await page.getByText("As promised").waitFor();

  await write("Promised three times");
  await page.getByRole("button", { name: "Edit the text" }).waitFor();
  await api("PATCH", `/api/memories/${first?.id}`, { content: "By somebody else" });
  await press(app, "u");
  await page.getByText("Couldn’t undo “Send Grace the slides”: changed since then, see Activity").waitFor();
  expect(await content()).toBe("By somebody else");
  expect(app.complaints).toEqual([]);
  await app.close();
});

test.each([
  ["on a desk", {}],
  ["on a phone", { viewport: { width: 390, height: 844 } }],
] as const)("a message does not cover the bar of a selection, %s", async (where, options) => {
  const { app, page } = await somebody(`bar-${where.at(-1)}`, LATE, options);
  await page.getByRole("link", { name: "Pay the bill" }).waitFor();
  await press(app, "j", "a");
  const message = page.getByRole("listitem").filter({ hasText: "Archived “Send Grace the slides”" });
  await message.waitFor();
  await press(app, "x");
  const bar = page.getByRole("region", { name: "Selected records" });
  await bar.waitFor();
  const [one, other] = [await message.boundingBox(), await bar.boundingBox()];
  if (!one || !other) throw new Error("Both are on the screen");
  const isApart = one.y + one.height <= other.y || other.y + other.height <= one.y;
  expect(isApart, `${JSON.stringify(one)} ${JSON.stringify(other)}`).toBe(true);
  expect(await violations(page)).toEqual([]);
  await app.close();
});
