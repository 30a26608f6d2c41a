import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { goOffline, violations, WITH_WORKER } from "./app.ts";
import type { Ask } from "./ask.ts";
import { copiesIn } from "./copies.ts";
import { newPerson, openAs, stageFor } from "./stage.ts";
import { createDocument } from "./steps.ts";

// Reading without a network: what was read is there, by the same screens, and search finds it.

const stage = stageFor();

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Returns the document that the stories read. */
async function fill(ask: Ask): Promise<string> {
  const { id: folder_id } = await ask<{ id: string }>("POST", "/api/folders", { name: "Trips" });
  const text = "Passport, boots, rain jacket";
  const packing = await createDocument(ask, "Packing list", text, { folder_id, tags: ["travel"] });
  await createDocument(ask, "Diary", "Private thoughts");
  const record = (topic: string, more: object) =>
    ask("POST", "/api/memories", { memory_type: "commitment", topic, content: `About: ${topic}`, ...more });
  await record("Book the train", { due_date: day(1), project: "Mountains" });
  await record("Ask Grace for the key", { due_date: day(-2) });
  await record("We go by train", { memory_type: "decision", project: "Mountains" });
  return packing;
}

async function openReader() {
  const person = await newPerson(stage);
  const packing = await fill(person.ask);
  return { ...(await openAs(stage, "/", { person, ...WITH_WORKER })), packing };
}

const OWN_WORDS = /ERR_INTERNET_DISCONNECTED/;

test("without a network, what was read is there by the same screens, and search finds it", async () => {
  const { page, context, packing, complaints } = await openReader();
  await page.getByRole("link", { name: "Book the train" }).waitFor();
  await page.goto("/documents");
  await page.getByText("Diary").first().waitFor();
  await page.goto(`/documents/${packing}`);
  await page.getByRole("article").getByText("rain jacket").waitFor();
  await page.mouse.move(200, 200);
  await expect.poll(async () => (await copiesIn(page)).readable).toContain("About: We go by train");
  await page.reload();
  await page.getByRole("article").getByText("rain jacket").waitFor();
  await expect.poll(async () => (await copiesIn(page)).readable).toContain("rain jacket");
  expect((await copiesIn(page)).stored).not.toContain("rain jacket");

  const goOnline = await goOffline(context);
  await page.goto("/");
  await page.getByRole("link", { name: "Ask Grace for the key" }).waitFor();
  await page.getByRole("link", { name: "Book the train" }).waitFor();
  await page.getByText(/You’re offline.*Showing what was here/).waitFor();
  expect(await violations(page)).toEqual([]);

  // What waits to be sent is counted as it is shown.
  const dueInWeek = (count: number) => page.getByRole("link", { name: new RegExp(`: ${count} due$`) });
  await page.getByText(/: 1 overdue$/).waitFor();
  await page.getByRole("link", { name: "Ask Grace for the key" }).focus();
  await page.keyboard.press("t");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Tomorrow/ })
    .click();
  await page.getByText(/: nothing due$/).waitFor();
  await dueInWeek(2).waitFor();
  await page.keyboard.press("u");
  await page.getByText(/: 1 overdue$/).waitFor();
  await dueInWeek(1).waitFor();

  await page.goto("/records?type=decision&project=Mountains");
  await page.getByRole("link", { name: "We go by train" }).click();
  await page.getByText("About: We go by train").waitFor();
  await page.goto("/documents");
  await page.getByText("Packing list").first().waitFor();
  await page.goto("/documents?tag=travel");
  await page.getByText("Packing list").first().waitFor();
  expect(await page.getByText("Diary").count()).toBe(0);
  await page.getByText("Packing list").first().click();
  await page.getByRole("article").getByText("rain jacket").waitFor();

  await page.goto("/search?q=P%C3%A4ssport+tag:travel+folder:Trips");
  await page.getByText("Searched only what’s on this device: 1 document and 3 records").waitFor();
  await page.getByText("The filter folder:Trips was ignored").waitFor();
  await page.getByRole("link", { name: "Packing list" }).waitFor();
  expect(await page.locator("mark").first().innerText()).toBe("Passport");
  expect(await violations(page)).toEqual([]);

  // What is not on this device keeps its place: a title, and why it is not there.
  for (const [path, title] of [
    ["/settings/connections", "Connections"],
    ["/documents/00000000-0000-4000-8000-000000000000", "Document"],
  ] as const) {
    await page.goto(path);
    await page.getByText("Will retry once you’re online.").waitFor();
    await page.getByRole("heading", { name: title, level: 1 }).waitFor();
  }

  await page.goto("/");
  await page.getByRole("link", { name: "Book the train" }).waitFor();
  await goOnline();
  await page.getByText("You’re offline").waitFor({ state: "hidden" });
  expect(complaints.filter((complaint) => !OWN_WORDS.test(complaint))).toEqual([]);
});

async function choose(page: Page, name: string): Promise<void> {
  await page.getByLabel("Available offline in this browser").click();
  await page.getByRole("option", { name }).click();
}

const keptRead = async (page: Page) =>
  (await copiesIn(page)).names.filter((name) => !name.endsWith("/api/auth/me"));

test("on a device that others use, only what the user chooses is kept, and all of it goes with the session", async () => {
  const { page, packing } = await openReader();
  await page.goto(`/documents/${packing}`);
  await expect.poll(async () => (await copiesIn(page)).readable).toContain("rain jacket");
  await page.goto("/settings");
  await choose(page, "Only what I choose to keep");
  await expect.poll(async () => (await copiesIn(page)).names).toEqual([]);
  await page.goto("/records");
  await page.getByRole("link", { name: "Book the train" }).waitFor();
  await page.goto(`/documents/${packing}`);
  await page.getByRole("article").getByText("rain jacket").waitFor();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Keep offline" }).click();
  await page.getByText("Available offline on this device").waitFor();
  expect(await keptRead(page)).toEqual([expect.stringMatching(`/api/documents/${packing}$`)]);

  await page.goto("/settings");
  await choose(page, "Everything I read in the last 30 days");
  await page.goto("/records");
  await expect.poll(async () => (await keptRead(page)).length).toBeGreaterThan(1);
  await page.goto("/settings");
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.waitForURL(/\/sign-in/);
  await page.getByLabel("Email").waitFor();
  expect(await copiesIn(page)).toEqual({ names: [], stored: "", readable: "" });
});
