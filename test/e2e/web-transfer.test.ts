import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { strToU8, zipSync } from "fflate";
import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import type { FileList } from "../../src/contract/file.ts";
import { type App, enter, IDLE, overflow, violations } from "./app.ts";
import { isDrawn, png } from "./own-files.ts";
import { newPerson, openAs, type Person, stageFor } from "./stage.ts";

// A person brings their notes and takes everything away again.

const stage = stageFor();
let app: App & Person;
let page: Page;
let accounts = 0;

/** A window of a new account. */
async function openNew(): Promise<void> {
  accounts += 1;
  app = await openAs(stage, "/settings/transfer");
  page = app.page;
}

beforeEach(openNew);

const get = <Answer>(path: string) => app.ask<Answer>("GET", path);
const totalOf = async (path: string) => (await get<{ total: number }>(path)).total;

type Documents = { total: number; items: { title: string; tags: string[]; folder_id: string | null }[] };
const documents = () => get<Documents>("/api/documents?limit=100&sort=title&order=asc");
/** Writes files below a fresh folder and answers its path. */
async function disk(files: Record<string, string | Uint8Array>): Promise<string> {
  const root = join(stage.folder, `disk${accounts}`, "notes");
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

const chooseFolder = (path: string) => page.locator("input[webkitdirectory]").setInputFiles(path);
const chooseFiles = (...paths: string[]) =>
  page.locator('input[type="file"]:not([webkitdirectory])').setInputFiles(paths);

const summary = () => page.getByRole("list", { name: "What will happen" });
const button = (name: string | RegExp) => page.getByRole("button", { name });

test("a folder becomes documents, says first what would happen, and is never imported twice", async () => {
  const long = "long ".repeat(120).trim();
  const notes = await disk({
    "soup.md": "---\ntitle: Soup\ntags: [food]\ncreated: 2020-01-02\n---\nWater and salt.",
    "deep/er/plan.md": "# The plan\n\nFirst things first.",
    "plain.txt": "just text",
    "long.md": `---\ntitle: ${long}\n---\n`,
    "large.md": "x".repeat(1024 * 1024 + 1),
    "latin.txt": new Uint8Array([0xe9, 0x74, 0xe9]),
    "photo.png": "not a text",
    ".obsidian/app.json": "{}",
    ".obsidian/more.md": "hidden",
  });
  await chooseFolder(notes);
  await summary().waitFor();
  const text = await summary().innerText();
  expect(text.replace(/\s+/g, " ")).toContain("5 new documents 3 new folders");
  expect(text).toMatch(/left out: 1 hidden, 1 not supported \(\.png\)/);
  expect(text).toContain("is larger than 1 MiB");
  expect(text).toContain("is not UTF-8");
  await page.getByText("was cut to 500").waitFor();
  expect(await totalOf("/api/documents")).toBe(0);
  expect(await violations(page)).toEqual([]);

  await page.getByLabel("Into folder").fill("Inbox/2026");
  await page.getByLabel("Tags for every document").fill("brought, #new");
  await page.getByLabel("Tags for every document").press("Tab");
  await page.getByText("new folders").waitFor();
  await button("Import 5 documents").click();
  await page.getByRole("heading", { name: "Import finished, except for the items below" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("link", { name: "plan", exact: true }).waitFor();
  const { items } = await documents();
  expect(items.map(({ title }) => title).sort()).toEqual(
    ["Soup", "plan", long.slice(0, 500), "plain", "latin"].sort(),
  );
  expect(items.find(({ title }) => title === "Soup")?.tags).toEqual(["brought", "new", "food"]);
  const folders = await get<{ items: { name: string }[] }>("/api/folders");
  expect(folders.items.map(({ name }) => name).sort()).toEqual(["2026", "Inbox", "deep", "er", "notes"]);
  // What has arrived is unfolded.
  const tree = page.getByRole("treegrid", { name: "Folders" });
  await tree.getByRole("row", { name: "deep" }).waitFor();
  expect(await tree.getByRole("row", { name: "er", exact: true }).count()).toBe(0);

  await button("Done").click();
  await writeFile(join(notes, "soup.md"), "---\ntitle: Soup\n---\nWater, salt and leek.");
  await chooseFolder(notes);
  await page.getByLabel("Into folder").fill("Inbox/2026");
  await page.getByLabel("Tags for every document").fill("brought, new");
  await page.getByLabel("Tags for every document").press("Tab");
  await summary().getByText("skipped: already there and unchanged").waitFor();
  expect((await summary().innerText()).replace(/\s+/g, " ")).toMatch(/^1 to update.* 4 skipped/);
  await button("Import 1 document").click();
  await page.getByRole("heading", { name: /^Import finished/ }).waitFor();
  expect(await totalOf("/api/documents")).toBe(5);
  // A folder with nothing but folders leads to them.
  await tree.getByRole("row", { name: "Inbox" }).click();
  await page.getByRole("main").getByRole("link", { name: "2026" }).click();
  await page.getByRole("main").getByRole("link", { name: "notes" }).click();
  await page.getByRole("row", { name: "Soup" }).waitFor();
  expect(app.complaints).toEqual([]);
});

/** Keeps what reads the queue of imports waiting, as a busy disk does, until `letGo` is called on the page. */
const HOLD_QUEUE = `new Promise((resolve) => {
  let isHeld = true;
  window.letGo = () => { isHeld = false; };
  indexedDB.open("commonplace-import").onsuccess = ({ target }) => {
    const store = target.result.transaction("queue", "readwrite").objectStore("queue");
    const hold = () => {
      store.get("").onsuccess = () => isHeld && hold();
      resolve();
    };
    hold();
  };
})`;

test("an import goes on after a reload, on any screen, writes everything once, and is known before another is chosen", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 350 }, (_, n) => [`${n % 7}/${n}.md`, `# Note ${n}\n\ntext ${n}`]),
  );
  const notes = await disk(files);
  await chooseFolder(notes);
  await button("Import 350 documents").waitFor();
  // The second batch is written, and its answer never arrives. The next one waits until the import is seen to continue.
  const { promise: seen, resolve: goOn } = Promise.withResolvers<void>();
  let batches = 0;
  await page.route("**/api/documents/bulk", async (route) => {
    batches++;
    if (batches === 2) {
      const url = route.request().url();
      const headers = await route.request().allHeaders();
      await page.context().request.post(url, { headers, data: route.request().postData() ?? "" });
      await page.goto("/history");
      return;
    }
    if (batches === 3) await seen;
    await route.continue();
  });
  await button("Import 350 documents").click();
  await page.getByText(/Importing: \d+ of 350/).waitFor();
  goOn();
  await page.getByText("Imported 350 documents").waitFor();
  expect(await totalOf("/api/documents")).toBe(350);
  expect(await totalOf("/api/folders")).toBe(8);
  const other = await page.context().newPage();
  await other.goto("/history");
  await other.evaluate(HOLD_QUEUE);
  await page.goto("/settings/transfer");
  await page.getByRole("heading", { name: "Export", exact: true }).waitFor();
  await page.evaluate(IDLE);
  expect(await page.locator('input[type="file"]').count()).toBe(0);
  await other.evaluate("letGo()");
  await page.getByRole("heading", { name: "Import finished" }).waitFor();
  await button("Done").click();
  await button("Choose files…").waitFor();
  await chooseFolder(notes);
  await page.getByText("Everything is already there and unchanged").waitFor();
  expect(await totalOf("/api/documents")).toBe(350);
});

