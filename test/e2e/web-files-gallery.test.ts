import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { type App, enter, openApp, overflow, violations, violationsInBoth } from "./app.ts";
import { type Ask, askWith, OWN } from "./ask.ts";
import type { Account } from "./browser.ts";
import { choose, drop, isDrawn, pdf, png, text } from "./own-files.ts";
import { register } from "./service.ts";
import { stageFor } from "./stage.ts";

// All files of an account: found by kind, thrown away and brought back, on a phone; and files that mean harm.

const stage = stageFor();
let account: Account;
let app: App;
let page: Page;
let ask: Ask;

let people = 0;

beforeEach(async () => {
  people += 1;
  account = { email: `person-${people}@example.com`, password: "correct horse battery" };
  ask = askWith(stage.service.apiUrl, await register(stage.service.apiUrl, account));
  app = await openApp(stage.browser, stage.service.apiUrl);
  page = app.page;
  await enter(app, account);
  return () => app.close();
});

const tiles = () => page.getByRole("list", { name: "Files" }).getByRole("listitem");

test("files are chosen, found by kind, listed, thrown away, restored and erased", async () => {
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
  const { id } = await ask<{ id: number }>("POST", "/api/memories", record);
  await ask("POST", `/api/memories/${id}/resolve`, {});
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
  const content = { format: "markdown", text: "" };
  const { id } = await ask<{ id: string }>("POST", "/api/documents", { title: "Letter", content });
  const phone = await openApp(stage.browser, stage.service.apiUrl, {
    ...{ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  });
  await enter(phone, account, `/documents/${id}?edit`);
  await phone.page.locator(".cm-content").waitFor();
  const [chooser] = await Promise.all([
    phone.page.waitForEvent("filechooser"),
    phone.page.getByRole("button", { name: "Take a photo" }).tap(),
  ]);
  expect(await chooser.element().getAttribute("capture")).toBe("environment");
  const { name, type, bytes } = png(3, "image.jpg", 64);
  await chooser.setFiles([{ name, mimeType: type, buffer: bytes }]);
  await expect.poll(() => isDrawn(phone.page.locator(".live-picture img"))).toBe(true);
  expect(await overflow(phone.page)).toBe(0);
  await phone.page.getByRole("button", { name: "Skip" }).tap();
  await phone.page.getByRole("button", { name: "Done" }).tap();
  await phone.page.getByRole("article").locator("button[data-file]").tap();
  await phone.page.getByRole("dialog").getByRole("button", { name: "Close" }).waitFor();
  expect(await overflow(phone.page)).toBe(0);
  expect(await violations(phone.page)).toEqual([]);
  await phone.page.getByRole("dialog").getByRole("button", { name: "Close" }).tap();
  await phone.page.goto("/files");
  await phone.page.getByRole("list", { name: "Files" }).waitFor();
  expect(await overflow(phone.page)).toBe(0);
  expect(await violations(phone.page)).toEqual([]);
  await phone.close();
});

test("a service without a bucket says so in one sentence, and shows nothing of files", async () => {
  const content = { format: "markdown", text: "Words" };
  await ask("POST", "/api/documents", { title: "Without files", content });
  const bare = await openApp(stage.browser, stage.service.apiUrl);
  const why = "This service does not store files. Its operator can add a bucket";
  await bare.page.route("**/api/files?*", (route) => route.fulfill({ status: 501, json: { detail: why } }));
  await enter(bare, account, "/files");
  await bare.page.getByText(why).waitFor();
  expect(await violations(bare.page)).toEqual([]);
  await bare.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Documents" }).click();
  await bare.page.getByText("Without files").first().click();
  await bare.page.getByRole("heading", { name: "Without files", level: 1 }).waitFor();
  await bare.page.keyboard.press("e");
  await bare.page.locator(".cm-content").waitFor();
  expect(await bare.page.getByRole("button", { name: "Add pictures or files" }).count()).toBe(0);
  await bare.page.getByRole("button", { name: "Done" }).click();
  await bare.page.getByRole("article").getByText("Words").waitFor();
  expect(await bare.page.getByRole("region", { name: "Files" }).count()).toBe(0);
  expect(bare.complaints.filter((one) => one.startsWith("501"))).toHaveLength(1);
  await bare.close();
});

const SCRIPT = "<script>window.ran = true; alert(1)</script>";
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="window.ran = true">${SCRIPT}</svg>`;

test("a file that means harm is shown as a name, and runs nothing", async () => {
  const { id } = await ask<{ id: string }>("POST", "/api/documents", {
    title: "Hostile",
    content: { text: "" },
  });
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
  await ask("PUT", `/api/documents/${id}`, { content: { format: "markdown", text: shown } });
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
