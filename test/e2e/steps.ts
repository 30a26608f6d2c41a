import type { Page } from "playwright-core";
import type { Ask } from "./ask.ts";
import { copiesIn } from "./copies.ts";
import { until } from "./service.ts";

// What a person does with documents and records, and where it is seen.

export type Known = { title: string; folder_id: string | null; tags: string[]; version: number };

/** A text as a document's content. */
export const markdown = (text: string) => ({ format: "markdown", text });
/** Creates a document. Returns its id. */
export const createDocument = async (ask: Ask, title: string, text: string, more: object = {}) =>
  (await ask<{ id: string }>("POST", "/api/documents", { title, content: markdown(text), ...more })).id;
/** The text of a document as the service has it. */
export const textOf = async (ask: Ask, id: string) =>
  (await ask<{ content: { text: string } }>("GET", `/api/documents/${id}`)).content.text;
export const textField = (page: Page) => page.getByRole("textbox", { name: "Text", exact: true });

/** Writes at the beginning of the text in the editor. */
export async function writeAtStart(page: Page, text: string): Promise<void> {
  await textField(page).press("Control+Home");
  await page.keyboard.insertText(text);
}

/** What the service has of a document. */
export const isNow = (ask: Ask, id: string) => ask<Known>("GET", `/api/documents/${id}`);
/** Reads a document with these words in its text, and waits until it is on the device. */
export async function readHere(page: Page, id: string, words: string): Promise<void> {
  await page.goto(`/documents/${id}`);
  await page.getByRole("article").getByText(words).first().waitFor();
  const isKept = async () => (await copiesIn(page)).readable.includes(words);
  await until(isKept, () => `“${words}” is not on the device`);
}

/** Creates a folder and two documents, and reads both, so that they are on the device. The packing list is open. */
export async function readPackingList(page: Page, ask: Ask) {
  const { id: trips } = await ask<{ id: string }>("POST", "/api/folders", { name: "Trips" });
  const packing = await createDocument(ask, "Packing list", "Passport");
  const diary = await createDocument(ask, "Diary", "A fine day");
  await readHere(page, diary, "A fine day");
  await readHere(page, packing, "Passport");
  return { trips, packing, diary };
}

/** Tells what waits or was refused. */
export const bar = (page: Page) =>
  page.getByRole("status").filter({ hasText: /\d changes? (will sync|needs? your)/ });
/** A document or folder in a list. */
export const row = (page: Page, name: string) =>
  page.getByRole("grid").getByRole("row", { name: new RegExp(`^${name}`) });

export async function rename(page: Page, name: string, next: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
  await page.getByRole("textbox", { name: "Title" }).fill(next);
  await page.keyboard.press("Enter");
  await page.getByText(`Renamed to “${next}”`).waitFor();
}

export async function moveTo(page: Page, folder: string): Promise<void> {
  await page.keyboard.press("m");
  await page.getByPlaceholder("Find or create a folder").fill(folder);
  await page.getByRole("option", { name: folder, exact: true }).click();
  await page.getByText(`moved to ${folder}`).waitFor();
}

export async function tag(page: Page, name: string): Promise<void> {
  await page.getByRole("combobox", { name: "Add a tag" }).fill(name);
  await page.keyboard.press("Enter");
  await page.getByText(`tagged ${name}`).waitFor();
  await page.keyboard.press("Escape");
}

/** Writes down a record. */
export async function capture(page: Page, text: string): Promise<void> {
  await page.getByLabel("New record").fill(text);
  await page.getByRole("button", { name: "Save" }).click();
}
