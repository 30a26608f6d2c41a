import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Client } from "@modelcontextprotocol/client";
import { build } from "esbuild";
import type { FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Loopback, listen } from "./loopback.ts";
import { connectWith } from "./official-clients.ts";
import { newPerson, type Person, stageFor } from "./stage.ts";

// The view of records and changes, in the official host library (AppBridge of MCP Apps) in Chromium: shown, acted on, and
// read back over the API. npm fetches the library: nothing else needs it.

const LIBRARY = ["@modelcontextprotocol/ext-apps@2.0.4", "@modelcontextprotocol/core@2.4.0"];
/** A host: it shows the page of a tool in a frame without an origin, and passes tool calls on to the service. */
const HOST = `
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
window.open_ = async ({ html, result, theme }) => {
  document.body.innerHTML = "";
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-forms");
  frame.style.cssText = "border:0;width:100%;display:block";
  document.body.append(frame);
  window.calls = [];
  window.told = [];
  const capabilities = { serverTools: {}, updateModelContext: { text: {} } };
  const bridge = new AppBridge(null, { name: "host", version: "1" }, capabilities, { hostContext: { theme } });
  window.bridge = bridge;
  bridge.oncalltool = async (params) => { window.calls.push(params.name); return window.callTool(params); };
  bridge.onupdatemodelcontext = async ({ content }) => { window.told.push(content[0].text); return {}; };
  bridge.onsizechange = ({ height }) => { window.height = height; frame.style.height = height + "px"; };
  const ready = new Promise((done) => { bridge.oninitialized = done; });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
  await ready;
  await bridge.sendToolInput({ arguments: {} });
  await bridge.sendToolResult(result);
};
`;

const VIEW = "ui://commonplace/view";

const stage = stageFor();
let ada: Person;
let client: Client;
let host: Loopback;

const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });

/** The page that tools name. */
async function pageOf() {
  const { contents } = await client.readResource({ uri: VIEW });
  return contents[0] as unknown as { text: string; mimeType: string; _meta: { ui: { csp: object } } };
}

beforeAll(async () => {
  const at = (name: string) => join(stage.folder, "host", name);
  const npm = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts", ...LIBRARY];
  await mkdir(at("."));
  await writeFile(at("package.json"), "{}");
  await writeFile(at("host.js"), HOST);
  await promisify(execFile)("npm", npm, { cwd: at(".") });
  const outfile = at("built.js");
  await build({ entryPoints: [at("host.js")], outfile, bundle: true, format: "iife", logLevel: "silent" });
  const page = `<!doctype html><body style="margin:0"></body><script>${await readFile(outfile, "utf8")}</script>`;
  host = await listen(
    createServer((_, response) => response.writeHead(200, { "Content-Type": "text/html" }).end(page)),
  );
  ada = await newPerson(stage);
  client = (await connectWith("SDK v2 negotiating", stage.service.mcpUrl, ada.token)) as unknown as Client;
});

afterAll(async () => {
  await host?.close();
  await client?.close();
});

type Shown = { page: Page; view: FrameLocator; problems: string[] };

async function show(result: object, { width = 500, theme = "light" } = {}): Promise<Shown> {
  const page = await stage.browser.newPage({ viewport: { width, height: 700 } });
  const problems: string[] = [];
  page.on("pageerror", (problem) => problems.push(problem.message));
  await page.exposeFunction("callTool", (params: { name: string; arguments: Record<string, unknown> }) =>
    call(params.name, params.arguments),
  );
  await page.goto(host.url);
  await page.evaluate(
    (sent) => (globalThis as never as { open_: (sent: object) => Promise<void> }).open_(sent),
    { ...{ html: (await pageOf()).text, result, theme } },
  );
  const view = page.frameLocator("iframe");
  await view.locator("h1").waitFor();
  return { page, view, problems };
}

const record = (id: string) =>
  ada.ask<Record<string, unknown>>("GET", `/api/memories/${id.replace("mem:", "")}`);

async function remember(topic: string, more: object = {}): Promise<string> {
  const content = `${topic}, as agreed with Vega on the phone`;
  const answer = await call("remember", { memory_type: "commitment", topic, content, ...more });
  return (answer.structuredContent as { memory: { id: string } }).memory.id;
}

