import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FileList } from "../../src/contract/file.ts";
import { type App, enter, openApp, violations } from "./app.ts";
import { launch } from "./browser.ts";
import { isDrawn, png } from "./own-files.ts";
import { register, type Service, startService, temporaryFolder } from "./service.ts";

// Notes come with their pictures, and all of it goes into another account.

const PASSWORD = "correct horse battery";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let browser: Browser;

beforeAll(async () => {
  folder = await temporaryFolder();
  service = await startService(join(folder.path, "state"));
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await folder?.remove();
});

async function openAs(email: string): Promise<App & { token: string }> {
  const token = await register(service.apiUrl, { email, password: PASSWORD });
  const app = await openApp(browser, service.apiUrl, { acceptDownloads: true });
  await enter(app, { email, password: PASSWORD }, "/settings/transfer");
  return { ...app, token };
}

const choose = ({ page }: App, path: string) =>
  page.locator('input[type="file"]:not([webkitdirectory])').setInputFiles(path);

const filesOf = async (token: string): Promise<FileList> =>
  (await fetch(`${service.apiUrl}/api/files`, { headers: { Authorization: `Bearer ${token}` } })).json();

test("a vault comes with its pictures, says what is missing, and moves on as a whole", async () => {
  const vault = join(folder.path, "vault.zip");
  const picture = png(7, "house.png", 40);
  const note = "# Trip\n\n![[house.png]]\n\n![](gone.png)\n";
  await writeFile(vault, zipSync({ "a/Trip.md": strToU8(note), "a/img/house.png": picture.bytes }));
  const ada = await openAs("ada@example.com");
  await choose(ada, vault);
  await ada.page.getByText("gone.png is missing, so links to it won't work").waitFor();
  await ada.page.getByRole("button", { name: "Import 1 document" }).click();
  await ada.page.getByRole("link", { name: "Trip" }).click();
  const shown = ada.page.getByRole("img", { name: "house.png" }).first();
  await shown.waitFor();
  await expect.poll(() => isDrawn(shown)).toBe(true);

  await ada.page.goto(`${service.apiUrl}/settings/transfer`);
  const everything = ada.page.getByRole("button", { name: "Export everything" });
  await everything.waitFor();
  const [download] = await Promise.all([ada.page.waitForEvent("download"), everything.click()]);
  const zip = join(folder.path, download.suggestedFilename());
  await download.saveAs(zip);
  await ada.close();

  const bob = await openAs("bob@example.com");
  await choose(bob, zip);
  await expect.poll(() => bob.page.getByRole("row", { name: /^Files/ }).innerText()).toMatch(/1\s+0\s+0/);
  expect((await filesOf(bob.token)).total).toBe(0);
  await bob.page.getByRole("button", { name: /^Import \d+ items/ }).click();
  await bob.page.getByRole("heading", { name: "Import finished" }).waitFor();
  expect(await violations(bob.page)).toEqual([]);
  const { items } = await filesOf(bob.token);
  expect(items.map(({ name, document_ids }) => [name, document_ids.length])).toEqual([["house.png", 1]]);
  await bob.page.getByRole("link", { name: "Show the documents" }).click();
  await bob.page.getByRole("link", { name: "Trip" }).first().click();
  const again = bob.page.getByRole("img", { name: "house.png" }).first();
  await again.waitFor();
  await expect.poll(() => isDrawn(again)).toBe(true);
  await bob.close();
});
