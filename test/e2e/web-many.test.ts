import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { enter, openApp } from "./app.ts";
import { launch } from "./browser.ts";
import { createDocuments } from "./many.ts";
import { nightly } from "./nightly.ts";
import { register, type Service, startService, temporaryFolder } from "./service.ts";

// An account of ten thousand documents. How fast its screens are is measured by `npm run bench -- web`.

const COUNT = 10_000;
const ACCOUNT = { email: "ada@example.com", password: "correct horse battery" };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let browser: Browser;

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

nightly("ten thousand documents are listed, scrolled through, and found from the palette", async () => {
  const token = await register(service.apiUrl, ACCOUNT);
  const texts = Array.from({ length: COUNT }, (_, number) => {
    const title = `Document ${String(number).padStart(5, "0")}`;
    return { title, text: number === 4711 ? "The needle in the haystack" : "Hay" };
  });
  await createDocuments(service.apiUrl, token, texts);
  const app = await openApp(browser, service.apiUrl);
  const { page } = app;
  await enter(app, ACCOUNT, "/documents?sort=title");
  const row = (name: string) => page.getByRole("row", { name });
  await row("Document 00000").waitFor();
  // More rows are loaded while it is scrolled: which of them is the last one cannot be foreseen.
  const scrolled = async () => {
    await page.evaluate("document.querySelector('[role=grid]').scrollTo(0, 1e9)");
    const last = await page.getByRole("row").last().innerText();
    return Number(/Document (\d+)/.exec(last)?.[1]);
  };
  await expect.poll(scrolled, { interval: 100 }).toBeGreaterThanOrEqual(299);
  await expect.poll(() => page.getByRole("row").count()).toBeLessThan(80);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Palette" }).locator("input:focus").waitFor();
  await page.keyboard.type("needle");
  await page.getByRole("menuitem", { name: "Document 04711" }).and(page.locator("[data-focused]")).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Document 04711" }).waitFor();
  expect(app.complaints).toEqual([]);
  await app.close();
});
