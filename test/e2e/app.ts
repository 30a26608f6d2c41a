import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import type { Account } from "./browser.ts";

/** A browser with the app in it. */
export type App = {
  page: Page;
  context: BrowserContext;
  /** What went wrong unasked: console messages, dialogs, unexpected answers, requests to other hosts. */
  complaints: string[];
  close: () => Promise<void>;
};

/** For a window whose service worker opens the app without a network. */
export const WITH_WORKER = { serviceWorkers: "allow" } as const;

const BLOCKED = "Service Worker registration blocked by Playwright";

/**
 * Opens a window on the service and collects everything that a person would call a defect. Without a service worker unless
 * a story asks for one: a request that goes through it may not be seen by `page.route`, as Playwright's documentation says.
 */
export async function openApp(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<App> {
  const context = await browser.newContext({
    baseURL: url,
    timezoneId: "Europe/Berlin",
    serviceWorkers: "block",
    ...options,
  });
  const complaints: string[] = [];
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && message.text() !== BLOCKED)
      complaints.push(`console: ${message.text()}`);
  });
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  context.on("request", (request) => {
    if (/^https?:/.test(request.url()) && new URL(request.url()).hostname !== "localhost")
      complaints.push(`left localhost: ${request.url()}`);
  });
  return { page, context, complaints, close: () => context.close() };
}

const FORGOTTEN = "Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => false })";
const REMEMBERED = `if (Object.hasOwn(navigator, "onLine")) {
  delete navigator.onLine;
  dispatchEvent(new Event("online"));
}`;

/**
 * Takes the network away. Chromium 150 forgets `navigator.onLine` with the next document, which is told once more.
 *
 * @returns what gives the network back
 */
export async function goOffline(context: BrowserContext): Promise<() => Promise<void>> {
  await context.setOffline(true);
  const told = await context.addInitScript({ content: FORGOTTEN });
  return async () => {
    await told.dispose();
    await context.setOffline(false);
    await Promise.all(context.pages().map((page) => page.evaluate(REMEMBERED)));
  };
}

/** Opens a screen of an account that has signed in to this browser before. */
export async function enter({ context, page }: App, account: Account, path = "/"): Promise<void> {
  const { email, password } = account;
  // A page that sees another account's session goes home by itself, in the middle of what follows.
  if (page.url() !== "about:blank") await page.goto("about:blank");
  const answer = await context.request.post("/api/auth/login", {
    data: { email, password, session: "cookie" },
    headers: { "Sec-Fetch-Site": "same-origin", "X-Requested-With": "commonplace" },
  });
  if (!answer.ok()) throw new Error(`sign-in: ${answer.status()} ${await answer.text()}`);
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).waitFor();
}

/** Waits until the page can be loaded without a network. */
export async function workerReady(page: Page): Promise<void> {
  await page.evaluate(`navigator.serviceWorker.ready.then(() => new Promise((resolve) => {
    if (navigator.serviceWorker.controller) resolve();
    else navigator.serviceWorker.addEventListener("controllerchange", () => resolve(), { once: true });
  }))`);
}

/** What a change of the page makes it do has been done when it has painted that and has nothing else to do. */
export const IDLE = `new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(() => requestIdleCallback(() => resolve())));
})`;

/** Waits until a screen is complete: nothing on the page says that it is being loaded or filled, and nothing is about to. */
export async function complete(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  const unfinished = page.locator("[data-loading], [aria-busy=true]");
  do {
    await unfinished.first().waitFor({ state: "detached" });
    // An answer may make the page show something that asks for more.
    await page.evaluate(IDLE);
  } while ((await unfinished.count()) > 0);
}

/**
 * Waits until every request is known here that the page has begun by now: they are told in their order, and behind them is
 * the answer to this one.
 */
export async function told(page: Page): Promise<void> {
  await page.evaluate("fetch('/', { method: 'HEAD' }).then(() => undefined)");
}

/** Waits until what appears has appeared: half-transparent text has less contrast. Some animations have no end. */
const SETTLED = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
  .map(({ finished }) => finished)).then(() => undefined)`;

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function axe(page: Page, options: RunOptions): Promise<string[]> {
  await page.evaluate(SETTLED);
  // Evaluated rather than added as a script, which the Content-Security-Policy forbids.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  // A tooltip stands outside of the landmarks, and appears wherever the pointer happens to rest.
  const where = { exclude: "[data-overlay-container]:has(> [role=tooltip])" };
  const run = `axe.run(${JSON.stringify(where)}, ${JSON.stringify(options)})`;
  const { violations: found } = (await page.evaluate(run)) as AxeResults;
  return found.flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${id}: ${target} ${html}`));
}

/** What axe-core finds on the page as it is now: the rules of WCAG 2.2 AA and its best practices. */
export const violations = (page: Page): Promise<string[]> => axe(page, { resultTypes: ["violations"] });

/** The same in light and dark, each with its name. The other rules than those about colours find the same in both. */
export async function violationsInBoth(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "light" });
  const light = await violations(page);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await axe(page, { resultTypes: ["violations"], runOnly: ["cat.color"] });
  return [...light.map((one) => `light: ${one}`), ...dark.map((one) => `dark: ${one}`)];
}

/** Whether an element has the focus. */
export const isFocused = (element: Locator): Promise<boolean> =>
  element.and(element.page().locator(":focus")).isVisible();

/** How far the page can be scrolled sideways, in pixels. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
