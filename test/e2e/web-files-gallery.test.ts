import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { overflow, violations, violationsInBoth } from "./app.ts";
import { OWN } from "./ask.ts";
import { choose, drop, isDrawn, pdf, png, text } from "./own-files.ts";
import { type AppOfPerson, openAs, phoneOf, stageFor } from "./stage.ts";
import { createDocument, markdown } from "./steps.ts";

// All files of an account: found by kind, thrown away and brought back, on a phone; and files that mean harm.

const stage = stageFor();
let app: AppOfPerson;
let page: Page;

beforeEach(async () => {
  app = await openAs(stage);
  page = app.page;
});

/** A new document. */
const write = (title: string, words = "") => createDocument(app.ask, title, words);

const tiles = () => page.getByRole("list", { name: "Files" }).getByRole("listitem");

test("files are chosen, found by kind, listed, thrown away, restored and downloaded", async () => {
  await page.goto("/files");
  await page.getByText("No files yet").waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  await choose(page, page.getByRole("button", { name: "Add files" }).first(), [
    png(1, "beach.png"),
    pdf("contract.pdf"),
    text("notes.txt", "Plain words"),
  ]);
  await expect.poll(() => tiles().count()).toBe(3);
  await page.getByText("Not used, kept until").first().waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  await page.getByRole("radio", { name: "PDF" }).check({ force: true });
  await expect.poll(() => tiles().count()).toBe(1);
  await page.getByRole("button", { name: /^contract\.pdf/ }).click();
  await page.getByRole("dialog").locator("iframe").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("radio", { name: "All", exact: true }).check({ force: true });
  await page.getByRole("radio", { name: "List", exact: true }).check({ force: true });
  await page.getByRole("button", { name: "Actions for notes.txt" }).click();
  await page.getByRole("menuitem", { name: "Move to trash" }).click();
  await expect.poll(() => tiles().count()).toBe(2);
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Trash", exact: true }).click();
  await page.getByRole("heading", { name: "Files in the trash" }).waitFor();
  await page.getByRole("button", { name: "Actions for notes.txt" }).click();
  await page.getByRole("menuitem", { name: "Restore" }).click();
  await page.getByText("No files in the trash").waitFor();
  await page.getByRole("button", { name: "All files" }).click();
  await expect.poll(() => tiles().count()).toBe(3);
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download all" }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe("files.zip");
  expect(app.complaints).toEqual([]);
});

test("a resolved bill has its receipt", async () => {
  const record = { memory_type: "commitment", topic: "Pay the gas bill", content: "By bank transfer" };
  const { id } = await app.ask<{ id: number }>("POST", "/api/memories", record);
  await app.ask("POST", `/api/memories/${id}/resolve`, {});
  await page.goto(`/records/${id}`);
  const below = page.getByRole("region", { name: "Files" });
  await below.waitFor();
  await drop(below, [png(2, "receipt.png")]);
  await below.getByRole("button", { name: /^receipt\.png/ }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.goto("/files?look=list");
  await page.getByRole("link", { name: "Pay the gas bill" }).click();
  await page.getByRole("heading", { name: "Pay the gas bill", level: 1 }).waitFor();
});

test("on a phone a photograph is taken into a text, and nothing scrolls sideways", async () => {
  const path = `/documents/${await write("Letter")}?edit`;
  const { page } = await openAs(stage, path, { person: app, ...phoneOf() });
  await page.locator(".cm-content").waitFor();
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Take a photo" }).tap(),
  ]);
  expect(await chooser.element().getAttribute("capture")).toBe("environment");
  const { name, type, bytes } = png(3, "image.jpg", 64);
  await chooser.setFiles([{ name, mimeType: type, buffer: bytes }]);
  await expect.poll(() => isDrawn(page.locator(".live-picture img"))).toBe(true);
  expect(await overflow(page)).toBe(0);
  await page.getByRole("button", { name: "Skip" }).tap();
  await page.getByRole("button", { name: "Done" }).tap();
  await page.getByRole("article").locator("button[data-file]").tap();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).waitFor();
  expect(await overflow(page)).toBe(0);
  expect(await violations(page)).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).tap();
  await page.goto("/files");
  await page.getByRole("list", { name: "Files" }).waitFor();
  expect(await overflow(page)).toBe(0);
  expect(await violations(page)).toEqual([]);
});

test("a service without a bucket says so in one sentence, and shows nothing of files", async () => {
  await write("Without files", "Words");
  const why = "This service does not store files. Its operator can add a bucket";
  await page.route("**/api/files?*", (route) => route.fulfill({ status: 501, json: { detail: why } }));
  await page.goto("/files");
  await page.getByText(why).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Documents" }).click();
  await page.getByText("Without files").first().click();
  await page.getByRole("heading", { name: "Without files", level: 1 }).waitFor();
  await page.keyboard.press("e");
  await page.locator(".cm-content").waitFor();
  expect(await page.getByRole("button", { name: "Add pictures or files" }).count()).toBe(0);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("article").getByText("Words").waitFor();
  expect(await page.getByRole("region", { name: "Files" }).count()).toBe(0);
  expect(app.complaints.filter((one) => one.startsWith("501"))).toHaveLength(1);
});

const SCRIPT = "<script>window.ran = true; alert(1)</script>";
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="window.ran = true">${SCRIPT}</svg>`;

test("a file that means harm is shown as a name, and runs nothing", async () => {
  const id = await write("Hostile");
  const hostile = [
    text("page.html", `<html>${SCRIPT}</html>`, "text/html"),
    text("drawing.svg", SVG, "image/svg+xml"),
    text("photo.png", `<html> ${SCRIPT}</html>`, "image/png"),
    text("../../etc/pass\u202egpj.exe", "MZ", "image/jpeg"),
  ];
  const made: { id: string; name: string }[] = [];
  for (const { name, type, bytes } of hostile) {
    const answer = await app.context.request.post(`/api/files?document_id=${id}`, {
      headers: {
        ...{ ...OWN, "Content-Type": type },
        "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      },
      data: bytes,
    });
    expect(answer.status(), await answer.text()).toBe(201);
    made.push(await answer.json());
  }
  const shown = made.map((file) => `![${SCRIPT}](file:${file.id})`).join("\n\n");
  await app.ask("PUT", `/api/documents/${id}`, { content: markdown(shown) });
  await page.goto(`/documents/${id}`);
  const named = page.getByRole("article").locator("button[data-file]");
  await expect.poll(() => named.count()).toBe(4);
  expect(await page.getByRole("article").getByRole("img").count()).toBe(0);
  await named.first().click();
  await page.getByText("files of this type aren’t shown here").waitFor();
  await page.keyboard.press("Escape");
  await page.goto("/files");
  await page
    .getByRole("button", { name: /page\.html/ })
    .first()
    .waitFor();
  expect(await page.getByRole("list", { name: "Files" }).innerText()).not.toContain("\u202e");
  for (const file of made) {
    const saved = page.waitForEvent("download");
    await page.evaluate(`location.assign("/api/files/${file.id}")`);
    await (await saved).cancel();
  }
  expect(await page.evaluate("window.ran")).toBeUndefined();
  expect(app.complaints).toEqual([]);
});
