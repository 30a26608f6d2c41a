import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { Job, JobList } from "../../src/contract/jobs.ts";
import { type App, overflow, violationsInBoth } from "./app.ts";
import type { Ask } from "./ask.ts";
import { createDocuments } from "./many.ts";
import { nightly } from "./nightly.ts";
import { processTree } from "./processes.ts";
import { type Service, until } from "./service.ts";
import { newPerson, openAs, type Person, stageFor } from "./stage.ts";

// Work that takes longer than a request, as the app shows it: to its end, across reloads and tabs.

// A step ends after a few pieces of fifty documents.
const stage = stageFor({ D1_CALLS: "10" });
let app: App & Person;
let page: Page;

beforeEach(async () => {
  app = await openAs(stage);
  page = app.page;
});

/** So many that the work on them takes several steps. */
const MANY = 2000;
const notes = (count: number, tag: string) =>
  Array.from({ length: count }, (_, n) => ({ title: `Note ${n}`, text: `Text ${n}`, tags: [tag] }));

const fill = (count: number, tag: string, { token } = app as Person) =>
  createDocuments(stage.service.apiUrl, token, notes(count, tag));
const totalOf = async (query: string) =>
  (await app.ask<{ total: number }>("GET", `/api/documents?${query}`)).total;

const button = (name: string | RegExp) => page.getByRole("button", { name });
const bar = (of = page) => of.getByRole("complementary", { name: "In progress" });
const progress = (of = page) => bar(of).getByRole("progressbar");
const done = async (of = page) => Number(await progress(of).getAttribute("value"));
const message = (text: string, of = page) =>
  of.getByRole("list", { name: "Notifications" }).getByRole("listitem").filter({ hasText: text });

// Work takes as long as the machine likes. A story that looks at it while it is under way decides itself how long that is.

const newest = async (ask: Ask) => (await ask<JobList>("GET", "/api/jobs?limit=1")).items[0];

/** The tabs of a window hear of the next job only what the service said of it at first, and what it said later when told to. */
async function slowJobs(context: BrowserContext, ask: Ask) {
  /** What the service said of it while it was running, in order. */
  const said: Job[] = [];
  let isOver = false;
  let shown: Job | undefined;
  const before = (await newest(ask))?.id;
  const isNew = (job: Job | undefined): job is Job => job !== undefined && job.id !== before;
  const hear = async () => {
    for (let job: Job | undefined; !isNew(job) || job.state === "running"; job = await newest(ask))
      if (isNew(job) && said.at(-1)?.done !== job.done) said.push(job);
  };
  const heard = hear();
  // The service may be stopped before, in a story that fails.
  heard.catch(() => undefined);
  await context.route(/\/api\/jobs(\/|\?|$)/, async (route) => {
    shown ??= said[0];
    const isAsked = route.request().method() === "GET";
    if (isOver || !isAsked || !shown) return route.fallback();
    const isList = new URL(route.request().url()).pathname.endsWith("/jobs");
    return route.fulfill({ json: isList ? { items: [shown], total: 1 } : shown });
  });
  return {
    /** Lets the tabs hear of more than `done`, as soon as the service has said so. */
    moveOn: (done: number) =>
      until(
        () => {
          shown = said.find((job) => job.done > done) ?? shown;
          return shown !== undefined && shown.done > done;
        },
        () => `The service said no more than ${done}: ${said.map((job) => job.done)}`,
      ),
    /** Lets the tabs get the current state from now on. */
    release: async () => {
      isOver = true;
      await heard;
    },
  };
}

/** Pauses a service, so that requests wait. Returns a function that resumes it. */
function hold({ pid }: Service): () => void {
  const runtimes = processTree(pid).filter(({ command }) => command.includes("workerd serve"));
  for (const one of runtimes) process.kill(one.pid, "SIGSTOP");
  return () => {
    for (const one of runtimes) process.kill(one.pid, "SIGCONT");
  };
}

