import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { type App, enter, isFocused, openApp } from "./app.ts";
import { type Ask, askAs } from "./ask.ts";
import { register } from "./service.ts";
import { stageFor } from "./stage.ts";

// Writing from the first key on: the way from the title into the text, and titles from elsewhere, shown as text.

const ACCOUNT = { email: "ada@example.com", password: "correct horse battery" };
const SOURCE = "# gopd <sup>[![Version Badge](https://x.example/v.svg)](https://npm.example)</sup>";

let app: App;
let page: Page;
let ask: Ask;

const stage = stageFor({}, async ({ service, browser }) => {
  await register(service.apiUrl, ACCOUNT);
  app = await openApp(browser, service.apiUrl);
  page = app.page;
  ask = askAs(app, service.apiUrl);
  await enter(app, ACCOUNT);
  await app.context.grantPermissions(["clipboard-read", "clipboard-write"]);
});

const create = (title: string, text: string) =>
  ask<{ id: string }>("POST", "/api/documents", { title, content: { format: "markdown", text } });

const title = () => page.getByRole("textbox", { name: "Title" });
const text = () => page.getByRole("textbox", { name: "Text", exact: true });
/** The lines of the editor, which are in a shadow root. */
const lines = () => page.locator(".cm-line").allInnerTexts();
const paste = (name: string) =>
  page.evaluate(
    `(async () => {
      const data = new DataTransfer();
      ${name};
      let target = document.activeElement;
      while (target.shadowRoot?.activeElement) target = target.shadowRoot.activeElement;
      target.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true, composed: true }));
    })()`,
  );
const isInText = () => isFocused(text());

/** Notes where the focus is whenever the page has been changed: what is typed goes there. */
const NOTE_FOCUS = `(() => {
  window.focused = [];
  new MutationObserver(() => window.focused.push(document.activeElement.tagName))
    .observe(document.body, { childList: true, subtree: true });
})()`;

/** The keys of what is written and not known to be sent. */
const DRAFTS = `new Promise((resolve, reject) => {
  const opened = indexedDB.open("keyval-store");
  opened.onerror = reject;
  opened.onsuccess = () => {
    const asked = opened.result.transaction("keyval").objectStore("keyval").getAllKeys();
    asked.onsuccess = () => resolve(asked.result.filter((key) => key.startsWith("draft:")));
  };
})`;

async function beginAnew() {
  await page.goto("/documents/new");
  await text().waitFor();
  await title().focus();
}

test("Enter and the arrow down lead from the title into the text, and pasted lines go there", async () => {
  await beginAnew();
  await page.getByText("New document", { exact: true }).and(page.locator("[role=status]")).waitFor();
  await expect.poll(() => page.getByText("Saved", { exact: true }).count()).toBe(0);
  await page.keyboard.type("Plan\nfor today");
  await expect.poll(() => title().inputValue()).toBe("Plan");
  // A plain field takes what is written until the editor has been loaded.
  await expect.poll(lines).toEqual(["for today"]);

  // With an input method or a telephone: web/test/title-field.test.tsx.
  await title().focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await expect.poll(isInText).toBe(true);
  await page.keyboard.type("first ");
  await title().press("Shift+Enter");
  await page.keyboard.type("very ");
  await expect.poll(lines).toEqual(["very first for today"]);

  await title().fill("");
  await page.evaluate("navigator.clipboard.writeText('# Pasted\\n\\n- one\\n- two')");
  await page.keyboard.press("Control+v");
  await expect.poll(lines).toEqual(["- one", "- two", "very first for today"]);
  await expect.poll(() => title().inputValue()).toBe("Pasted");
  await page.keyboard.type(" and a half");
  await expect.poll(lines).toEqual(["- one", "- two and a half", "very first for today"]);
  await page.keyboard.press("Control+s");
  await page.waitForURL(/\/documents\/[0-9a-f-]{36}\?edit$/);
  await page.getByText("Saved", { exact: true }).waitFor();

  // A page that goes before this answer has come would send the text once more.
  const saved = page.waitForResponse(
    (answer) => answer.request().postData()?.includes("Again: ") === true && answer.ok(),
  );
  await title().press("Enter");
  await page.keyboard.type("Again: ");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("heading", { level: 1, name: "Pasted" }).waitFor();
  await page.getByText("Again: ").waitFor();
  await saved;
  await expect.poll(() => page.evaluate(DRAFTS)).toEqual([]);
});

