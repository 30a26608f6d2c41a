import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isFocused } from "./app.ts";
import type { Ask } from "./ask.ts";
import { stored } from "./copies.ts";
import { type AppOfPerson, openAs, stageFor } from "./stage.ts";
import { createDocument, textField, textOf } from "./steps.ts";

// Writing from the first key on: the way from the title into the text, and titles from elsewhere, shown as text.

const SOURCE = "# gopd <sup>[![Version Badge](https://x.example/v.svg)](https://npm.example)</sup>";

let person: AppOfPerson;
let page: Page;
let ask: Ask;

const stage = stageFor({}, async (set) => {
  person = await openAs(set);
  ({ page, ask } = person);
  await person.context.grantPermissions(["clipboard-read", "clipboard-write"]);
});

const title = () => page.getByRole("textbox", { name: "Title" });
const text = () => textField(page);
/** The lines of the editor, which are in a shadow root. */
const lines = () => page.locator(".cm-line").allInnerTexts();
const isInText = () => isFocused(text());

/** Notes where the focus is whenever the page has been changed: what is typed goes there. */
const NOTE_FOCUS = `(() => {
  window.focused = [];
  new MutationObserver(() => window.focused.push(document.activeElement.tagName))
    .observe(document.body, { childList: true, subtree: true });
})()`;

/** The keys of the unsaved texts. */
const drafts = async () =>
  (await stored<string>(page, "keyval-store", "keyval", "getAllKeys")).filter((key) =>
    key.startsWith("draft:"),
  );

test("Enter and the arrow down lead from the title into the text, and pasted lines go there", async () => {
  await page.goto("/documents/new");
  await text().waitFor();
  await title().focus();
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
  await page.getByRole("article").getByText("Again: ").waitFor();
  await saved;
  await expect.poll(drafts).toEqual([]);
});

test("a title with the source of Markdown and HTML is text wherever it is shown", async () => {
  const id = await createDocument(
    ask,
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

test("Escape leaves a new document also before its screen is loaded, and what was typed is saved", async () => {
  const { page } = await openAs(stage, "/documents");
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await page.route("**/app/document-*.js", (route) => held.then(() => route.continue()));
  await page.keyboard.press("n");
  await page.waitForURL(/\/documents\/new/);
  await page.getByRole("textbox", { name: "Title" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.type("Trip");
  await page.keyboard.press("Escape");
  letGo();
  await page.waitForURL(/\/documents$/);
  await page.getByRole("row", { name: /^Trip/ }).waitFor();
});

test("what is typed before the editor is loaded is in the text, and the cursor stays where it is", async () => {
  const other = await openAs(stage);
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await other.page.route("**/app/editor-*.js", (route) => held.then(() => route.continue()));
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
});

/** A person who has nothing yet, at a new document. */
async function newcomer(): Promise<AppOfPerson> {
  const person = await openAs(stage);
  await person.page.goto("/documents/new");
  await person.page.locator(".cm-content").waitFor();
  return person;
}

const SAVED = /\/documents\/[0-9a-f-]{36}\?edit$/;

test("writing goes on in place while a new document is saved, which is saved once more after it, and only if it is new", async () => {
  const { page, ask, complaints } = await newcomer();
  const lines = () => page.locator(".cm-line").allInnerTexts();
  await page.keyboard.type("Letter\nDear");
  await expect.poll(lines).toEqual(["Dear"]);
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await page.route("**/api/documents", (route) => answered.then(() => route.continue()));
  const asked = page.waitForRequest("**/api/documents");
  await page.keyboard.press("Control+s");
  await asked;
  await page.keyboard.press("Control+s");
  await page.keyboard.type(" Grace");
  for (let times = 0; times < 2; times++) await page.keyboard.press("Control+s");
  answer();
  await page.waitForURL(SAVED);
  await page.getByText("Saved", { exact: true }).waitFor();
  const { items } = await ask<{ items: { id: string; version: number }[] }>("GET", "/api/documents");
  expect(items).toMatchObject([{ version: 2 }]);
  expect(await textOf(ask, items[0]?.id ?? "")).toBe("Dear Grace");
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
  await page.getByRole("article").getByText("Dear Grace,", { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test("a new document after one that has just been saved begins with nothing of it", async () => {
  const { page, complaints } = await newcomer();
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
});