async function rename(tag: string, to: string): Promise<void> {
  await button(`Actions for the tag ${tag}`).click();
  await page.getByRole("menuitem", { name: "Rename tag…" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill(to);
  await button("Rename").click();
}

test("a tag on many documents is renamed: its progress is found again after a reload and in another tab, and its end is told", async () => {
  await fill(MANY, "todo");
  await page.goto("/documents?tag=todo");
  const slowed = await slowJobs(app.context, app.ask);
  await rename("todo", "later");
  await message('Rename the tag "todo" to "later": this takes a while').waitFor();
  await bar().getByText("of 2,000 documents").waitFor();
  const first = await done();
  await slowed.moveOn(first);
  await page.reload();
  const other = await app.context.newPage();
  await other.goto("/");
  await Promise.all([progress().waitFor(), progress(other).waitFor()]);
  expect(await done()).toBeGreaterThan(first);
  expect(await violationsInBoth(page)).toEqual([]);

  await slowed.release();
  await message("Tag renamed to “later”").waitFor();
  await message("Tag renamed to “later”", other).getByRole("link", { name: "Show" }).click();
  await other.waitForURL("/documents?tag=later");
  await other.getByRole("button", { name: "later 2000 documents", exact: true }).waitFor();
  await expect
    .poll(() => page.getByRole("button", { name: /^(todo|later) \d+ documents?$/ }).allInnerTexts())
    .toEqual([expect.stringMatching(/^later\s+2000\s+documents$/)]);
  await expect.poll(() => bar().count()).toBe(0);
  expect([await totalOf("tag=later"), await totalOf("tag=todo")]).toEqual([MANY, 0]);
  expect(app.complaints).toEqual([]);
});

test("work is cancelled after a question, and what is done stays", async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  await fill(MANY, "later");
  await page.goto("/documents?tag=later");
  // The service stands still from when it has said that this takes a while until it is asked to cancel it.
  let goOn = () => {};
  onTestFinished(() => goOn());
  await page.route("**/api/tags/**", async (route) => {
    const response = await route.fetch();
    goOn = hold(stage.service);
    await route.fulfill({ response });
  });
  await rename("later", "never");
  await bar().getByText("of 2,000 documents").waitFor();
  expect(await overflow(page)).toBe(0);
  await bar()
    .getByRole("button", { name: /^Cancel/ })
    .click();
  await page
    .getByRole("alertdialog")
    .getByText("Documents that are already updated stay that way.")
    .waitFor();
  const cancelled = page.waitForRequest((request) => request.method() === "DELETE");
  await button("Cancel job").click();
  await cancelled;
  goOn();
  await message('Rename the tag "later" to "never": cancelled').waitFor();
  await expect.poll(() => bar().count()).toBe(0);
  const [old, now] = [await totalOf("tag=later"), await totalOf("tag=never")];
  expect(old + now).toBe(MANY);
  expect(Math.min(old, now)).toBeGreaterThan(0);
  await button(`never ${now}`).waitFor();
  expect(app.complaints).toEqual([]);
});

test("a tag on few documents is renamed and removed at once, and both are undone as before", async () => {
  await fill(3, "todo");
  await page.goto("/documents?tag=todo");
  await rename("todo", "later");
  await message("Tag renamed to “later”").getByRole("button", { name: /^Undo/ }).click();
  await expect.poll(() => totalOf("tag=todo")).toBe(3);
  await page.goto("/documents?tag=todo");
  await button("Actions for the tag todo").click();
  await page.getByRole("menuitem", { name: "Remove tag…" }).click();
  await button("Remove").click();
  await message("Tag “todo” removed").getByRole("button", { name: /^Undo/ }).click();
  await expect.poll(() => totalOf("tag=todo")).toBe(3);
  await expect.poll(() => bar().count()).toBe(0);
});

test("a folder with many documents is deleted, and the trash emptied", async () => {
  const { id } = await app.ask<{ id: string }>("POST", "/api/folders", { name: "Attic" });
  for (let from = 0; from < 1000; from += 100) {
    const operations = Array.from({ length: 100 }, (_, n) => ({
      operation: "create",
      title: `Note ${from + n}`,
      folder_id: id,
    }));
    await app.ask("POST", "/api/documents/bulk", { operations });
  }
  await page.goto("/documents");
  const attic = page.getByRole("treegrid").getByRole("row", { name: "Attic" });
  await attic.hover();
  await button("Actions for Attic").click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await button("Move all documents to trash").click();
  await message('Delete the folder "Attic": this takes a while').waitFor();
  await message("Folder deleted").waitFor();
  await attic.waitFor({ state: "detached" });
  expect(await totalOf("limit=1")).toBe(0);

  await page.goto("/documents?view=trash");
  await button("Empty trash").click();
  await page.getByLabel(/^Type “delete”/).fill("delete");
  const question = page.getByRole("alertdialog");
  await question.getByRole("button", { name: "Empty trash" }).click();
  await message("Empty the trash: this takes a while").waitFor();
  await message("Trash emptied").waitFor();
  await page.getByRole("heading", { name: "The trash is empty" }).waitFor();
  expect(app.complaints).toEqual([]);
});

/** An export file of an account with many documents. */
async function exported(): Promise<string> {
  const owner = await newPerson(stage);
  await fill(MANY, "brought", owner);
  const headers = { Authorization: `Bearer ${owner.token}` };
  return (await fetch(`${stage.service.apiUrl}/api/export`, { headers })).text();
}

async function choose(name: string, text: string): Promise<void> {
  const path = join(stage.folder, name);
  await writeFile(path, text);
  await page.goto("/settings/transfer");
  await page.locator('input[type="file"]:not([webkitdirectory])').setInputFiles(path);
}

const IMPORTING = { name: "Importing" };

nightly("an import goes on when its page is closed, is followed to its end, and is cancelled", async () => {
  const text = await exported();
  await choose("all.ndjson", text);
  await button(/^Import 2,?000 items/).click();
  await page.getByText(/^\d[\d,]* of \d[\d,]* lines$/).waitFor();
  await page.reload();
  await page.getByRole("progressbar", IMPORTING).waitFor();
  await page.close();
  page = await app.context.newPage();
  await page.goto("/documents");
  await bar().getByText("Import a file").waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  await message("Import finished").waitFor();
  expect(await totalOf("limit=1")).toBe(MANY);

  await choose("all.ndjson", text);
  await button(/^Items that already exist/)
    .or(button("Keep what’s here"))
    .click();
  await page.getByRole("option", { name: "Keep it, and import everything as copies" }).click();
  await button(/^Import 2,?000 items/).click();
  await page.getByText(/^\d[\d,]* of \d[\d,]* lines$/).waitFor();
  await button("Cancel").click();
  await button("Cancel import").click();
  await message("Import cancelled").waitFor();
  await button("Choose files").waitFor();
  expect((await app.ask<{ items: { state: string }[] }>("GET", "/api/jobs?limit=1")).items[0]?.state).toBe(
    "cancelled",
  );
  expect(await totalOf("limit=1")).toBeLessThan(2 * MANY);
});

test("a file that turns out to be damaged is refused in words", async () => {
  const lines = (await exported()).split("\n");
  await choose("damaged.ndjson", [...lines.slice(0, 2000), "{}", ...lines.slice(2001)].join("\n"));
  await page.getByText(/The file is damaged and nothing was imported/).waitFor();
  await expect.poll(() => bar().count()).toBe(0);
});
