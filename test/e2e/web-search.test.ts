import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { violations } from "./app.ts";
import { launch } from "./browser.ts";
import { type Service, startService, temporaryFolder } from "./service.ts";

// Finding things again: search, the palette, the history, and the app without a network.

const OWN = { "Sec-Fetch-Site": "same-origin", "X-Requested-With": "commonplace" };
const HOSTILE = `<img src=x onerror="document.title='owned'"> & <mark>boots</mark> </mark> &lt;b&gt; javascript:alert(1)`;
/** What a person reads of it: its tags are left out where they are markup, and no part of it is ever run. */
const HARMLESS = "& <mark>boots</mark> </mark> <b> javascript:alert(1)";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let complaints: string[];

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

async function send(path: string, data: unknown): Promise<{ id: string | number }> {
  const answer = await context.request.post(service.apiUrl + path, { data, headers: OWN });
  expect(answer.ok(), await answer.text()).toBe(true);
  return answer.json();
}

const document = (title: string, text: string, tags: string[] = []) =>
  send("/api/documents", { title, tags, content: { format: "markdown", text } });
const record = (topic: string, content: string) =>
  send("/api/memories", { memory_type: "commitment", topic, content, project: "Mountains" });

let people = 0;

beforeEach(async () => {
  complaints = [];
  people += 1;
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await send("/api/auth/register", {
    email: `finder-${people}@example.com`,
    password: "a long password",
    session: "cookie",
  });
  page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      complaints.push(`${message.text()} ${message.location().url}`);
    }
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  context.on("request", (request) => {
    if (/^https?:/.test(request.url()) && new URL(request.url()).hostname !== "localhost") {
      complaints.push(`left localhost: ${request.url()}`);
    }
  });
});

afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

const open = (path: string) => page.goto(service.apiUrl + path);
const field = () => page.getByRole("searchbox", { name: "Search documents and records" });

test("a search finds while it is typed, narrows down, and comes back as it was", async () => {
  await document("Packing list", "Passport, boots, rain jacket", ["travel"]);
  await document("Shoes", "The boots need new laces", ["repair"]);
  await record("Buy laces", "For the boots");
  await open("/search");
  await field().pressSequentially("boo");
  await page.getByText("3 results").waitFor();
  await page.getByRole("button", { name: "Tag", exact: true }).click();
  await page.getByRole("menuitem", { name: "travel" }).click();
  await page.getByText("1 result", { exact: true }).waitFor();
  await expect.poll(() => field().inputValue()).toBe("boo tag:travel");
  await page.getByRole("button", { name: "Remove the filter tag: travel" }).click();
  await page.getByText("3 results").waitFor();
  await field().focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/(documents|records)\/[^/]+$/);
  await page.goBack();
  await page.getByText("3 results").waitFor();
  await expect.poll(() => field().inputValue()).toBe("boo");
});

test("a search is narrowed down to documents with open tasks, and says what that leaves out", async () => {
  await document("Market, spring", "- [ ] honey\n- [x] bread", []);
  await document("Market, autumn", "- [x] honey", []);
  await record("Market stall", "honey");
  await open("/search");
  await field().fill("honey");
  await page.getByText("3 results").waitFor();
  await page.getByRole("button", { name: "Tasks", exact: true }).click();
  await page.getByRole("menuitem", { name: "Open", exact: true }).click();
  await page.getByText("1 result", { exact: true }).waitFor();
  await expect.poll(() => field().inputValue()).toBe("honey task:open");
  await page.getByText("Market, spring").waitFor();
  await page.getByText("Only documents are shown, because records have no tasks.").waitFor();
  await page.getByRole("button", { name: "Tasks", exact: true }).click();
  await page.getByRole("menuitem", { name: "All done" }).click();
  await expect.poll(() => field().inputValue()).toBe("honey task:done");
  await page.getByText("Market, autumn").waitFor();
});

test("a slip is corrected, and the word can be searched for as it was written", async () => {
  await document("Packing list", "Passport and boots");
  await open("/search?q=pasport");
  await page.getByText("Showing results for passport").waitFor();
  await page.getByRole("button", { name: "Search instead for “pasport”" }).click();
  await page.getByRole("heading", { name: "Nothing found" }).waitFor();
  await expect.poll(() => field().inputValue()).toBe('"pasport"');
});

test("a document opens at what was found in it, which is marked there", async () => {
  const before = Array.from({ length: 80 }, (_, line) => `Line ${line} of the diary`).join("\n\n");
  await document("Diary", `${before}\n\nThe **heron** came back. Two herons now.`);
  await open("/search?q=heron");
  await page
    .getByRole("main")
    .getByRole("link", { name: /^Diary/ })
    .click();
  const text = page.getByText("The heron came back.");
  await text.waitFor();
  await expect.poll(() => page.evaluate<number>("scrollY")).toBeGreaterThan(500);
  const marked = `[...(CSS.highlights.get("found") ?? [])].map((range) =>
    range.startContainer.textContent.slice(range.startOffset, range.endOffset))`;
  await expect.poll(() => page.evaluate(marked)).toEqual(["heron", "herons"]);
  await page.goBack();
  await page.getByText("1 result", { exact: true }).waitFor();
  expect(await page.evaluate("CSS.highlights.has('found')")).toBe(false);
});

