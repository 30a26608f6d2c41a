import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { enter, openApp } from "./app.ts";
import { type Account, launch } from "./browser.ts";
import { register, type Service, startService, temporaryFolder } from "./service.ts";

// Documents whose Markdown was written to stop the page that shows them.

const ADA: Account = { email: "ada@example.com", password: "correct horse battery" };

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

test("a document can be read, and left, whatever is written in it", async () => {
  const token = await register(service.apiUrl, ADA);
  const app = await openApp(browser, service.apiUrl);
  const { page } = app;
  await enter(app, ADA);
  const texts = [
    `zebra [x](#%ff)`,
    `zebra ![x](/api/nothing) ![y](/authorize?client_id=x)`,
    `zebra\n\n${"a\n=\n".repeat(50_000)}`,
    `zebra\n\n${">".repeat(100_000)}`,
    `zebra\n\n${"- a\n".repeat(500)}`,
  ];
  for (const text of texts) {
    const made = await fetch(`${service.apiUrl}/api/documents`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify({ title: "Hostile", content: { format: "markdown", text } }),
    });
    const { id } = (await made.json()) as { id: string };
    await page.goto(`/documents/${id}`);
    await page.getByText("zebra").waitFor();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Documents" }).click();
    await page.waitForURL("**/documents");
  }
  expect(app.complaints.filter((text) => /error:|\/api\/nothing|\/authorize|left/.test(text))).toEqual([]);
  await app.close();
});
