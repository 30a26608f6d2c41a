import { readFile } from "node:fs/promises";
import { unzipSync } from "fflate";
import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { goOffline, violations } from "./app.ts";
import type { Ask } from "./ask.ts";
import { type AppOfPerson, openAs, stageFor } from "./stage.ts";
import { createDocument, markdown, textField, textOf } from "./steps.ts";

// What one takes away, copies, prints, and begins from something else.

/** The day is another one there than in UTC for half of the time. */
const ZONE = "Pacific/Auckland";

const stage = stageFor();
let person: AppOfPerson;
let page: Page;
let ask: Ask;

beforeEach(async () => {
  person = await openAs(stage, "/", { acceptDownloads: true });
  ({ page, ask } = person);
  await ask("PATCH", "/api/auth/me", { timezone: ZONE });
  await person.context.grantPermissions(["clipboard-read", "clipboard-write"]);
});

type Kept = {
  id: string;
  title: string;
  tags: string[];
  folder_id: string | null;
  content: { text: string };
};

const folder = async (name: string, parent_id: string | null = null) =>
  (await ask<{ id: string }>("POST", "/api/folders", { name, parent_id })).id;
const read = (id: string) => ask<Kept>("GET", `/api/documents/${id}`);
const listed = () => ask<{ items: Kept[] }>("GET", "/api/documents?sort=title").then(({ items }) => items);

const button = (name: string | RegExp) => page.getByRole("button", { name });
const item = (name: string | RegExp) => page.getByRole("menuitem", { name });
const titleField = () => page.getByRole("textbox", { name: "Title" });
const more = () => button("More").click();

async function openMenu() {
  await page.goto("/documents");
  await button("Today’s note and templates").click();
}

async function openPalette() {
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Palette" }).locator("input:focus").waitFor();
}

async function openFolderMenu(name: string) {
  await page.getByRole("row", { name }).hover();
  await button(`Actions for ${name}`).click();
}

async function downloaded(click: () => Promise<void>) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  const files = unzipSync(await readFile(await download.path()));
  return { name: download.suggestedFilename(), paths: Object.keys(files) };
}

const today = () =>
  new Intl.DateTimeFormat("en-CA", { timeZone: ZONE, dateStyle: "short" }).format(new Date());

test("documents are downloaded as a zip, all of them or those of a folder, and without a network it says why not", async () => {
  const trips = await folder("Trips");
  await createDocument(ask, "Rome", "# Rome", { folder_id: await folder("Italy", trips) });
  await createDocument(ask, "Loose", "x");
  await page.goto("/settings/transfer");
  await button("Download documents").waitFor();
  expect(await violations(page)).toEqual([]);
  const all = await downloaded(() => button("Download documents").click());
  expect(all.name).toMatch(/^commonplace-\d{4}-\d\d-\d\d\.zip$/);
  expect(all.paths.sort()).toEqual(["Loose.md", "Trips/Italy/Rome.md"]);

  await page.goto("/documents");
  await openFolderMenu("Trips");
  const some = await downloaded(() => item("Download as ZIP").click());
  expect(some).toEqual({ name: "Trips.zip", paths: ["Trips/Italy/Rome.md"] });
  expect(person.complaints).toEqual([]);

  const goOnline = await goOffline(person.context);
  await openFolderMenu("Trips");
  await item("Download as ZIP").click();
  await page.getByText("Download failed: You’re offline").waitFor();
  await goOnline();
  await ask("DELETE", `/api/folders/${trips}?on_content=trash`).catch(() => {});
  await openFolderMenu("Trips");
  await item("Download as ZIP").click();
  await page.getByText("Download failed: Not found").waitFor();
});

test("a document is duplicated with its tags into its folder, written on, and taken back", async () => {
  const trips = await folder("Trips");
  const content = { ...markdown("Passport"), front_matter: { status: "draft" }, imported: { origin: 1 } };
  const given = { tags: ["travel"], folder_id: trips, content };
  const id = await createDocument(ask, "Packing list", "Passport", given);
  await page.goto(`/documents/${id}`);
  await more();
  await item("Duplicate").click();
  await page.getByText("“Packing list” duplicated").waitFor();
  await page.waitForURL((url) => url.search === "?edit" && !url.pathname.endsWith(id));
  const copy = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const { imported: _, ...own } = content;
  expect(await read(copy)).toMatchObject({
    title: "Packing list (copy)",
    tags: ["travel"],
    folder_id: trips,
  });
  expect((await read(copy)).content).toEqual(own);
  await textField(page).press("Control+Home");
  await page.keyboard.insertText("Socks, ");
  await expect.poll(() => textOf(ask, copy)).toBe("Socks, Passport");
  expect(await textOf(ask, id)).toBe("Passport");

  await page.goto(`/documents/${id}`);
  await more();
  await item("Duplicate").click();
  await page.getByText("“Packing list” duplicated").waitFor();
  await page.getByText("Undo u").click();
  await expect
    .poll(async () => (await listed()).map(({ title }) => title))
    .toEqual(["Packing list", "Packing list (copy)"]);
});

