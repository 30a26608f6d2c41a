import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { isFocused, violations, violationsInBoth } from "./app.ts";
import type { Ask } from "./ask.ts";
import { choose, drop, isDrawn, paste, pdf, png, text } from "./own-files.ts";
import { openAs, stageFor } from "./stage.ts";
import { createDocument, textOf as documentText } from "./steps.ts";

// Pictures and files in documents: pasted, dropped and chosen, described, looked at, taken out again.

const ID = /[0-9a-f]{8}-[0-9a-f-]{27}/;

let page: Page;
let ask: Ask;
let complaints: string[];

const stage = stageFor({}, async () => {
  ({ page, ask, complaints } = await openAs(stage));
});

type File = { id: string; name: string; alt: string | null; document_ids: string[]; thumbnails: number[] };

const create = (title: string, words: string) => createDocument(ask, title, words);
const textOf = (id: string) => documentText(ask, id);
const filesOf = async (id: string) =>
  (await ask<{ items: File[] }>("GET", `/api/files?document_id=${id}&limit=100`)).items;

const content = () => page.locator(".cm-content");
const inText = () => page.locator(".live-picture img");

/** How many files there is still something to do with. */
const WAITING = `new Promise((resolve, reject) => {
  const opened = indexedDB.open("commonplace-files");
  opened.onerror = reject;
  opened.onsuccess = () => {
    const counted = opened.result.transaction("files").objectStore("files").count();
    counted.onsuccess = () => resolve(counted.result);
  };
})`;

async function write(id: string): Promise<void> {
  await page.goto(`/documents/${id}?edit`);
  await content().click();
  await expect.poll(() => isFocused(content())).toBe(true);
  await page.keyboard.press("Control+End");
}

test("a screenshot that is pasted stands in the text at once, is described once, and belongs to the document", async () => {
  const id = await create("The lease", "What the landlord has sent.");
  await write(id);
  await paste(content(), [png(1, "image.png")]);
  await inText().waitFor();
  const question = page.getByRole("form", { name: "Describe the picture" });
  expect(await violationsInBoth(page)).toEqual([]);
  await question.getByRole("textbox").fill("The front page [signed]");
  await question.getByRole("button", { name: "Describe" }).click();
  await question.waitFor({ state: "detached" });
  await page.keyboard.press("Control+End");
  await page.keyboard.type("And the end.");
  await page.getByRole("button", { name: "Done" }).click();
  const picture = page.getByRole("article").getByRole("img", { name: "The front page [signed]" });
  await expect.poll(() => isDrawn(picture)).toBe(true);
  await expect
    .poll(async () => (await textOf(id)).replace(ID, "ID"))
    .toContain("What the landlord has sent.\n\n![The front page \\[signed\\]](file:ID)\n\nAnd the end.");
  const file = { alt: "The front page [signed]", document_ids: [id], thumbnails: [320, 1000] };
  await expect
    .poll(() => filesOf(id))
    .toMatchObject([{ ...file, name: expect.stringMatching(/^Picture \d/) }]);
  await page.reload();
  await expect.poll(() => isDrawn(picture)).toBe(true);
  expect(await violations(page)).toEqual([]);
});

test("what is written below a picture is in sight while it is asked what that shows, and so are the answers", async () => {
  const days = Array.from({ length: 30 }, (_, day) => `Day ${day}`);
  const id = await create("A long way", days.join("\n\n"));
  await write(id);
  await paste(content(), [png(3)]);
  const question = page.getByRole("form", { name: "Describe the picture" });
  await question.waitFor();
  await page.keyboard.type("And below it");
  const box = async (element: Locator) => (await element.boundingBox()) ?? { y: 0, height: 0 };
  const isAbove = async (one: Locator, other: Locator) => {
    const { y, height } = await box(one);
    return height > 0 && y >= 0 && y + height <= (await box(other)).y;
  };
  const line = page.locator(".cm-line", { hasText: "And below it" });
  await expect.poll(() => isAbove(line, question)).toBe(true);
  await page.setViewportSize({ width: 390, height: 844 });
  const places = page.getByRole("navigation", { name: "Main" });
  const skip = page.getByRole("button", { name: "Skip" });
  await expect.poll(() => isAbove(skip, places)).toBe(true);
  await page.evaluate("scrollTo(0, 0)");
  await expect.poll(() => isAbove(skip, places)).toBe(true);
  await skip.click();
  await page.setViewportSize({ width: 1280, height: 720 });
});