test("of a table that is pasted with its picture, the text is taken", async () => {
  await beginAnew();
  await page.keyboard.press("Enter");
  await expect.poll(isInText).toBe(true);
  const picture = 'data.items.add(new File(["x"], "shot.png", { type: "image/png" }))';
  // What a script pastes is written by the editor alone, not by the plain field in its place.
  await expect.poll(() => isFocused(page.locator(".cm-content"))).toBe(true);
  await paste(`${picture}; data.setData("text/plain", "A1 B1")`);
  await expect.poll(lines).toEqual(["A1 B1"]);
});

test("a title with the source of Markdown and HTML is text wherever it is shown", async () => {
  const { id } = await create(
    SOURCE,
    `${SOURCE}\n\n## One <b>bold</b>\n\n## Two\n\n## Three\n\nA [link](https://a.example)`,
  );
  const shown = "gopd Version Badge";
  await page.goto("/documents");
  await page.getByRole("row", { name: shown, exact: true }).waitFor();
  await page.goto("/search?q=link");
  const result = page.getByRole("region", { name: "Results" }).getByRole("link");
  await result.getByText(shown, { exact: true }).waitFor();
  expect(await result.innerText()).not.toMatch(/[<\]#(]/);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Palette" }).locator("input:focus").waitFor();
  await page.keyboard.type("gopd");
  await page.getByRole("menuitem", { name: `${shown} Document`, exact: true }).waitFor();
  await page.goto("/activity");
  await page.getByRole("link", { name: shown, exact: true }).waitFor();
  await page.getByRole("heading", { level: 2, name: /^Today, \w+day/ }).waitFor();
  await page.goto(`/documents/${id}`);
  await page.getByRole("heading", { level: 1, name: shown, exact: true }).waitFor();
  const contents = page.getByRole("navigation", { name: "In this document" });
  expect((await contents.innerText()).split("\n")).toContain("One bold");
  await expect.poll(() => page.title()).toBe(`${shown} – Commonplace`);
  // What is written stays as it was written.
  await page.getByRole("button", { name: shown }).click();
  await expect.poll(() => title().inputValue()).toBe(SOURCE);
});

test("versions say which is which, and the sign between them is one that every system has", async () => {
  const lines = Array.from({ length: 20 }, (_, line) => `Line ${line}`).join("\n\n");
  const { id } = await create("Minutes", lines);
  await ask("PUT", `/api/documents/${id}`, { content: { format: "markdown", text: `${lines}\n\nAnd more` } });
  await page.goto(`/documents/${id}?versions`);
  await page.locator(".cm-collapsedLines").first().waitFor();
  const sign =
    "getComputedStyle(document.querySelector('[class*=compare]').shadowRoot.querySelector('.cm-collapsedLines'), '::before').content";
  await expect.poll(() => page.evaluate(sign)).toBe('"…"');
  for (const name of ["From", "To"]) await page.getByText(name, { exact: true }).waitFor();
});

test("on paper it is day", async () => {
  await page.emulateMedia({ colorScheme: "dark", media: "print" });
  const colours =
    "(({ backgroundColor, color }) => [backgroundColor, color])(getComputedStyle(document.documentElement))";
  expect(await page.evaluate(colours)).toEqual(["rgb(255, 255, 255)", "rgb(0, 0, 0)"]);
  await page.emulateMedia({ media: "screen" });
  expect(await page.evaluate(colours)).toEqual(["rgb(23, 22, 18)", "rgb(236, 231, 220)"]);
  expect(app.complaints.filter((complaint) => !/401/.test(complaint))).toEqual([]);
});

test("what is typed before the editor is loaded is in the text, and the cursor stays where it is", async () => {
  const other = await openApp(stage.browser, stage.service.apiUrl);
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await other.page.route("**/app/editor-*.js", async (route) => {
    await held;
    await route.continue();
  });
  await enter(other, ACCOUNT);
  await other.page.goto("/documents/new");
  const field = other.page.getByRole("textbox", { name: "Title" });
  await field.fill("Trip to Lisbon");
  await field.press("Enter");
  await other.page.keyboard.type("Book the hotel");
  await expect.poll(() => field.inputValue()).toBe("Trip to Lisbon");
  await other.page.evaluate(NOTE_FOCUS);
  letGo();
  const editor = other.page.locator(".cm-line");
  await editor.waitFor();
  await other.page.keyboard.type(" today");
  await expect.poll(() => editor.allInnerTexts()).toEqual(["Book the hotel today"]);
  expect(await other.page.evaluate("window.focused")).not.toContain("BODY");
  await other.close();
});

/** Somebody who has nothing yet, at a new document. */
async function newcomer(email: string): Promise<App> {
  const account = { ...ACCOUNT, email };
  await register(stage.service.apiUrl, account);
  const newApp = await openApp(stage.browser, stage.service.apiUrl);
  await enter(newApp, account);
  await newApp.page.goto("/documents/new");
  await newApp.page.locator(".cm-content").waitFor();
  return newApp;
}

const SAVED = /\/documents\/[0-9a-f-]{36}\?edit$/;

test("who goes on writing while a new document is saved goes on where they were", async () => {
  const { page, complaints, close } = await newcomer("grace@example.com");
  const lines = () => page.locator(".cm-line").allInnerTexts();
  await page.keyboard.type("Letter\nDear");
  await expect.poll(lines).toEqual(["Dear"]);
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await page.route("**/api/documents", async (route) => {
    await answered;
    await route.continue();
  });
  const asked = page.waitForRequest("**/api/documents");
  await page.keyboard.press("Control+s");
  await asked;
  await page.keyboard.type(" Grace");
  answer();
  await page.waitForURL(SAVED);
  await page.keyboard.type(",");
  await expect.poll(lines).toEqual(["Dear Grace,"]);
  await page.keyboard.press("Control+s");
  await page.getByText("Saved", { exact: true }).waitFor();
  await page.keyboard.press("Control+z");
  await expect.poll(lines).not.toEqual(["Dear Grace,"]);
  await page.keyboard.press("Control+y");
  await expect.poll(lines).toEqual(["Dear Grace,"]);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("heading", { level: 1, name: "Letter" }).waitFor();
  await page.getByText("Dear Grace,", { exact: true }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test("a new document after one that has just been saved begins with nothing of it", async () => {
  const { page, complaints, close } = await newcomer("mary@example.com");
  const field = page.getByRole("textbox", { name: "Title" });
  const lines = () => page.locator(".cm-line").allInnerTexts();
  await page.keyboard.type("First\nOne");
  await page.keyboard.press("Control+s");
  await page.waitForURL(SAVED);
  await page.getByText("Saved", { exact: true }).waitFor();
  await field.press("Control+k");
  await page.getByRole("dialog", { name: "Palette" }).locator("input:focus").waitFor();
  await page.keyboard.type("New document");
  await page.getByRole("menuitem", { name: "New document" }).first().click();
  await page.waitForURL("**/documents/new*");
  await expect.poll(() => field.inputValue()).toBe("");
  await expect.poll(lines).not.toEqual(["One"]);
  await page.goBack();
  await page.waitForURL(SAVED);
  await expect.poll(() => field.inputValue()).toBe("First");
  await expect.poll(lines).toEqual(["One"]);
  expect(complaints).toEqual([]);
  await close();
});
