import type { Page, Route } from "@playwright/test";
import { enter, isFocused } from "../e2e/app.ts";
import { expect, press, test } from "./fixtures.ts";

// Undo takes back what the latest message names: that, all of that, and nothing else.

type Memory = { topic: string; status: string; version: number };

const LATE = ["Send Grace the slides", "Pay the bill", "Order the boots"].map((topic, day) => ({
  ...{ memory_type: "commitment", content: "As promised" },
  ...{ topic, due_date: `2020-01-0${day + 1}` },
}));

/** Holds the answers of some requests until they are released, in the order in which they came. */
async function holding(page: Page, path: string) {
  const held: Route[] = [];
  const waiting: (() => void)[] = [];
  await page.route(path, (route) => {
    held.push(route);
    waiting.shift()?.();
  });
  const next = async () => {
    if (held.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    return held.shift() as Route;
  };
  return { letGo: async () => (await next()).continue() };
}

test("u before the answer waits for it and takes back that step, never an older one", async ({
  somebody,
  open,
}) => {
  const ada = await somebody();
  for (const record of LATE) await ada.ask("POST", "/api/memories", record);
  const list = async () =>
    (await ada.ask<{ items: Memory[] }>("GET", "/api/memories?sort=created_at&order=asc")).items;
  const app = await open();
  const { page } = app;
  await enter(app, ada);
  await page.getByRole("link", { name: "Pay the bill" }).waitFor();
  await press(page, "j", "a");
  await page.getByText("Archived “Send Grace the slides”").waitFor();
  await expect.poll(() => isFocused(page.getByRole("link", { name: "Pay the bill" }))).toBe(true);
  const answers = await holding(page, "**/api/memories/bulk");
  await press(page, "a", "u", "u");
  await answers.letGo();
  await page.unroute("**/api/memories/bulk");
  await expect.poll(async () => (await list()).map(({ version }) => version)).toEqual([2, 3, 1]);
  expect((await list()).map(({ status }) => status)).toEqual(["archived", "active", "active"]);
  expect(app.complaints).toEqual([]);
});