test("a picture has the width behind its words, which its description keeps, while one reads and while one writes", async () => {
  const first = await create("Square", "Before.");
  await write(first);
  await paste(content(), [png(2, "image.png", 200)]);
  await expect.poll(() => textOf(first)).toMatch(/!\[\]\(file:[\da-f-]{36}\)/);
  const [, before = "", name = "", after = ""] =
    /^([^!]*!\[)\]\((.*?)\)(\s*)$/.exec(await textOf(first)) ?? [];
  await content().click();
  await page.keyboard.press("Control+Home");
  for (let at = 0; at < before.length; at += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.type("|50");
  const question = page.getByRole("form", { name: "Describe the picture" });
  await question.getByRole("textbox").fill("A square");
  await question.getByRole("button", { name: "Describe" }).click();
  await page.getByRole("button", { name: "Done" }).click();
  await expect.poll(() => textOf(first)).toBe(`${before}A square|50](${name})${after}`);
  const words = ["A square|50", "Nothing|0", "|80", "Most|9999", "Same"];
  const id = await create("Widths", [...words.map((one) => `![${one}](${name})`), "The end."].join("\n\n"));
  const sizesOf = async (pictures: Locator) => {
    const boxes = await Promise.all((await pictures.all()).map((one) => one.boundingBox()));
    return boxes.map((box) => [box?.width, box?.height].map((one = 0) => Math.round(one)).join(" x "));
  };
  const sizes = ["50 x 50", "200 x 200", "80 x 80", "540 x 540", "200 x 200"];
  await page.goto(`/documents/${id}`);
  const shown = page.locator("article img");
  await expect.poll(() => sizesOf(shown)).toEqual(sizes);
  expect(await shown.nth(0).getAttribute("alt")).toBe("A square");
  await page.goto(`/documents/${id}?edit`);
  await expect.poll(() => sizesOf(inText())).toEqual(sizes);
  expect(await inText().nth(2).getAttribute("alt")).toBe("Picture");
});

test("a picture that is taken out of the text no longer belongs to the document", async () => {
  const id = await create("Changed my mind", "Words");
  await write(id);
  await paste(content(), [png(2)]);
  await inText().waitFor();
  await expect.poll(() => textOf(id)).toMatch(ID);
  await page.getByRole("button", { name: "Skip" }).click();
  await content().click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("Only words");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("article").getByText("Only words").waitFor();
  await expect.poll(() => filesOf(id)).toEqual([]);
  // Nor when its text has been looked for as often as it is.
  await expect.poll(() => page.evaluate<number>(WAITING)).toBe(0);
  expect(await filesOf(id)).toEqual([]);
});

test("pictures and files that are dropped or chosen stand in the text, and one writes on below them", async () => {
  const chosen = await create("The garden", "Before.");
  await write(chosen);
  await choose(page, page.getByRole("button", { name: "Add pictures or files" }), [png(5)]);
  await inText().waitFor();
  await page.keyboard.type("After.");
  await expect.poll(() => textOf(chosen)).toMatch(/^Before\.\n\n!\[\]\(file:[^)]+\)\n\nAfter\.$/);

  const id = await create("Mixed", "");
  await write(id);
  await drop(content(), [png(3), pdf("contract.pdf"), png(4)]);
  await expect.poll(() => inText().count()).toBe(2);
  await page.getByRole("button", { name: "Skip" }).click();
  await page.getByRole("button", { name: "Done" }).click();
  const article = page.getByRole("article");
  await article.getByRole("button", { name: "contract.pdf" }).waitFor();
  await expect.poll(() => article.getByRole("img").count()).toBe(2);
  await expect.poll(async () => (await filesOf(id)).length).toBe(3);
  await expect.poll(() => textOf(id)).not.toContain("waiting");
});