test("a document is copied as rich text for other programs, and as the Markdown that it is", async () => {
  const text =
    "## Open\n\n- [x] Contract\n- [ ] *Slides*\n\n| a | b |\n|--|-:|\n| 1 | 2 |\n\n[list](/documents) and [no](javascript:alert(1))\n\n```\nx < y\n```\n";
  const id = await createDocument(ask, "Plan", text);
  await page.goto(`/documents/${id}`);
  await page.getByRole("article").getByText("Contract").waitFor();
  await more();
  await item("Copy as rich text").click();
  await page.getByText("Rich text copied").waitFor();
  const parts = await page.evaluate<Record<string, string>>(`(async () => {
    const [one] = await navigator.clipboard.read();
    return Object.fromEntries(await Promise.all(one.types.map(async (type) => [type, await (await one.getType(type)).text()])));
  })()`);
  const html = parts["text/html"]?.replace(/^.*<body>(?:<!--\w+-->)?|(?:<!--\w+-->)?<\/body>.*$/gs, "");
  const { apiUrl } = stage.service;
  expect(html?.replace(/\s*\n\s*/g, "")).toBe(
    "<h1>Plan</h1><h2>Open</h2><ul><li>☑ Contract</li><li>☐ <em>Slides</em></li></ul>" +
      '<table><thead><tr><th>a</th><th align="right">b</th></tr></thead>' +
      '<tbody><tr><td>1</td><td align="right">2</td></tr></tbody></table>' +
      `<p><a href="${apiUrl}/documents">list</a> and no</p><pre><code>x &lt; y</code></pre>`,
  );
  expect(parts["text/plain"]).toMatch(/^Plan\n\nOpen\n.*Contract\n/s);
  await more();
  await item("Copy as Markdown").click();
  await page.getByText("Markdown copied").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(text);
  // A browser that does not allow it.
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))");
  await more();
  await item("Copy as Markdown").click();
  await page.getByText("Couldn’t copy: this browser").waitFor();
});

test("a printed document is its title and its text in black on white, even in the dark theme", async () => {
  const text = `See [the paper](https://example.com/paper) and <https://example.com/same>.\n\n## Open\n\n${"long ".repeat(400)}\n\n\`\`\`\n${"x".repeat(300)}\n\`\`\`\n`;
  const id = await createDocument(ask, "Report", text, {
    ...{ tags: ["work"], content: { ...markdown(text), front_matter: { status: "draft" } } },
  });
  await page.goto(`/documents/${id}`);
  await page.getByRole("article").getByText("the paper").waitFor();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const shown = (await page.locator("body").innerText()).split("\n").filter(Boolean);
  expect(shown.slice(0, 3)).toEqual(["Report", expect.stringContaining("See the paper"), "Open"]);
  expect(shown).not.toContain("Edit");
  await expect.poll(() => page.getByText("draft").filter({ visible: true }).count()).toBe(0);
  const colours = await page.evaluate(
    "[getComputedStyle(document.querySelector('article')).color, getComputedStyle(document.documentElement).backgroundColor]",
  );
  expect(colours).toEqual(["rgb(0, 0, 0)", "rgb(255, 255, 255)"]);
  const after = await page.evaluate(
    "[...document.querySelectorAll('article a')].map((link) => getComputedStyle(link, '::after').content)",
  );
  expect(after).toEqual(['" (https://example.com/paper)"', "none"]);
  // A page of 210 mm without its margins: nothing is wider.
  await page.setViewportSize({ width: 612, height: 900 });
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(612);
});

