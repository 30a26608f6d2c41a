import { Validator } from "@seriousme/openapi-schema-validator";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { register, type Service, startService, temporaryFolder } from "./service.ts";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  folder = await temporaryFolder();
  service = await startService(folder.path);
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await folder?.remove();
});

beforeEach(async () => {
  complaints = [];
  context = await browser.newContext();
  page = await context.newPage();
  // A blocked style or script is a console error too.
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  context.on("request", (request) => {
    if (/^https?:/.test(request.url()) && new URL(request.url()).hostname !== "localhost") {
      complaints.push(`left localhost: ${request.url()}`);
    }
  });
});

afterEach(async () => {
  await context.close();
});

test("/openapi.json is valid by the schema of OpenAPI 3.1", async () => {
  const description = await (await fetch(`${service.apiUrl}/openapi.json`)).json();
  const validator = new Validator();
  expect(await validator.validate(description as Record<string, unknown>)).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

test("the assets may not be sniffed, framed or loaded from elsewhere", async () => {
  for (const path of ["/vendor/redoc.standalone.js", "/docs/redoc.js"]) {
    const { status, headers } = await fetch(`${service.apiUrl}${path}`);
    expect(status, path).toBe(200);
    expect(headers.get("X-Content-Type-Options"), path).toBe("nosniff");
    expect(headers.get("Content-Security-Policy"), path).toBe("default-src 'none'; frame-ancestors 'none'");
  }
});

test("Swagger UI shows the operations and executes one with a token", async () => {
  const token = await register(service.apiUrl, { email: "docs@example.com", password: "a long password" });
  await page.goto(`${service.apiUrl}/docs`);

  await page.getByRole("button", { name: "Authorize" }).click();
  await page.getByRole("dialog").or(page.locator(".dialog-ux")).getByRole("textbox").fill(token);
  await page.getByRole("button", { name: "Apply credentials" }).click();
  await page.getByRole("button", { name: "Close", exact: true }).click();

  const operation = page.locator("#operations-Documents-listDocuments");
  await operation.locator(".opblock-summary-control").click();
  await operation.getByRole("button", { name: "Try it out" }).click();
  await operation.getByRole("button", { name: "Execute" }).click();
  const answer = operation.locator(".live-responses-table .response");
  await expect.poll(() => answer.locator(".response-col_status").innerText()).toContain("200");
  await expect.poll(() => answer.locator(".response-col_description").innerText()).toContain('"total": 0');

  expect(await page.locator(".opblock").count()).toBeGreaterThan(20);
  expect(complaints).toEqual([]);
});

test("Redoc shows the operations", async () => {
  await page.goto(`${service.apiUrl}/redoc`);
  await page.getByRole("heading", { name: "Create a document" }).waitFor();
  await page.getByRole("heading", { name: "Search documents" }).waitFor();
  await page.getByPlaceholder("Search...").fill("folder");
  await page.getByRole("menuitem", { name: "Create a folder" }).first().waitFor();
  expect(complaints).toEqual([]);
});

test("the pages work on the MCP port as well", async () => {
  await page.goto(`${service.mcpUrl}/docs`);
  await page.locator("#operations-Search-search, [id^=operations-Search]").first().waitFor();
  expect(complaints).toEqual([]);
});