/** Another account imports in this browser, and leaves it to the person again. */
async function importAsAnother(file: string): Promise<void> {
  await app.context.clearCookies();
  await enter(app, await newPerson(stage), "/settings/transfer");
  await chooseFiles(file);
  await button("Import 1 document").click();
  await page.getByRole("heading", { name: "Import finished" }).waitFor();
  await button("Done").click();
  await app.context.clearCookies();
  await enter(app, app, "/settings/transfer");
}

test("an import is stopped, kept while another account imports, and continued", async () => {
  const notes = await disk(
    Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`${n}.md`, `# Note ${n}`])),
  );
  await chooseFolder(notes);
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  let batches = 0;
  await page.route("**/api/documents/bulk", async (route) => {
    if (++batches === 2) await held;
    await route.continue().catch(() => {});
  });
  await button("Import 250 documents").click();
  await page.getByText("100 of 250").waitFor();
  await button("Stop").click();
  await page.getByText("Stopped at 100 of 250").waitFor();
  letGo();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.reload();
  await page.getByText("Stopped at 100 of 250").waitFor();
  await importAsAnother(join(await disk({ "hers.md": "# Hers" }), "hers.md"));
  await page.getByText("Stopped at 100 of 250").waitFor();
  await button("Continue").click();
  await page.getByRole("heading", { name: "Import finished" }).waitFor();
  expect(await totalOf("/api/documents")).toBe(250);
});