test("a folder of templates is begun from the menu, and its documents begin others, with the date and tags", async () => {
  await openMenu();
  await item("Create a template").click();
  await page.getByText("Folder “Templates” created").waitFor();
  await page.waitForURL(/\/documents\/new\?folder=/);
  await titleField().fill("Meeting {date}");
  await textField(page).click();
  await page.keyboard.insertText("Begun {date} at {time}, {nothing}");
  await page.waitForURL(/\/documents\/[0-9a-f-]{36}\?edit$/);
  await page.getByText("Saved", { exact: true }).waitFor();
  const [template] = await listed();
  const content = { ...markdown("Begun {date} at {time}, {nothing}"), front_matter: { with: "Ada" } };
  await ask("PUT", `/api/documents/${template?.id}`, { tags: ["meeting"], content });
  const work = await folder("Work");

  await page.goto(`/documents?folder=${work}`);
  await button("Today’s note and templates").click();
  await item("Meeting {date}").waitFor();
  // Away from the button, whose tooltip is outside of all landmarks.
  await page.mouse.move(0, 0);
  await page.getByRole("tooltip").waitFor({ state: "detached" });
  expect(await violations(page)).toEqual([]);
  await item("Meeting {date}").click();
  await expect.poll(() => titleField().inputValue()).toBe(`Meeting ${today()}`);
  // Nothing is created before the user writes or saves.
  expect(await listed()).toHaveLength(1);
  await textField(page).press("Control+Home");
  await page.keyboard.insertText("Agenda. ");
  await page.waitForURL(/\/documents\/[0-9a-f-]{36}\?edit$/);
  const made = await read(new URL(page.url()).pathname.split("/").at(-1) ?? "");
  expect(made).toMatchObject({ title: `Meeting ${today()}`, tags: ["meeting"], folder_id: work });
  expect(made.content).toEqual({
    ...{ format: "markdown", front_matter: { with: "Ada" } },
    text: expect.stringMatching(new RegExp(`^Agenda\\. Begun ${today()} at \\d\\d:\\d\\d, \\{nothing\\}$`)),
  });

  await button("Done").click();
  await button(/^Edit/).waitFor();
  await openPalette();
  await page.keyboard.type("from meeting");
  await page.getByRole("menuitem", { name: "New from “Meeting {date}”" }).click();
  await page.waitForURL(/\/documents\/new\?template=/);
  await expect.poll(() => titleField().inputValue()).toBe(`Meeting ${today()}`);
  expect(person.complaints).toEqual([]);
});

test("what is begun from a template while the service does not answer has its tags and properties when it is sent", async () => {
  const content = { ...markdown("Notes: "), front_matter: { with: "Ada" } };
  await createDocument(ask, "Call", "", { tags: ["phone"], folder_id: await folder("Templates"), content });
  await openMenu();
  await item("Call").click();
  await page.locator(".cm-content").waitFor();
  await page.route("**/api/**", (route) => route.abort());
  await textField(page).press("Control+End");
  await page.keyboard.insertText("she is well.");
  await page.getByText("Offline – saved on this device").waitFor();
  await page.getByRole("link", { name: "Documents" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Documents" }).waitFor();
  await page.unroute("**/api/**");
  await page.evaluate("dispatchEvent(new Event('online'))");
  await expect.poll(async () => (await listed()).length).toBe(2);
  const made = (await listed()).find(({ folder_id }) => folder_id === null);
  expect(await read(made?.id ?? "")).toMatchObject({
    ...{ title: "Call", tags: ["phone"] },
    content: { ...content, text: "Notes: she is well." },
  });
});

test("without a network today's note says so, and a template that is gone says where it is", async () => {
  await openMenu();
  const goOnline = await goOffline(person.context);
  await item("Today’s note").click();
  await page.getByText("You’re offline").first().waitFor();
  await goOnline();
  const id = await createDocument(ask, "Old", "x");
  await page.goto(`/documents/${id}`);
  await page.getByRole("heading", { level: 1, name: "Old" }).waitFor();
  await page.keyboard.press("#");
  await page.getByText("moved to the trash").waitFor();
  await page.goto(`/documents/new?template=${id}`);
  await button("Restore").waitFor();
  expect(await violations(page)).toEqual([]);
});

test("today's note is one, in the folder Daily, from however many tabs and attempts", async () => {
  const templates = await folder("templates");
  await createDocument(ask, "daily", "Woke at {time}", { folder_id: templates, tags: ["diary"] });
  const other = await person.context.newPage();
  await Promise.all([page, other].map((tab) => tab.goto("/documents")));
  // The answer of the first attempt is lost.
  let lost = 0;
  await page.route("**/api/documents", async (route) => {
    if (route.request().method() !== "POST" || lost > 0) return route.fallback();
    lost += 1;
    await route.fetch();
    await route.abort();
  });
  const open = async (tab: Page) => {
    await tab.getByRole("button", { name: "Today’s note and templates" }).click();
    await tab.getByRole("menuitem", { name: "Today’s note" }).click();
    await tab.waitForURL(/\/documents\/[0-9a-f-]{36}\?edit$/);
    return new URL(tab.url()).pathname;
  };
  const [one, two] = await Promise.all([open(page), open(other)]);
  expect(one).toBe(two);
  const notes = (await listed()).filter(({ title }) => title === today());
  expect(notes).toMatchObject([{ tags: ["diary"] }]);
  expect(await textOf(ask, notes[0]?.id ?? "")).toMatch(/^Woke at \d\d:\d\d$/);
  const { items } = await ask<{ items: { id: string; name: string }[] }>("GET", "/api/folders");
  expect(items.map(({ name }) => name)).toEqual(["Daily", "templates"]);

  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.goto("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await openPalette();
  await page.keyboard.type("todays note");
  await page.getByRole("menuitem", { name: "Today’s note" }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe(one);

  // In the trash it is no note of today any more.
  await page.goto(one);
  await page.getByRole("heading", { level: 1, name: today() }).waitFor();
  await page.keyboard.press("#");
  await page.getByText("moved to the trash").waitFor();
  await page.goto("/documents");
  expect(await open(page)).not.toBe(one);
});