test("fifty at once are dropped below a text, each with its picture", async () => {
  const id = await create("Holidays", "Fifty pictures");
  await page.goto(`/documents/${id}`);
  const below = page.getByRole("region", { name: "Files" });
  await below.waitFor();
  const fifty = Array.from({ length: 50 }, (_, number) => png(100 + number));
  await drop(below, fifty);
  await expect.poll(async () => (await filesOf(id)).length).toBe(50);
  await expect.poll(() => below.locator("li:not([data-waiting])").count()).toBe(50);
  await expect.poll(async () => (await filesOf(id)).every((file) => file.thumbnails.length === 2)).toBe(true);
  await expect.poll(() => isDrawn(below.locator("img").first())).toBe(true);
  expect(await violations(page)).toEqual([]);
});

test("the viewer shows a picture in any size, goes on to the next, and says where it is used", async () => {
  const id = await create("Album", "");
  await page.goto(`/documents/${id}`);
  await choose(page, page.getByRole("button", { name: "Add files" }), [
    png(200, "first.png", 300),
    png(201, "second.png", 300),
    text("notes.docx", "PK no"),
  ]);
  await page.getByRole("button", { name: /^first\.png/ }).click();
  const viewer = page.getByRole("dialog");
  await viewer.getByRole("heading", { name: "first.png" }).waitFor();
  await expect.poll(() => isDrawn(viewer.getByRole("img"))).toBe(true);
  await viewer.getByRole("link", { name: "Album" }).waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  const width = async () => (await viewer.getByRole("img").boundingBox())?.width ?? 0;
  const whole = await width();
  await page.keyboard.press("+");
  await expect.poll(width).toBeGreaterThan(whole);
  await page.keyboard.press("0");
  await expect.poll(width).toBe(whole);
  const place = await viewer.getByRole("status").innerText();
  await page.keyboard.press(place.startsWith("1") ? "ArrowRight" : "ArrowLeft");
  await viewer.getByRole("heading", { name: "first.png" }).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await viewer.waitFor({ state: "detached" });
  await expect.poll(() => isFocused(page.getByRole("button", { name: /^first\.png/ }))).toBe(true);

  await page.getByRole("button", { name: /^notes\.docx/ }).click();
  await viewer.getByText("files of this type aren’t shown here").waitFor();
  expect(await violations(page)).toEqual([]);
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    viewer.getByRole("button", { name: "Download" }).last().click(),
  ]);
  expect(saved.suggestedFilename()).toBe("notes.docx");
  await page.keyboard.press("Escape");
});

test("a file is renamed, replaced in the text, thrown away and brought back", async () => {
  const id = await create("One picture", "Look:");
  await write(id);
  await paste(content(), [png(300, "old.png")]);
  await inText().waitFor();
  await expect.poll(() => textOf(id)).toMatch(ID);
  const [old] = await filesOf(id);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("article").locator("button[data-file]").click();
  const viewer = page.getByRole("dialog").first();
  await viewer.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Rename…" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("new name.png");
  await page.getByRole("button", { name: "Save" }).click();
  await viewer.getByRole("heading", { name: "new name.png" }).waitFor();
  await viewer.getByRole("button", { name: "More" }).click();
  await choose(page, page.getByRole("menuitem", { name: "Replace…" }), [png(301, "newer.png")]);
  await expect.poll(() => textOf(id)).not.toContain(old?.id);
  const [newer] = await filesOf(id);
  expect(await textOf(id)).toContain(`(file:${newer?.id})`);
  await page.getByRole("article").locator(`[data-file="${newer?.id}"]`).click();
  await viewer.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Move to trash" }).click();
  await page.getByRole("article").getByText("is in the trash").waitFor();
  await page.keyboard.press("u");
  await page.getByRole("article").locator(`[data-file="${newer?.id}"]`).waitFor();
  // The document may be saved at the same moment: then the name is put in once more.
  expect(complaints.filter((one) => !one.includes("412"))).toEqual([]);
});
