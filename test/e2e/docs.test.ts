import { Validator } from "@seriousme/openapi-schema-validator";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ADA } from "./accounts.ts";
import { type App, openApp } from "./app.ts";
import { signIn } from "./browser.ts";
import { nightly } from "./nightly.ts";
import { register } from "./service.ts";
import { stageFor } from "./stage.ts";

// The pages of the API's documentation in a browser. What they describe is in test/doors/docs.

const stage = stageFor();
let app: App;
let page: Page;

beforeEach(async () => {
  app = await openApp(stage.browser, stage.service.apiUrl);
  page = app.page;
});

afterEach(() => app.close());

test("the assets may not be sniffed, framed or loaded from elsewhere", async () => {
  for (const path of ["/vendor/redoc.standalone.js", "/docs/redoc.js"]) {
    const { status, headers } = await fetch(`${stage.service.apiUrl}${path}`);
    expect(status, path).toBe(200);
    expect(headers.get("X-Content-Type-Options"), path).toBe("nosniff");
    expect(headers.get("Content-Security-Policy"), path).toContain("frame-ancestors 'none'");
  }
});

test("/openapi.json is valid by the schema of OpenAPI 3.1", async () => {
  const validator = new Validator();
  const description = await (await fetch(`${stage.service.apiUrl}/openapi.json`)).text();
  expect(await validator.validate(JSON.parse(description))).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

/** Scrolls until something is there: Swagger UI draws only what is near, once there are 150 operations and headings. */
async function scrollTo(selector: string): Promise<void> {
  const isThere = () => page.locator(selector).first().isVisible();
  await page.locator(".opblock").first().waitFor();
  await page.mouse.move(400, 400);
  await expect.poll(async () => (await isThere()) || page.mouse.wheel(0, 400), { interval: 200 }).toBe(true);
}

// Swagger UI takes seconds of processor time to open the description, and again for each operation.
test("the page of Swagger UI uses the session of the app, and ends it", { timeout: 300_000 }, async () => {
  await register(stage.service.apiUrl, ADA);
  await page.goto("/docs");
  await page.getByRole("link", { name: "Sign in" }).click();
  await signIn(page, ADA);
  await page.getByText(`Signed in as ${ADA.email}`).waitFor();
  /** Executes an operation and returns the status and the body of the answer. */
  const execute = async (id: string) => {
    await scrollTo(id);
    const operation = page.locator(id);
    await operation.locator(".opblock-summary-control").click();
    await operation.getByRole("button", { name: "Try it out" }).click();
    await operation.getByRole("button", { name: "Execute" }).click();
    const answer = operation.locator(".live-responses-table .response");
    await answer.waitFor();
    return answer.innerText();
  };
  const list = await execute("#operations-Documents-listDocuments");
  expect(list).toContain("200");
  expect(list).toContain('"total": 0');
  expect(await execute("#operations-Documents-createDocument")).toContain("201");
  expect(app.complaints).toEqual([]);

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("Sign in to send requests").waitFor();
  expect(await execute("#operations-Documents-listDocuments")).toContain("401");
  expect(await page.locator(".opblock").count()).toBeGreaterThan(20);
});

/** Whether the page is as wide as the window, without a frame, and in these colours. */
async function expectColours(colorScheme: "light" | "dark"): Promise<void> {
  const styleOf = (name: string) =>
    page.evaluate<string>(`getComputedStyle(document.body).getPropertyValue("${name}")`);
  expect(await styleOf("margin")).toBe("0px");
  expect((await styleOf("background-color")) === "rgb(255, 255, 255)").toBe(colorScheme === "light");
}

nightly("Redoc shows the operations, in light and in dark", async () => {
  await page.goto(`${stage.service.apiUrl}/redoc`);
  await page.getByRole("heading", { name: "Create a document" }).waitFor();
  await page.getByRole("heading", { name: "Search documents" }).waitFor();
  await expectColours("light");
  // It reads its colours only once, so the page loads itself again.
  const again = page.waitForEvent("load");
  await page.emulateMedia({ colorScheme: "dark" });
  await again;
  await page.getByPlaceholder("Search...").fill("folder");
  await page.getByRole("menuitem", { name: "Create a folder" }).first().waitFor();
  await expectColours("dark");
  expect(app.complaints).toEqual([]);
});

nightly("the pages work on the MCP port as well, in light and in dark", async () => {
  await page.goto(`${stage.service.mcpUrl}/docs`);
  await scrollTo("[id^=operations-Search]");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectColours(colorScheme);
  }
  expect(app.complaints).toEqual([]);
});
