import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch } from "./browser.ts";
import { register, type Service, startService, temporaryFolder } from "./service.ts";

// The view of records and changes, in the official host library (AppBridge of MCP Apps) in Chromium: shown, acted on, and
// read back over the API. npm fetches the library: nothing else needs it.

const LIBRARY = ["@modelcontextprotocol/ext-apps@2.0.4", "@modelcontextprotocol/core@2.4.0"];
const ADA = { email: "ada@example.com", password: "correct horse battery staple" };
const PICTURES = process.env.VIEW_PICTURES;

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

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let token: string;
let browser: Browser;
let server: Server;
let host: string;

async function rpc(method: string, params: object): Promise<Record<string, unknown>> {
  const name = (params as { name?: string; uri?: string }).name ?? (params as { uri?: string }).uri;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "host", version: "1" },
  };
  const response = await fetch(`${service.mcpUrl}/mcp`, {
    method: "POST",
    headers: {
      ...{ Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...{ Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28" },
      ...{ "Mcp-Method": method, ...(name && { "Mcp-Name": name }) },
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
  const text = await response.text();
  const data =
    text
      .split("\n")
      .findLast((line) => line.startsWith("data: "))
      ?.slice(6) ?? text;
  return (JSON.parse(data) as { result: Record<string, unknown> }).result;
}

const call = (name: string, args: object = {}) => rpc("tools/call", { name, arguments: args });

beforeAll(async () => {
  folder = await temporaryFolder();
  const npm = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts", ...LIBRARY];
  await mkdir(join(folder.path, "host"));
  await writeFile(join(folder.path, "host", "package.json"), "{}");
  await writeFile(join(folder.path, "host", "host.js"), HOST);
  [service, browser] = await Promise.all([startService(join(folder.path, "state")), launch()]);
  await promisify(execFile)("npm", npm, { cwd: join(folder.path, "host") });
  const script = join(folder.path, "host", "built.js");
  const entry = join(folder.path, "host", "host.js");
  await build({ entryPoints: [entry], outfile: script, bundle: true, format: "iife", logLevel: "silent" });
  const page = `<!doctype html><body style="margin:0"></body><script>${await readFile(script, "utf8")}</script>`;
  server = createServer((_, response) => response.writeHead(200, { "Content-Type": "text/html" }).end(page));
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  token = await register(service.apiUrl, ADA);
});

afterAll(async () => {
  server?.close();
  await browser?.close();
  await service?.stop();
  await folder?.remove();
});

type Shown = { page: Page; view: FrameLocator; problems: string[] };

async function show(result: object, { width = 500, theme = "light" } = {}): Promise<Shown> {
  const { contents } = (await rpc("resources/read", { uri: "ui://commonplace/view" })) as {
    contents: { text: string }[];
  };
  const page = await browser.newPage({ viewport: { width, height: 700 } });
  const problems: string[] = [];
  page.on("pageerror", (problem) => problems.push(problem.message));
  await page.exposeFunction("callTool", (params: { name: string; arguments: object }) =>
    call(params.name, params.arguments),
  );
  await page.goto(host);
  await page.evaluate(
    (sent) => (globalThis as never as { open_: (sent: object) => Promise<void> }).open_(sent),
    {
      ...{ html: contents[0]?.text ?? "", result, theme },
    },
  );
  const view = page.frameLocator("iframe");
  await view.locator("h1").waitFor();
  return { page, view, problems };
}

const record = async (id: string) => {
  const response = await fetch(`${service.apiUrl}/api/memories/${id.replace("mem:", "")}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  return (await response.json()) as Record<string, unknown>;
};

async function remember(topic: string, more: object = {}): Promise<string> {
  const content = `${topic}, as agreed with Vega on the phone`;
  const { structuredContent } = (await call("remember", {
    ...{ memory_type: "commitment", topic, content, ...more },
  })) as { structuredContent: { memory: { id: string } } };
  return structuredContent.memory.id;
}

test("the tools name the page, which is small and asks nothing of any address", async () => {
  const { tools } = (await rpc("tools/list", {})) as {
    tools: { name: string; _meta?: Record<string, unknown> }[];
  };
  const withView = tools.filter(({ _meta }) => _meta).map(({ name }) => name);
  expect(withView.sort()).toEqual(["get_briefing", "list_changes", "list_memories", "undo_changes"]);
  for (const { _meta } of tools.filter((one) => one._meta)) {
    expect(_meta).toMatchObject({
      ui: { resourceUri: "ui://commonplace/view" },
      "openai/outputTemplate": "ui://commonplace/view",
    });
  }
  const { contents } = (await rpc("resources/read", { uri: "ui://commonplace/view" })) as {
    contents: { text: string; mimeType: string; _meta: { ui: { csp: object } } }[];
  };
  expect(contents[0]?.mimeType).toBe("text/html;profile=mcp-app");
  expect(contents[0]?.text.length).toBeLessThan(60_000);
  expect(contents[0]?.text).not.toMatch(/https?:\/\/|src=|@import|fetch\(/);
  expect(contents[0]?._meta.ui.csp).toEqual({ connectDomains: [], resourceDomains: [] });
});

describe("the briefing, in a chat", () => {
  test("is worked off by mouse and by keyboard, and each step is taken back", async () => {
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

  test("says what a tool refuses, and takes texts for nothing else", async () => {
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

  test.for(["light", "dark"].flatMap((theme) => [320, 500, 760].map((width) => ({ theme, width }))))(
    "fits at $width px in the $theme, without scrolling and with targets of 44 px",
    async ({ theme, width }) => {
      const structuredContent = { today: "2026-11-25 (Wednesday)", sections };
      const shown = await show({ content: [], structuredContent }, { width, theme });
      const { page, view, problems } = shown;
      if (PICTURES) await page.screenshot({ path: join(PICTURES, `view-${theme}-${width}.png`) });
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
});

test("changes are shown with what they changed, and taken back", async () => {
  const id = await remember("Launch", { due_date: "2026-05-01" });
  await call("update_memory", { ids: [id], due_date: "2026-06-01" });
  const { page, view, problems } = await show(await call("list_changes", { record: id }));
  await view.getByText("2026-06-01").first().waitFor();
  if (PICTURES) await page.screenshot({ path: join(PICTURES, "view-changes.png") });
  await view.getByRole("button", { name: /^Undo/ }).first().click();
  await view.getByText("Undone").first().waitFor();
  expect(await record(id)).toMatchObject({ due_date: "2026-05-01" });
  expect(problems).toEqual([]);
  await page.close();
});

test("an answer of another kind shows nothing, and neither does the page without a host", async () => {
  const { contents } = (await rpc("resources/read", { uri: "ui://commonplace/view" })) as {
    contents: { text: string }[];
  };
  const page = await browser.newPage();
  await page.setContent(contents[0]?.text ?? "");
  expect(await page.locator("main").textContent()).toBe("");
  await page.close();
});
