import type { Locator, Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { isFocused, overflow, violationsInBoth } from "./app.ts";
import type { Ask } from "./ask.ts";
import { openAs, stageFor } from "./stage.ts";
import { createDocument } from "./steps.ts";

// A person tidies up: finds what was said twice, merges it with a key, takes that back, keeps it, and is not asked again.

const STORE = "We keep our data in SQLite on one machine";
const DESK = { width: 1440, height: 900 };

const stage = stageFor();
let page: Page;
let ask: Ask;
let complaints: string[];

type Answer = {
  id: string | number;
  status: string;
  topic: string;
  superseded_by_id: number | null;
  tags: string[];
};

const record = async (topic: string, content: string, more = {}) =>
  (await ask<Answer>("POST", "/api/memories", { memory_type: "context", topic, content, ...more })).id;
const read = (id: string | number) => ask<Answer>("GET", `/api/memories/${id}`);

beforeEach(async () => {
  ({ page, ask, complaints } = await openAs(stage, "/", { viewport: DESK }));
  await page.getByRole("link", { name: "Tidy" }).click();
  await page.getByRole("heading", { name: "Everything is tidy" }).waitFor();
});

const group = (name: string): Locator => page.getByRole("region", { name });
const doubles = () => group("Duplicate records").locator("[data-finding]");
const said = (text: string) => page.getByText(text).waitFor();

/** The screen is accessible on a desk and on a phone, and fits there. */
async function checkLook(): Promise<void> {
  expect(await violationsInBoth(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect([await overflow(page), await violationsInBoth(page)]).toEqual([0, []]);
  await page.setViewportSize(DESK);
}

test("nothing to tidy up is said, and what is found is merged, taken back, kept and shown again", async () => {
  const first = await record("The store", STORE, { tags: ["data"] });
  const second = await record("The store", `${STORE}, at least`);
  await page.getByRole("button", { name: "Check again" }).click();
  await doubles().waitFor();

  await page.keyboard.press("j");
  await expect.poll(() => isFocused(doubles())).toBe(true);
  await page.keyboard.press("m");
  await said("Merged into “The store”");
  await expect.poll(() => doubles().count()).toBe(0);
  expect(await read(first)).toMatchObject({ status: "archived", note: `Merged into #${second}` });
  expect((await read(second)).tags).toEqual(["data"]);

  await page.keyboard.press("u");
  await doubles().waitFor();
  expect(await read(first)).toMatchObject({ status: "active" });
  expect((await read(second)).tags).toEqual([]);

  await doubles().getByRole("button", { name: "Keep" }).click();
  await said("Kept. It won’t come up again.");
  await expect.poll(() => doubles().count()).toBe(0);
  await page.getByRole("button", { name: "Check again" }).click();
  await page.getByRole("heading", { name: "Everything is tidy" }).waitFor();
  await expect.poll(() => doubles().count()).toBe(0);

  await page.getByText("Kept", { exact: true }).click();
  await doubles().getByRole("button", { name: "Show again" }).click();
  await page.getByText("To tidy up").click();
  const check = page.getByRole("button", { name: "Check again" });
  await check.click();
  await doubles().waitFor();

  // What arrives later moves nothing that is there.
  for (const width of [1440, 820, 390]) {
    await page.setViewportSize({ width, height: 844 });
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    await page.route("**/api/tidy?*", async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    const before = await check.boundingBox();
    expect(before).not.toBeNull();
    letGo();
    await page.getByText(/^Checked 2 open records/).waitFor();
    expect(await check.boundingBox()).toEqual(before);
    await page.unrouteAll();
  }
});

test("a finding that was settled elsewhere is taken away, with the reason", async () => {
  const first = await record("The store", STORE);
  const second = await record("The store", `${STORE}, at least`);
  const secret = await record("Wifi in the office", "The wifi password is Sommer2026");
  await page.getByRole("button", { name: "Check again" }).click();
  for (const finding of [doubles(), group("Secrets")]) await finding.waitFor();
  for (const id of [second, secret]) await ask("DELETE", `/api/memories/${id}?permanent=true`);
  const reason = page.getByText("Already changed elsewhere, so nothing was done");

  await group("Secrets").locator("[data-finding]").focus();
  await page.keyboard.press("#");
  await reason.waitFor();
  await expect.poll(() => group("Secrets").count()).toBe(0);

  await page.reload();
  await page.getByRole("heading", { name: "Everything is tidy" }).waitFor();
  const third = await record("The store", `${STORE}, at least`);
  await page.getByRole("button", { name: "Check again" }).click();
  await doubles().waitFor();
  await ask("DELETE", `/api/memories/${third}?permanent=true`);
  await doubles().focus();
  await page.keyboard.press("m");
  await reason.waitFor();
  await expect.poll(() => doubles().count()).toBe(0);
  expect(await read(first)).toMatchObject({ status: "active" });
});

test("each kind has its key: what replaces, what is done, another topic, the trash", async () => {
  const rule = { memory_type: "decision" };
  const before = await record("The release", "We release the app on Mondays before noon", rule);
  const details = { priority: "high", happened_on: "2026-03-02", due_date: "2030-01-04", due_time: "09:30" };
  await record("The release", "We release the app on Fridays before noon", { ...rule, ...details });
  const done = await record("Send the slides", "Done, she has them", { memory_type: "commitment" });
  const word = await record("Heating", "The valve is behind the shelf. It is stiff", {
    project: "Moving house",
  });
  const secret = await record("Wifi in the office", "The wifi password is Sommer2026");
  const like = { memory_type: "preference" };
  await record("What Grace drinks", "Grace drinks tea in the morning", like);
  await record("Grace and tea", "Grace no longer drinks tea in the morning", like);
  const text =
    "Ada took the photographs to the garden before the holidays began, because the light is best then.";
  const at = { created_at: "2024-01-01T00:00:00Z", updated_at: "2024-03-01T00:00:00Z" };
  await createDocument(ask, "Photographs of the garden", text, at);
  await createDocument(ask, "Photographs of the garden (copy)", text);
  await page.getByRole("button", { name: "Check again" }).click();
  await group("Secrets").waitFor();
  expect(await group("Secrets").textContent()).not.toContain("Sommer");
  for (const name of ["Duplicate documents", "Documents unchanged for a year"])
    await expect.poll(() => group(name).locator("[data-finding]").count()).toBe(1);
  await checkLook();

  const press = async (name: string, key: string) => {
    const finding = group(name).locator("[data-finding]").first();
    // One step at a time: keys of the next one are taken once the last one is done.
    await finding.getByRole("button", { disabled: false }).first().waitFor();
    await finding.focus();
    await page.keyboard.press(key);
  };
  await press("Records that contradict each other", "s");
  await said("“The release” replaces the earlier record");
  const { superseded_by_id } = await read(before);
  expect(superseded_by_id).not.toBeNull();
  expect(await read(superseded_by_id ?? "")).toMatchObject(details);
  await expect.poll(() => group("Records that contradict each other").count()).toBe(0);
  await press("Commitments that say they are done", "e");
  await expect.poll(async () => (await read(done)).status).toBe("resolved");
  await expect.poll(() => group("Commitments that say they are done").count()).toBe(0);
  await press("One-word topics", "r");
  const topic = page.getByRole("textbox", { name: "Topic" });
  await expect.poll(() => topic.inputValue()).toBe("The valve is behind the shelf");
  await topic.press("Enter");
  await expect.poll(async () => (await read(word)).topic).toBe("The valve is behind the shelf");
  await expect.poll(() => group("One-word topics").count()).toBe(0);
  await press("Secrets", "#");
  await said("“Wifi in the office” moved to the trash");
  await expect.poll(() => group("Secrets").count()).toBe(0);
  await page.keyboard.press("u");
  await group("Secrets").waitFor();
  await expect.poll(async () => (await read(secret)).status).toBe("active");
  expect(complaints).toEqual([]);
});

test("a secret that was edited away is erased from the versions, and one in the trash for good, each after a question", async () => {
  const edited = await record("The cellar", "The door code is 482913");
  await ask("PATCH", `/api/memories/${edited}`, { content: "Ask Grace for the code" });
  const trashed = await record("The safe", "The safe code is 573920");
  await ask("DELETE", `/api/memories/${trashed}`);
  await page.getByRole("button", { name: "Check again" }).click();
  const old = group("Secrets in earlier versions").locator("[data-finding]");
  await old.waitFor();
  expect(await old.textContent()).toContain(
    "An earlier version still contains what looks like a PIN or door code (version 1)",
  );
  await old.focus();
  await page.keyboard.press("x");
  const dialog = page.getByRole("alertdialog");
  await dialog.waitFor();
  await checkLook();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(await ask("GET", `/api/memories/${edited}/versions/1`)).toMatchObject({ topic: "The cellar" });
  await old.getByRole("button", { name: "Delete versions permanently" }).click();
  await dialog.getByRole("button", { name: "Delete permanently" }).click();
  await said("1 version of “The cellar” permanently deleted");
  await expect.poll(() => old.count()).toBe(0);
  await expect(ask("GET", `/api/memories/${edited}/versions/1`)).rejects.toThrow("404");
  expect((await read(edited)).status).toBe("active");

  const inTrash = group("Secrets in the trash").locator("[data-finding]");
  await inTrash.getByRole("button", { name: "Delete permanently" }).click();
  await dialog.getByRole("button", { name: "Delete permanently" }).click();
  await said("“The safe” permanently deleted");
  await expect.poll(() => inTrash.count()).toBe(0);
  await expect(ask("GET", `/api/memories/${trashed}?trashed=true`)).rejects.toThrow("404");
  expect(complaints).toEqual([]);
});
