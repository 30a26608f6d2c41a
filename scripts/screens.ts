import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { screenPath, TITLED_SCREENS } from "../src/contract/paths.ts";

// `npm run screens`: takes a screenshot of every screen, on a desktop, on a phone and on a desktop in the dark theme. Those in
// public/icons, which browsers show before they install the app, are today and documents of the account of `npm run demo`.

type Options = { url: string; email: string; password: string; only?: string[] };

const SIZES = {
  desk: { viewport: { width: 1280, height: 860 } },
  phone: { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true },
  dark: { viewport: { width: 1280, height: 860 }, colorScheme: "dark" },
} as const;

const IDLE_MS = 5000;

type Screenshot = {
  name: string;
  path: string;
  after?: (page: Page) => Promise<unknown>;
};

/** Opens the palette, which is loaded after the screen. */
async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Palette" }).waitFor();
}

/** The screens with a fixed title, and further states of some of them. */
const SCREENSHOTS: Screenshot[] = [
  ...TITLED_SCREENS.map(({ name, path }) => ({ name, path })),
  { name: "search-found", path: `${screenPath("search")}?q=apollo` },
  { name: "search-corrected", path: `${screenPath("search")}?q=pakcing` },
  { name: "search-nothing", path: `${screenPath("search")}?q=zebra+tag:travel` },
  { name: "palette", path: screenPath("today"), after: openPalette },
  { name: "document-new", path: `${screenPath("document", "new")}?title=A+new+document` },
  { name: "not-found", path: "/no-such-page" },
];

/** The screens of the account's first document and first record. */
async function accountScreenshots(context: BrowserContext, url: string): Promise<Screenshot[]> {
  const first = async (path: string) => {
    const { items } = (await (await context.request.get(new URL(path, url).href)).json()) as {
      items: { id: string | number }[];
    };
    return items[0]?.id;
  };
  const document = await first("/api/documents?limit=1&sort=title&order=asc");
  const record = await first("/api/memories?limit=1");
  return [
    ...(document ? [{ name: "document", path: screenPath("document", document) }] : []),
    ...(record ? [{ name: "record", path: screenPath("record", record) }] : []),
  ];
}

async function signIn(context: BrowserContext, { url, email, password }: Options): Promise<void> {
  const answer = await context.request.post(new URL("/api/auth/login", url).href, {
    data: { email, password, session: "cookie" },
    headers: { Origin: new URL(url).origin, "X-Requested-With": "commonplace" },
  });
  if (!answer.ok()) throw new Error(`Signing in failed: ${await answer.text()}`);
}

/** Waits until the animations have ended, except endless ones. */
const WAIT_FOR_ANIMATIONS = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
  .map(({ finished }) => finished)).then(() => undefined)`;

async function waitUntilSettled(page: Page): Promise<void> {
  // A screen that polls is never idle.
  await page.waitForLoadState("networkidle", { timeout: IDLE_MS }).catch(() => undefined);
  await page.getByText("Loading…").first().waitFor({ state: "hidden" });
  await page.evaluate(WAIT_FOR_ANIMATIONS);
}

async function takeScreenshot(
  page: Page,
  { name, path, after }: Screenshot,
  options: { url: string; file: string },
) {
  await page.goto(new URL(path, options.url).href);
  await waitUntilSettled(page);
  if (after) {
    await after(page);
    await waitUntilSettled(page);
  }
  await page.screenshot({ path: options.file });
  const [width = 0, viewportWidth = 0] = await page.evaluate<number[]>(
    "[document.documentElement.scrollWidth, innerWidth]",
  );
  if (width > viewportWidth)
    console.error(`${name} scrolls sideways: it is ${width} px wide on ${viewportWidth} px`);
}

async function takeScreenshots(browser: Browser, folder: string, options: Options): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const [size, settings] of Object.entries(SIZES)) {
    const context = await browser.newContext(settings);
    await signIn(context, options);
    const page = await context.newPage();
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) console.error(`${page.url()}: ${message.text()}`);
    });
    const screenshots = [...SCREENSHOTS, ...(await accountScreenshots(context, options.url))];
    for (const screenshot of screenshots) {
      if (options.only?.includes(`${screenshot.name}-${size}`) === false) continue;
      const file = join(folder, `${screenshot.name}-${size}.png`);
      await takeScreenshot(page, screenshot, { url: options.url, file });
      console.log(file);
    }
    await context.close();
  }
}

const program = new Command("screens")
  .description("Takes screenshots of all screens of a running copy")
  .argument("<folder>", "where to write the screenshots")
  .requiredOption("--email <address>", "the account to show, for example of npm run demo")
  .requiredOption("--password <password>", "its password")
  .option("--url <url>", "the copy", "http://localhost:8000")
  .option("--only <screenshots...>", "take only these, for example today-desk")
  .action(async (folder: string, options: Options) => {
    const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell";
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    try {
      await takeScreenshots(browser, folder, options);
    } finally {
      await browser.close();
    }
  });
await program.parseAsync();
