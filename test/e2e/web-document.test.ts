import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type App, enter, openApp, violations } from "./app.ts";
import { launch } from "./browser.ts";
import { register, type Service, startService, temporaryFolder } from "./service.ts";

// One document: written, read, compared, and never lost.

const OWN = { "Sec-Fetch-Site": "same-origin", "X-Requested-With": "commonplace" };
const PASSWORD = "correct horse battery";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let browser: Browser;
let app: App;
let page: Page;
let email: string;
let people = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
  service = await startService(folder.path);
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await folder?.remove();
});

beforeEach(async () => {
  people += 1;
  email = `writer-${people}@example.com`;
  await register(service.apiUrl, { email, password: PASSWORD });
  app = await openApp(browser, service.apiUrl);
  page = app.page;
  await enter(app, { email, password: PASSWORD });
  // The app asks before it knows that nobody is signed in.
  app.complaints.length = 0;
});

afterEach(() => app.close());

/** Complaints about anything but answers of these kinds, which the story asks for. */
const unexpected = (...statuses: number[]) =>
  app.complaints.filter(
    (complaint) => !statuses.some((status) => new RegExp(`^${status} |status of ${status}`).test(complaint)),
  );

type Written = { id: string; version: number; title: string; content: { text: string } };

async function send(method: string, path: string, data?: unknown, headers = {}): Promise<Written> {
  const answer = await app.context.request.fetch(service.apiUrl + path, {
    method,
    data,
    headers: { ...OWN, ...headers },
  });
  expect(answer.ok(), await answer.text()).toBe(true);
  return answer.json();
}

const create = (title: string, text: string) =>
  send("POST", "/api/documents", { title, content: { format: "markdown", text } });
const read = ({ id }: { id: string }) => send("GET", `/api/documents/${id}`);
const changeAs = (client: string, { id }: { id: string }, text: string) =>
  send("PUT", `/api/documents/${id}`, { content: { format: "markdown", text } }, { "X-Client-Name": client });

const textField = () => page.getByRole("textbox", { name: "Text", exact: true });

async function writeAtTheStart(text: string) {
  await textField().press("Control+Home");
  await page.keyboard.insertText(text);
}

test("a content of other fields is shown as fields, and edited as JSON that is checked", async () => {
  const { id } = await send("POST", "/api/documents", {
    title: "Ada",
    content: { emails: ["ada@example.com"], address: { city: "London" }, vip: true },
  });
  await page.goto(`/documents/${id}`);
  await page.getByText("London").waitFor();
  await page.keyboard.press("e");
  // A plain field stands in the editor's place until that is loaded.
  await page.locator(".cm-content").waitFor();
  await textField().fill('{"city": ');
  await page.keyboard.press("Control+s");
  await page.getByText(/This is not valid JSON/).waitFor();
  await textField().fill('{"city": "Paris"}');
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("article").getByText("Paris").waitFor();
  await expect.poll(async () => (await read({ id })).content).toEqual({ city: "Paris" });
  expect(app.complaints).toEqual([]);
});

test("what was typed without a network survives a reload, is shown, and is kept or discarded", async () => {
  const document = await create("Draft", "First line\n");
  await page.goto(`/documents/${document.id}`);
  await page.getByText("First line").waitFor();
  await page.keyboard.press("e");
  await page.route(`**/api/documents/${document.id}`, (route) =>
    route.request().method() === "PUT" ? route.abort() : route.continue(),
  );
  await writeAtTheStart("Typed: ");
  await page.getByText("Offline – saved on this device").waitFor();
  await textField().press("Escape");
  await page.getByText(/You have unsaved changes from/).waitFor();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByText("You have unsaved changes").waitFor({ state: "hidden" });
  await page.keyboard.press("u");
  await page.getByText(/You have unsaved changes from/).waitFor();
  await page.reload();
  await page.getByText(/You have unsaved changes from/).waitFor();
  await page.unroute(`**/api/documents/${document.id}`);
  await page.getByText("Typed: First line").waitFor();
  await expect.poll(async () => (await read(document)).content.text).toBe("Typed: First line\n");
  expect(app.complaints.filter((complaint) => !complaint.includes("ERR_FAILED"))).toEqual([]);
});

test("two people write: both texts are shown, and whichever is taken, the other is a version", async () => {
  for (const [choice, chosen] of [
    ["Use theirs", "Theirs 1"],
    ["Keep both", "Mine 2"],
    ["Save merged text", "Merged 3"],
  ] as const) {
    const number = chosen.at(-1);
    const document = await create("Shared", "One\n\nTwo\n");
    await page.goto(`/documents/${document.id}?edit`);
    await textField().waitFor();
    await changeAs("Claude", document, `Theirs ${number}: Uno\n\nTwo\n`);
    await writeAtTheStart(`Mine ${number}: `);
    await page.keyboard.press("Control+s");
    await page.getByText("The same passage was changed twice").waitFor();
    await page.getByText(/Changed by Claude/).waitFor();
    const mine = page.getByRole("textbox", { name: "Mine", exact: true });
    await mine.waitFor();
    if (number === "1") expect(await violations(page)).toEqual([]);
    if (number === "3") {
      await mine.press("Control+Home");
      await page.keyboard.insertText("Merged 3, ");
    }
    await page.getByRole("button", { name: choice }).click();
    await textField().waitFor();
    // What is not taken is saved first, as a version.
    await expect.poll(async () => (await read(document)).content.text).toContain(chosen);
    const now = await read(document);
    const versions = [];
    for (let version = now.version; version > now.version - 3 && version > 0; version--) {
      versions.push((await send("GET", `/api/documents/${document.id}/versions/${version}`)).content.text);
    }
    for (const text of [`Mine ${number}: `, `Theirs ${number}: `]) {
      expect(
        versions.some((version) => version.includes(text)),
        text,
      ).toBe(true);
    }
  }
  expect(unexpected(412)).toEqual([]);
});