test("folders and files are dropped, lines of JSON chosen and wrong ones named, all on a narrow phone", async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  const notes = await disk({
    [`deep/${"a-very-long-name-without-spaces".repeat(4)}.md`]: "# The plan",
    "c.md": "x".repeat(1024 * 1024 + 1),
    "photo.png": "no text",
    ".git/HEAD.md": "hidden",
    "../loose.md": "# Loose",
    "../lines.jsonl":
      '{"id": 1, "title": "First", "text": "one", "tags": ["x"]}\nnot json\n{"text": "second words"}',
  });
  const box = await page.getByText("Drop a folder or files here").boundingBox();
  const browserSide = await app.context.newCDPSession(page);
  const data = { items: [], files: [notes, join(notes, "..", "loose.md")], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    const place = { x: (box?.x ?? 0) + 5, y: (box?.y ?? 0) + 5 };
    await browserSide.send("Input.dispatchDragEvent", { type, ...place, data });
  }
  await summary().getByText("left out: 1 hidden, 1 not supported (.png)").waitFor();
  await summary().getByText("new documents").click();
  expect(await overflow(page)).toBe(0);
  await button("Import 2 documents").click();
  await page.getByRole("heading", { name: /^Import finished/ }).waitFor();
  expect(await overflow(page)).toBe(0);

  await button("Done").click();
  await chooseFiles(join(notes, "..", "lines.jsonl"));
  await summary().waitFor();
  expect((await summary().innerText()).replace(/\s+/g, " ")).toMatch(/2 new documents.*line 2: is not JSON/);
  await button("Import 2 documents").click();
  await page.getByRole("heading", { name: /^Import finished/ }).waitFor();
  const { items } = await documents();
  expect(items.map(({ title }) => title)).toEqual(["First", "Loose", "second words", "The plan"]);
});

test("everything is exported with one click, and comes back into another account, even in two visits", async () => {
  // Few words and long ones, which are indexed sooner than many.
  const text = `${"allworkandnoplay".repeat(4)} `.repeat(10_000);
  for (let n = 0; n < 8; n++)
    await app.ask("POST", "/api/documents", { title: `Large ${n}`, content: { text } });
  await app.ask("POST", "/api/memories", { memory_type: "decision", topic: "Stay", content: "We stay." });
  // The session ended meanwhile: the sign-in comes first, and then the export, not a file that says "401".
  await app.context.clearCookies();
  await button("Export everything").click();
  await page.getByLabel("Password").fill(app.password);
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
  const file = join(stage.folder, download.suggestedFilename());
  expect(download.suggestedFilename()).toMatch(/^commonplace-\d{4}-\d\d-\d\d\.zip$/);
  await download.saveAs(file);

  await openNew();
  await chooseFiles(file);
  await page.getByRole("table").waitFor();
  await expect.poll(() => page.getByRole("row", { name: /^Documents/ }).innerText()).toMatch(/8\s+0\s+0/);
  expect(await violations(page)).toEqual([]);
  expect(await totalOf("/api/documents")).toBe(0);
  expect(await totalOf("/api/import")).toBe(0);
  // The network goes away after the first part.
  await page.route("**/api/import/*", (route) =>
    route.request().method() === "POST" ? route.abort() : route.continue(),
  );
  await button(/^Import \d+ items/).click();
  await page.getByText(/continues automatically/).waitFor();
  await page.reload();
  await page.getByText(/of 5\.\d MB received/).waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  expect(await violations(page)).toEqual([]);
  await page.getByRole("list", { name: "Unfinished imports" }).locator("input").setInputFiles(file);
  // The service imports large texts in turns with other requests: beside another test, it takes long.
  await page.getByRole("heading", { name: "Import finished" }).waitFor();
  expect(await totalOf("/api/documents")).toBe(8);
  expect(await totalOf("/api/memories")).toBe(1);
});

/** An export file of an account with one record. */
async function exported(): Promise<string> {
  const owner = await newPerson(stage);
  await owner.ask("POST", "/api/memories", { memory_type: "decision", topic: "Stay", content: "We stay." });
  const headers = { Authorization: `Bearer ${owner.token}` };
  const file = await (await fetch(`${stage.service.apiUrl}/api/export`, { headers })).text();
  return join(await disk({ "export.ndjson": file }), "export.ndjson");
}

/** With "*" for its size, the service does not know that it has the whole file, as when it stopped at that moment. */
const withoutItsEnd = (range: string) => range.replace(/\d+$/, "*");

