import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type App, complete, enter, openApp, told, violations, WITH_WORKER } from "./app.ts";
import { type Account, launch } from "./browser.ts";
import { freePorts, register, type Service, startService, temporaryFolder } from "./service.ts";

// The service stops and starts beneath the app, which goes on by itself.

const ADA: Account = { email: "ada@example.com", password: "correct horse battery" };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let ports: Awaited<ReturnType<typeof freePorts>>;
let service: Service;
let browser: Browser;
let token: string;

const start = () => startService(folder.path, {}, ports);

beforeAll(async () => {
  folder = await temporaryFolder();
  ports = await freePorts();
  service = await start();
  browser = await launch();
  token = await register(service.apiUrl, ADA);
  await create("Send Grace the slides");
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await folder?.remove();
});

async function create(topic: string): Promise<void> {
  const due_date = new Date().toISOString().slice(0, 10);
  await fetch(`${service.apiUrl}/api/memories`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify({ memory_type: "commitment", topic, content: topic, due_date }),
  });
}

async function titles(): Promise<string[]> {
  const answer = await fetch(`${service.apiUrl}/api/documents`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  return ((await answer.json()) as { items: { title: string }[] }).items.map(({ title }) => title);
}

/** Counts what a page asks the service. */
function counting(page: Page): () => number {
  let asked = 0;
  page.on("request", (request) => {
    if (/\/(api\/|health)/.test(new URL(request.url()).pathname)) asked += 1;
  });
  return () => asked;
}

/** A tab that nobody looks at. */
async function hide(page: Page): Promise<void> {
  for (const [name, value] of Object.entries({ hidden: true, visibilityState: "hidden" }))
    await page.evaluate(
      `Object.defineProperty(document, "${name}", { configurable: true, get: () => ${JSON.stringify(value)} })`,
    );
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
}

const noAnswer = (page: Page) => page.getByText("Can’t reach the server").first();

/** Follows a link in the navigation. */
const go = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();

async function openAt(path: string, inside: App): Promise<Page> {
  const page = await inside.context.newPage();
  await page.clock.install();
  await page.goto(path);
  await complete(page);
  return page;
}

test("what was not answered is there once the service is: lists, a text that was not saved, a capture", async () => {
  const app = await openApp(browser, service.apiUrl, WITH_WORKER);
  const { page } = app;
  await page.clock.install();
  await enter(app, ADA);
  await page.evaluate("navigator.serviceWorker.ready");
  const list = await openAt("/", app);
  const writer = await openAt("/documents/new", app);
  const asleep = await openAt("/history", app);
  await writer.getByRole("textbox", { name: "Title" }).fill("Written while it was down");
  await service.stop();

  await hide(asleep);
  const asleepAsked = counting(asleep);
  await go(list, "Records");
  await noAnswer(list).waitFor();
  expect(await violations(list)).toEqual([]);
  await page.getByLabel("New record").fill("Call Bob");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/\d changes? will sync/).waitFor();
  await writer.keyboard.press("Control+s");
  await noAnswer(writer).waitFor();
  // What is shown is older than ten seconds by now.
  await page.clock.fastForward(11_000);
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await page.getByText("what you see may be out of date").waitFor();
  await page.getByRole("link", { name: "Send Grace the slides" }).waitFor();

  service = await start();
  // The pause before the next attempt is over: at most half a minute.
  for (const one of [list, page, writer, asleep]) await one.clock.fastForward(30_000);
  await noAnswer(list).waitFor({ state: "hidden" });
  await noAnswer(page).waitFor({ state: "hidden" });
  await writer.getByText("Saved", { exact: true }).waitFor();
  await page.getByText(/\d changes? will sync/).waitFor({ state: "hidden" });
  await list.reload();
  await list.getByRole("link", { name: "Call Bob" }).waitFor();
  expect(await titles()).toEqual(["Written while it was down"]);
  await told(asleep);
  expect(asleepAsked()).toBe(0);
  await app.close();
});

test("an answer of 503 is asked again when somebody comes back to the page, and not before it says", async () => {
  const app = await openApp(browser, service.apiUrl);
  const { page, context } = app;
  const answer = {
    status: 503,
    headers: { "Retry-After": "600" },
    json: { detail: "The service is being updated" },
  };
  await enter(app, ADA);
  let refused = 0;
  await context.route("**/api/memories**", (route) => {
    refused += 1;
    return route.fulfill(answer);
  });
  await page.clock.install();
  await page.goto("/records");
  await page.getByText("The service is being updated").waitFor();
  await page.getByText("Retrying…").waitFor();
  // What else the page asks for when it is opened may come after the first refusal.
  await complete(page);
  await told(page);
  const before = refused;
  const asked = counting(page);
  // As if most of the ten minutes were over; the rest is far longer than this story takes.
  await page.clock.fastForward(500_000);
  await told(page);
  expect([asked(), refused]).toEqual([0, before]);
  await context.unroute("**/api/memories**");
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await page.getByRole("link", { name: "Send Grace the slides" }).waitFor();
  await app.close();
});

test("a screen whose files could not be loaded is there once the service answers", async () => {
  const app = await openApp(browser, service.apiUrl);
  const { page, context } = app;
  await enter(app, ADA);
  await context.route(/\/app\/history|\/health/, (route) => route.abort());
  await go(page, "History");
  await page.getByText("This screen couldn’t be loaded").waitFor();
  await context.unroute(/\/app\/history|\/health/);
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await page.getByRole("heading", { level: 1, name: "History" }).waitFor();
  await app.close();
});
