import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { type App, enter, openApp, overflow, violationsInBoth } from "./app.ts";
import { type Ask, askAs } from "./ask.ts";
import { register } from "./service.ts";
import { stageFor } from "./stage.ts";

// What belongs to a project, on one page.

const ACCOUNT = { email: "ada@example.com", password: "correct horse battery" };

let app: App;
let page: Page;
let ask: Ask;

const stage = stageFor({}, async ({ service, browser }) => {
  await register(service.apiUrl, ACCOUNT);
  app = await openApp(browser, service.apiUrl);
  page = app.page;
  ask = askAs(app, service.apiUrl);
  await enter(app, ACCOUNT);
});

const record = (topic: string, more: object = {}) =>
  ask<{ id: number }>("POST", "/api/memories", {
    ...{ memory_type: "commitment", topic, content: topic, project: "Apollo", ...more },
  });
const write = (title: string, more: object = {}) =>
  ask<{ id: string }>("POST", "/api/documents", {
    title,
    content: { format: "markdown", text: "x" },
    ...more,
  });

const section = (name: string) => page.getByRole("region", { name, exact: true });
const rowsOf = (name: string) => section(name).getByRole("listitem");

test("the sidebar leads to a project’s open records by what they are, and its documents", async () => {
  await record("Later", { due_date: "2099-01-02" });
  await record("Sooner", { due_date: "2020-01-02" });
  await record("Whenever");
  await record("We stay", { memory_type: "decision" });
  const { id: closed } = await record("Closed");
  await ask("POST", `/api/memories/${closed}/resolve`, {});
  await record("Elsewhere", { project: "Gemini" });
  const { id: folder_id } = await ask<{ id: string }>("POST", "/api/folders", { name: "apollo" });
  await write("In the folder", { folder_id });
  await write("In both", { folder_id, tags: ["Apollo"] });
  await write("Tagged", { tags: ["apollo"] });
  await write("Mentions Apollo");

  await page.goto("/");
  const sidebar = page.getByRole("navigation", { name: "Main" });
  // The folders come after the first answers, and stand above the projects.
  await sidebar.getByText("apollo", { exact: true }).waitFor();
  const link = sidebar.getByRole("link", { name: "Apollo 4" });
  await link.click();
  await page.waitForURL("**/projects/Apollo");
  await page.getByRole("heading", { level: 1, name: "Apollo" }).waitFor();
  await page.getByText("4 active records, 1 overdue").waitFor();
  await link.and(page.locator("[aria-current=page]")).waitFor();
  const topics = ["Sooner", "Later", "Whenever"];
  await expect.poll(() => rowsOf("Commitments").count()).toBe(3);
  for (const [place, topic] of topics.entries())
    await rowsOf("Commitments").nth(place).getByText(topic).waitFor();
  await rowsOf("Decisions").getByText("We stay").waitFor();
  const documents = section("Documents").getByRole("listitem");
  await expect.poll(() => documents.count()).toBe(3);
  expect((await documents.allInnerTexts()).join("\n")).not.toContain("Mentions");
  await expect.poll(() => page.getByText("Elsewhere").count()).toBe(0);
  expect(await violationsInBoth(page)).toEqual([]);

  await page.getByRole("button", { name: "Resolve Whenever" }).click();
  await expect.poll(() => rowsOf("Commitments").count()).toBe(2);
  await section("Documents").getByRole("link", { name: "Everything that mentions it" }).click();
  await page.getByRole("region", { name: "Results" }).getByText("Mentions Apollo").waitFor();
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Apollo" }).waitFor();
  await page.keyboard.press("n");
  const field = page.getByRole("textbox", { name: "New record" });
  await expect.poll(() => field.inputValue()).toBe('+"Apollo" ');
  await field.fill('+"Apollo" Written for it');
  await field.press("Enter");
  await page.getByText("Saved “Written for it”").waitFor();

  await page.goto(`/records/${closed}`);
  await page.getByRole("link", { name: "Show the project Apollo" }).click();
  await rowsOf("Commitments").getByText("Written for it").waitFor();
  expect(app.complaints).toEqual([]);
});

test("a project without anything says so, whatever it is called, and a phone comes to it from its records", async () => {
  const phone = await openApp(stage.browser, stage.service.apiUrl, {
    ...{ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  });
  await enter(phone, ACCOUNT, `/projects/${encodeURIComponent("A/B 100% ünd “x”?#")}`);
  await phone.page.getByRole("heading", { level: 1, name: "A/B 100% ünd “x”?#", exact: true }).waitFor();
  await phone.page.getByRole("heading", { name: /^No open records in A\/B/ }).waitFor();
  await phone.page.getByText("None yet. Tag a document").waitFor();
  expect(await overflow(phone.page)).toBe(0);
  await ask("POST", "/api/memories", {
    ...{ memory_type: "blocker", topic: "Waits", content: "Waits", project: "A/B 100%" },
  });
  await phone.page.goto(`/records?project=${encodeURIComponent("A/B 100%")}`);
  await phone.page.getByRole("link", { name: "Show the project A/B 100%" }).click();
  await phone.page.getByRole("heading", { level: 1, name: "A/B 100%", exact: true }).waitFor();
  await phone.page.getByRole("region", { name: "Blockers" }).getByText("Waits").first().waitFor();
  await phone.page.getByRole("link", { name: "Records", exact: true }).first().click();
  await phone.page.waitForURL("**/records");
  await phone.page.goto("/projects/%E0%A4%A");
  await phone.page.getByRole("heading", { level: 1 }).waitFor();
  expect(phone.complaints).toEqual([]);
  await phone.close();
});