test("an import that stopped when all of its file had arrived goes on", async () => {
  await page.route("**/api/import?*", (route) => {
    const { "content-range": range = "", ...headers } = route.request().headers();
    const isCheck = route.request().url().includes("dry_run=true");
    return route.continue(isCheck ? {} : { headers: { ...headers, "content-range": withoutItsEnd(range) } });
  });
  await page.route("**/api/import/*", (route) =>
    route.request().method() === "POST" ? route.abort() : route.continue(),
  );
  await chooseFiles(await exported());
  await button(/^Import \d+ items?$/).click();
  await page.getByText(/continues automatically/).waitFor();
  await page.reload();
  await page.getByText(/continues automatically/).waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  // The pauses between its attempts grow to half a minute; a network that is back ends them.
  await page.evaluate("dispatchEvent(new Event('online'))");
  await page.getByRole("heading", { name: "Import finished" }).waitFor();
  expect(await totalOf("/api/memories")).toBe(1);
});

test("an import that another browser began goes on with its file, and with no other", async () => {
  const file = await exported();
  const bytes = await readFile(file);
  await fetch(`${stage.service.apiUrl}/api/import`, {
    method: "POST",
    headers: {
      "Content-Type": "application/x-ndjson",
      "Content-Range": `bytes 0-${bytes.length - 1}/*`,
      Authorization: `Bearer ${app.token}`,
    },
    body: bytes,
  });
  await page.reload();
  const unfinished = page.getByRole("list", { name: "Unfinished imports" });
  await unfinished.locator("input").setInputFiles(join(await disk({ "no.ndjson": "{}" }), "no.ndjson"));
  await unfinished.getByRole("alert").getByText("This is a different file.").waitFor();
  await unfinished.locator("input").setInputFiles(file);
  await page.getByRole("heading", { name: "Import finished" }).waitFor();
  expect(await totalOf("/api/memories")).toBe(1);
});

test("a vault comes with its pictures, says what is missing, and moves on as a whole", async () => {
  const vault = join(stage.folder, "vault.zip");
  const picture = png(7, "house.png", 40);
  const note = "# Trip\n\n![[house.png|120]]\n\n![](gone.png)\n";
  await writeFile(vault, zipSync({ "a/Trip.md": strToU8(note), "a/img/house.png": picture.bytes }));
  const isShown = async () => {
    const shown = page.getByRole("img", { name: "house.png" }).first();
    await shown.waitFor();
    await expect.poll(() => isDrawn(shown)).toBe(true);
    expect((await shown.boundingBox())?.width).toBe(120);
  };
  await chooseFiles(vault);
  await page.getByText("gone.png is missing, so links to it won't work").waitFor();
  await summary().getByText("file that belongs to them").waitFor();
  await button("Import 1 document").click();
  await page.getByText("Imported 1 document and 1 file").waitFor();
  await page.getByRole("link", { name: "Trip" }).click();
  await isShown();

  // A note that is already there is not imported again, and a new one takes the picture that is already there.
  await page.goto("/settings/transfer");
  await button("Done").click();
  await chooseFiles(vault);
  await page.getByText("Nothing to import. Everything is already there and unchanged.").waitFor();
  await button("Choose other files").click();
  const more = join(stage.folder, "more.zip");
  await writeFile(
    more,
    zipSync({ "a/Again.md": strToU8("![[house.png]]\n"), "a/img/house.png": picture.bytes }),
  );
  await chooseFiles(more);
  await button("Import 1 document").click();
  await page.getByText("Imported 1 document", { exact: true }).waitFor();
  expect(await totalOf("/api/files")).toBe(1);

  await page.goto("/settings/transfer");
  const [download] = await Promise.all([page.waitForEvent("download"), button("Export everything").click()]);
  const zip = join(stage.folder, `all-${download.suggestedFilename()}`);
  await download.saveAs(zip);
  await page.getByRole("link", { name: "Undo in Activity" }).click();
  await button("Undo all by an import").click();
  await page.getByRole("alertdialog").getByRole("button", { name: /^Undo/ }).click();
  for (const path of ["/api/documents", "/api/folders"]) await expect.poll(() => totalOf(path)).toBe(0);

  await openNew();
  await chooseFiles(zip);
  await expect.poll(() => page.getByRole("row", { name: /^Files/ }).innerText()).toMatch(/1\s+0\s+0/);
  expect(await totalOf("/api/files")).toBe(0);
  await button(/^Import \d+ items/).click();
  await page.getByRole("heading", { name: "Import finished" }).waitFor();
  expect(await violations(page)).toEqual([]);
  const { items } = await get<FileList>("/api/files");
  expect(items.map(({ name, document_ids }) => [name, document_ids.length])).toEqual([["house.png", 2]]);
  await page.getByRole("link", { name: "Show the documents" }).click();
  await page.getByRole("link", { name: "Trip" }).first().click();
  await isShown();
});