test("where nothing is found, it says what was looked for, and what was typed can be written down", async () => {
  await document("Packing list", "Passport and boots", ["travel"]);
  await open("/search?q=zebra+-lion+tag:travel&type=documents");
  await page.getByText("No results for “zebra” without “lion” with tag travel.").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Search everything" }).click();
  await page.waitForURL((url) => !url.searchParams.has("type"));
  await page.getByRole("link", { name: "Add “zebra” as a record" }).click();
  const entry = page.getByRole("textbox", { name: "New record" });
  await expect.poll(() => entry.inputValue()).toBe("zebra");
  await page.keyboard.press("Enter");
  await page.getByLabel("Notifications").getByText("Saved “zebra”").waitFor();
  await page.getByRole("heading", { name: /^New, no date/ }).waitFor();
  await page.getByLabel("Notifications").getByRole("link", { name: "Show" }).click();
  await page.getByRole("heading", { level: 1, name: "zebra" }).waitFor();
});

test("a hostile text is shown as text", async () => {
  await document(HOSTILE, HOSTILE);
  await open("/search?q=boots");
  const result = page.getByRole("main").getByRole("listitem").filter({ hasText: "javascript:alert(1)" });
  await result.waitFor();
  expect(await result.getByRole("link").textContent()).toContain(HARMLESS);
  expect((await result.textContent())?.split(HARMLESS)).toHaveLength(3);
  expect(await result.locator("img, b").count()).toBe(0);
  expect(await result.locator("mark").allTextContents()).toEqual(["boots"]);
  await page.keyboard.press("Control+k");
  await page.getByRole("menuitem", { name: HARMLESS }).waitFor();
  await expect.poll(() => page.title()).toBe("Search – Commonplace");
});

test("everything is a few keys away", async () => {
  const { id } = await document("Packing list", "Passport, boots, rain jacket");
  await open("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("menuitem", { name: "Packing list" }).waitFor();
  await page.keyboard.type("rain");
  await page.getByRole("menuitem", { name: "Packing list" }).and(page.locator("[data-focused]")).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/documents/${id}`);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("dark");
  await page.getByRole("menuitem", { name: "Dark theme" }).and(page.locator("[data-focused]")).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.locator("html[data-theme=dark]").waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.waitForURL("**/history");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
});

test("what was closed is listed with its note, reopened, and closed again", async () => {
  const { id } = await record("Buy laces", "For the boots");
  await send(`/api/memories/${id}/resolve`, { resolution_note: "Red ones" });
  const now = async () => (await context.request.get(`${service.apiUrl}/api/memories/${id}`)).json();
  const { resolved_at } = await now();
  await open("/history?status=resolved");
  await page.getByText("Red ones").waitFor();
  await page.getByRole("link", { name: "Buy laces" }).press("r");
  await page.getByText("Reopened: Buy laces").waitFor();
  await page.getByRole("heading", { name: "No records match these filters" }).waitFor();
  expect(await now()).toMatchObject({ status: "active", resolution_note: null, resolved_at: null });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Red ones").waitFor();
  const as = { status: "resolved", resolution_note: "Red ones", resolved_at };
  await expect.poll(now).toMatchObject(as);
});

test.each(["light", "dark"] as const)("axe-core finds nothing, %s", async (colorScheme) => {
  await page.emulateMedia({ colorScheme });
  await document("Packing list", "Passport, boots, rain jacket", ["travel"]);
  const { id } = await record("Buy laces", "For the boots");
  await send(`/api/memories/${id}/resolve`, { resolution_note: "Red ones" });
  for (const path of ["/search", "/search?q=boots+tag:travel", "/search?q=zebra", "/history"]) {
    await open(path);
    await page
      .getByRole("main")
      .getByRole("heading", { level: 2 })
      .or(page.getByText("1 result", { exact: true }))
      .or(page.getByText("Red ones"))
      .first()
      .waitFor();
    expect([path, ...(await violations(page))]).toEqual([path]);
  }
});

test("a page that another app shares becomes a document, which is shown first", async () => {
  await open("/share?title=A+page&text=Worth+reading&url=https%3A%2F%2Fexample.com%2Fa");
  await page.waitForURL("**/documents/new?**");
  await page.getByText("Worth reading").waitFor();
  const total = async () => {
    const answer = await context.request.get(`${service.apiUrl}/api/documents`, { headers: OWN });
    return ((await answer.json()) as { total: number }).total;
  };
  expect(await total()).toBe(0);
  await page.getByRole("button", { name: "Done" }).click();
  await expect.poll(total).toBe(1);
});