test("tags that change meanwhile do not stand in the way of a save", async () => {
  const document = await create("Shared", "One\n");
  await page.goto(`/documents/${document.id}?edit`);
  await writeAtTheStart("Mine: ");
  await send("PUT", `/api/documents/${document.id}`, { tags: ["later"] });
  await page.keyboard.press("Control+s");
  await expect.poll(() => read(document)).toMatchObject({ content: { text: "Mine: One\n" } });
  await page.getByText("Saved", { exact: true }).waitFor();
  expect(await read(document)).toMatchObject({ tags: ["later"], content: { text: "Mine: One\n" } });
  expect(unexpected(412)).toEqual([]);
});

test("another tab shows what was saved in this one, and an editor there adds it to what is written there", async () => {
  const document = await create("Two tabs", "One\n");
  const [reading, writing] = [await app.context.newPage(), await app.context.newPage()];
  await reading.goto(`/documents/${document.id}`);
  await reading.getByText("One", { exact: true }).waitFor();
  await writing.goto(`/documents/${document.id}?edit`);
  const other = writing.getByRole("textbox", { name: "Text", exact: true });
  await other.waitFor();
  await page.goto(`/documents/${document.id}?edit`);
  await textField().waitFor();
  await other.press("Control+Home");
  await writeAtTheStart("Mine: ");
  // It would save by itself two seconds later.
  await writing.keyboard.insertText("Other: ");
  await page.keyboard.press("Control+s");
  // Both have added words to one line, and neither has changed a word of the other.
  await reading.getByText("Mine: Other: One").waitFor();
  await expect.poll(() => other.innerText()).toContain("Mine: Other: One");
  await expect.poll(() => textField().innerText()).toContain("Mine: Other: One");
  expect(await writing.getByText(/This passage was also changed/).count()).toBe(0);
  expect(app.complaints).toEqual([]);
});

test("a session that ends under the editor loses nothing", async () => {
  const document = await create("Long text", "One\n");
  await page.goto(`/documents/${document.id}?edit`);
  await writeAtTheStart("Typed: ");
  await app.context.clearCookies();
  await page.keyboard.press("Control+s");
  await page.getByRole("alertdialog").getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByText("Saved", { exact: true }).waitFor();
  await expect.poll(() => textField().innerText()).toContain("Typed: One");
  expect((await read(document)).content.text).toBe("Typed: One\n");
  expect(unexpected(401)).toEqual([]);
});

test("any two versions are compared, one is restored, and that is taken back", async () => {
  const document = await create("Versions", "First\n");
  await changeAs("Claude", document, "Second\n");
  await changeAs("Obsidian", document, "Third\n");
  await page.goto(`/documents/${document.id}`);
  await page.getByText("Third").waitFor();
  await page.keyboard.press("v");
  await page.getByRole("radio", { name: "Compare version 1" }).check();
  await page.getByRole("heading", { name: "From version 1 to 3" }).waitFor();
  await page.getByText("Claude, ").waitFor();
  const changes = page.getByRole("region", { name: "What changed" });
  await changes.getByText("First").waitFor();
  await changes.getByText("Third").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await page.getByText("Version 1 restored as version 4").waitFor();
  expect((await read(document)).content.text).toBe("First\n");
  await page.keyboard.press("u");
  await page.getByText(/5, current/).waitFor();
  expect((await read(document)).content.text).toBe("Third\n");
  expect(app.complaints).toEqual([]);
});

test("title, tags and folder are changed in place, and the records that belong to it are there", async () => {
  const document = await create("Old name", "Text\n");
  await send("POST", "/api/folders", { name: "Work" });
  await send("POST", "/api/memories", {
    memory_type: "commitment",
    topic: "Send the slides",
    content: "Promised",
    document_id: document.id,
  });
  await page.goto(`/documents/${document.id}`);
  await page.getByRole("link", { name: "Send the slides" }).waitFor();
  await page.getByRole("button", { name: "Old name" }).click();
  await page.getByRole("textbox", { name: "Title" }).fill("New name");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "New name" }).waitFor();
  await page.getByPlaceholder("Add a tag").fill("plan");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove plan" }).waitFor();
  await page.getByRole("button", { name: /No folder/ }).click();
  await page.getByPlaceholder("Find or create a folder").pressSequentially("wor");
  await page.getByRole("option", { name: "Work", exact: true }).and(page.locator("[data-focused]")).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("navigation", { name: "Folder path" }).getByText("Work").waitFor();
  // What waits for its answer is shown as done.
  await expect.poll(() => read(document)).toMatchObject({ title: "New name", tags: ["plan"] });
  expect(app.complaints).toEqual([]);
});

test("a link to a document that is not there says whose account this is, and one in the trash is restored", async () => {
  await page.goto("/documents/01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42");
  await page.getByText(`This document is not in the account ${email}`).waitFor();
  expect(await violations(page)).toEqual([]);
  const document = await create("Thrown away", "Text\n");
  await page.goto(`/documents/${document.id}`);
  await page.getByText("Text", { exact: true }).waitFor();
  await page.keyboard.press("#");
  await page.waitForURL(/\/documents$/);
  await page.goto(`/documents/${document.id}`);
  await page.getByText("This document is in the trash").waitFor();
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByText("Text", { exact: true }).waitFor();
  expect(unexpected(404)).toEqual([]);
});
