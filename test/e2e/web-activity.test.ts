import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { violations } from "./app.ts";
import { type Ask, askWith } from "./ask.ts";
import { openAs, stageFor } from "./stage.ts";
import { createDocument, markdown } from "./steps.ts";

// A person sees what their programs did, and takes it back.

const stage = stageFor();
let page: Page;
let complaints: string[];
let ada: Ask;
let robot: Ask;

type Answer = { id: string; key: string; title: string; topic: string; status: string };

beforeEach(async () => {
  ({ page, complaints, ask: ada } = await openAs(stage));
  const scopes = ["docs:read", "docs:write", "memory:read", "memory:write"];
  const { key } = await ada<Answer>("POST", "/api/api-keys", { name: "Robot", scopes });
  robot = askWith(stage.service.apiUrl, key, { "X-Client-Name": "Robot" });
});

const robots = () => page.getByRole("region", { name: /^Robot changed/ });

test("what a program did is listed by day and by who, compared, and undone one by one and all together", async () => {
  const id = await createDocument(ada, "Packing", "Boots\n");
  const record = { memory_type: "commitment", topic: "Send the slides", content: "To Grace" };
  const memory = await ada<Answer>("POST", "/api/memories", record);
  await robot("PUT", `/api/documents/${id}`, { title: "Packing list", content: markdown("Tent\n") });
  await robot("PATCH", `/api/memories/${memory.id}`, { topic: "Send the deck", content: "To Linus" });
  await robot<Answer>("POST", `/api/memories/${memory.id}/resolve`, { resolution_note: "Sent" });

  await page.goto("/activity");
  await robots().getByRole("heading", { name: "Robot changed 2 items" }).waitFor();
  await page.getByRole("region", { name: "You changed 2 items" }).waitFor();
  await page.getByRole("button", { name: "Show what changed in Packing list" }).click();
  const table = robots().getByRole("table");
  expect((await table.innerText()).replace(/\s+/g, " ")).toContain("Title Packing Packing list");
  await page.getByLabel("Text before").getByText("Boots").waitFor();
  await page.getByLabel("Text after").getByText("Tent").waitFor();
  expect(await violations(page)).toEqual([]);

  await page.getByRole("button", { name: "Undo: Changed Packing list" }).click();
  await page.getByText("Undone: one change").waitFor();
  expect((await ada<Answer>("GET", `/api/documents/${id}`)).title).toBe("Packing");

  await page.getByRole("button", { name: "Undo all by Robot" }).click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByRole("heading", { name: "Undo everything Robot changed today?" }).waitFor();
  await dialog.getByText("2 changes will be undone").waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Undo 2 changes" }).click();
  await page.getByText("Undone: 2 changes").waitFor();
  expect(await ada<Answer>("GET", `/api/memories/${memory.id}`)).toMatchObject({
    topic: "Send the slides",
    status: "active",
  });
  expect(complaints).toEqual([]);
});

test("what has changed again since stays, and both states are shown; a record leads to its changes and versions", async () => {
  const record = { memory_type: "commitment", topic: "Pay the bill", content: "By Friday" };
  const { id } = await robot<Answer>("POST", "/api/memories", record);
  await robot("PATCH", `/api/memories/${id}`, { topic: "Pay both bills" });
  await ada("PATCH", `/api/memories/${id}`, { topic: "Pay all bills" });

  await page.goto(`/records/${id}`);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Changes" }).click();
  await page.getByRole("button", { name: "Undo: Changed Pay both bills" }).click();
  const dialog = page.getByRole("dialog", { name: "Not undone: one change" });
  await dialog.getByRole("row", { name: "Title Pay the bill Pay all bills" }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();

  await page.goto(`/records/${id}`);
  await page.getByRole("heading", { level: 1, name: "Pay all bills" }).waitFor();
  await page.keyboard.press("v");
  await page.getByRole("heading", { name: "From version 2 to 3" }).waitFor();
  await page.getByRole("radio", { name: "Compare version 1" }).check();
  await page.getByRole("row", { name: "Topic Pay the bill Pay all bills" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await page.getByText("Version 1 restored as version 4").waitFor();
  expect((await ada<Answer>("GET", `/api/memories/${id}`)).topic).toBe("Pay the bill");
  expect(complaints).toEqual([]);
});

test("a record goes to the trash and comes back, from the toast and from the trash", async () => {
  const record = { memory_type: "commitment", topic: "Water the plants", content: "Weekly" };
  const { id } = await ada<Answer>("POST", "/api/memories", record);
  await page.goto(`/records/${id}`);
  await page.getByRole("heading", { level: 1, name: "Water the plants" }).waitFor();
  await page.keyboard.press("#");
  await page.getByText("Moved to the trash: “Water the plants”").waitFor();
  await page.keyboard.press("u");
  await page.getByRole("link", { name: "Water the plants" }).waitFor();
  await robot("DELETE", `/api/memories/${id}`);
  await page.goto(`/records/${id}`);
  await page.getByRole("heading", { name: "This record is in the trash" }).waitFor();
  await page.getByRole("link", { name: "Show the trash" }).click();
  await page.getByRole("row", { name: "Water the plants" }).getByRole("checkbox").click({ force: true });
  await page.keyboard.press("r");
  await page.getByText("“Water the plants” restored").waitFor();
  expect((await ada<Answer>("GET", `/api/memories/${id}`)).status).toBe("active");
});