test("the tools name the page, which is small and asks nothing of any address", async () => {
  const { tools } = await client.listTools();
  const withView = tools.filter(({ _meta }) => _meta).map(({ name }) => name);
  expect(withView.sort()).toEqual(["get_briefing", "list_changes", "list_memories", "undo_changes"]);
  for (const { _meta } of tools.filter((one) => one._meta)) {
    expect(_meta).toMatchObject({ ui: { resourceUri: VIEW }, "openai/outputTemplate": VIEW });
  }
  const { mimeType, text, _meta } = await pageOf();
  expect(mimeType).toBe("text/html;profile=mcp-app");
  expect(text.length).toBeLessThan(60_000);
  expect(text).not.toMatch(/https?:\/\/|src=|@import|fetch\(/);
  expect(_meta.ui.csp).toEqual({ connectDomains: [], resourceDomains: [] });
});

test("the briefing is worked off by mouse and by keyboard, and each step is taken back", async () => {
  const quote = await remember("Quote", { due_date: "2026-01-02" });
  const rent = await remember("Rent", { due_date: "2026-01-03" });
  const { page, view, problems } = await show(await call("get_briefing"));
  const row = (topic: string) => view.locator("li", { hasText: topic });
  await view.getByRole("button", { name: "Done: Quote" }).click();
  await view.getByText("Done: Quote").waitFor();
  expect(await record(quote)).toMatchObject({ status: "resolved" });
  await view.getByRole("button", { name: "Undo: Quote" }).click();
  await view.getByRole("button", { name: "Done: Quote" }).waitFor();
  expect(await record(quote)).toMatchObject({ status: "active" });
  await row("Quote").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("n");
  await page.keyboard.type("01022099");
  await page.keyboard.press("Enter");
  await view.getByText("Rescheduled: Rent").waitFor();
  expect(await record(rent)).toMatchObject({ due_date: "2099-01-02" });
  await page.keyboard.press("u");
  await view.getByRole("button", { name: "Drop: Rent" }).waitFor();
  expect(await record(rent)).toMatchObject({ due_date: "2026-01-03" });
  await page.keyboard.press("x");
  await view.getByText("Dropped: Rent").waitFor();
  expect(await record(rent)).toMatchObject({ status: "archived" });
  const told = await page.evaluate(() => (globalThis as never as { told: string[] }).told);
  expect(told[0]).toContain(`“Done” for ${quote}`);
  expect(problems).toEqual([]);
  await page.close();
});

test("the briefing says what a tool refuses, and takes texts for nothing else", async () => {
  const hostile = "<img src=x onerror=\"parent.postMessage(1,'*')\"><script>alert(1)</script>";
  const id = await remember(hostile);
  await call("close_memories", { ids: [id], outcome: "deleted" });
  const items = [{ id, topic: hostile, content: hostile, memory_type: "blocker" }];
  const given = { content: [], structuredContent: { items, total: 1, today: hostile } };
  const { page, view, problems } = await show(given);
  expect(await view.locator("img, li script").count()).toBe(0);
  await view.getByRole("button", { name: "Still true" }).click();
  await expect.poll(() => view.locator(".message").textContent()).toMatch(/trash/);
  expect(problems).toEqual([]);
  await page.close();
});

const section = (name: string, count: number, more: object) => ({
  ...{ section: name, total: count + 3, has_more: true },
  items: Array.from({ length: count }, (_, place) => ({
    ...{ id: `mem:${place}`, topic: `A topic that is rather long, number ${place}`, project: "Apollo" },
    ...{
      content: "Send what was promised, with all the words that people write about it".repeat(3),
      ...more,
    },
  })),
});

const sections = [
  section("overdue", 3, { due_date: "2026-01-02", days_overdue: 12 }),
  section("due_soon", 4, { due_date: "2026-12-02" }),
  section("stale", 4, { days_stale: 40 }),
];

/** The page that is shown now: within the height, nothing outside of the width, all targets large enough. */
async function checkFit({ page, view }: Shown): Promise<void> {
  const height = await page.evaluate(() => (globalThis as never as { height: number }).height);
  expect(height).toBeLessThanOrEqual(500);
  expect(height).toBeGreaterThan(100);
  const sizes = await view.locator("button").evaluateAll((buttons) =>
    buttons.map((button) => {
      const { width, height, right } = button.getBoundingClientRect();
      const { clientWidth, scrollWidth } = button.ownerDocument.documentElement;
      return [width >= 44, height >= 44, right <= clientWidth, scrollWidth <= clientWidth];
    }),
  );
  expect(new Set(sizes.flat())).toEqual(new Set([true]));
}

test.for([
  { theme: "light", width: 320 },
  { theme: "dark", width: 500 },
  { theme: "light", width: 760 },
])(
  "the briefing fits at $width px in the $theme, without scrolling and with targets of 44 px",
  async ({ theme, width }) => {
    const structuredContent = { today: "2026-11-25 (Wednesday)", sections };
    const shown = await show({ content: [], structuredContent }, { width, theme });
    const { page, view, problems } = shown;
    const seen = new Set<string>();
    const next = view.getByRole("button", { name: "Next" });
    for (let isMore = true; isMore; ) {
      await checkFit(shown);
      for (const title of await view.locator("li").allTextContents()) seen.add(title);
      isMore = (await next.count()) > 0;
      if (isMore) await next.click();
    }
    expect(seen.size).toBe(11);
    const ground = await view
      .locator("body")
      .evaluate((body) => body.ownerDocument.defaultView?.getComputedStyle(body).backgroundColor);
    expect(ground).toBe(theme === "light" ? "rgb(255, 254, 251)" : "rgb(31, 29, 24)");
    expect(problems).toEqual([]);
    await page.close();
  },
);

test("changes are shown with what they changed, and taken back", async () => {
  const id = await remember("Launch", { due_date: "2026-05-01" });
  await call("update_memory", { ids: [id], due_date: "2026-06-01" });
  const { page, view, problems } = await show(await call("list_changes", { record: id }));
  await view.getByText("2026-06-01").first().waitFor();
  await view.getByRole("button", { name: /^Undo/ }).first().click();
  await view.getByText("Undone").first().waitFor();
  expect(await record(id)).toMatchObject({ due_date: "2026-05-01" });
  expect(problems).toEqual([]);
  await page.close();
});

test("an answer of another kind shows nothing, and neither does the page without a host", async () => {
  const page = await stage.browser.newPage();
  await page.setContent((await pageOf()).text);
  expect(await page.locator("main").textContent()).toBe("");
  await page.close();
});
