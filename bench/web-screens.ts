import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { complete } from "../test/e2e/app.ts";
import { createMany, documentOf, newAccount, PASSWORD, recordOf, repeated } from "./account.ts";
import type { Running } from "./copies.ts";
import { median } from "./figures.ts";

// The account of somebody who has used the app for years, and how long a screen takes until it shows its data, what it
// loads, and how much of it moves.

const DOCUMENTS = 4000;
const RECORDS = 2000;
const LONG_TEXT = 200_000;
const VIEWPORT = { width: 1280, height: 800 };

/** A copy of the service whose app is measured; `long` is its document of 200 kB. */
export type Subject = { name: string; url: string; long: string };

const SENTENCE =
  "Some words are **strong**, others *soft* or `code`; [the plan](https://example.com/plan) says more. ";

const section = (number: number) =>
  `## Section ${number}\n\n${SENTENCE.repeat(4)}\n\n- first item\n- [ ] a task of ${number}\n  - inner\n\n> A quote.\n\n`;

function longText(): string {
  const parts: string[] = [];
  for (let length = 0; length < LONG_TEXT; length += (parts.at(-1) ?? "").length)
    parts.push(section(parts.length));
  return parts.join("");
}

/** Fills a copy of the service. All records are due today, so that Today shows as many as it can. */
export async function fillApp(running: Running): Promise<Subject> {
  const account = await newAccount(running, "bench");
  await createMany(account, "documents", repeated(DOCUMENTS, documentOf));
  const due_date = new Date().toISOString().slice(0, 10);
  const records = repeated(RECORDS, (number) => ({ ...recordOf(number), due_date }));
  await createMany(account, "memories", records);
  const content = { format: "markdown", text: longText() };
  const { id } = await account.ask<{ id: string }>("POST", "/api/documents", { title: "Long", content });
  return { name: running.copy.name, url: running.apiUrl, long: id };
}

/** Posts something as the app does, in the session of a browser. */
export async function asApp<T>(context: BrowserContext, url: string, path: string, data: object): Promise<T> {
  const headers = { Origin: new URL(url).origin, "X-Requested-With": "commonplace" };
  const answer = await context.request.post(path, { data, headers });
  if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
  return answer.json();
}

/** A browser that has nothing of the app but the session. */
export async function signedIn(browser: Browser, url: string): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: url, viewport: VIEWPORT });
  await asApp(context, url, "/api/auth/login", {
    email: "bench@example.com",
    password: PASSWORD,
    session: "cookie",
  });
  return context;
}

const LOADS = 5;
/** Until the app has kept what it keeps in the browser for the next time. */
const KEPT_MS = 4000;
/** What comes later than the data may move it. */
const SETTLED_MS = 1500;

/** Fast 3G as WebPageTest defines it, and a processor four times slower: a phone of the middle, on the way. */
const FAST_3G = { latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 768_000 / 8 };
const SLOWER = 4;

export const SCREENS = {
  Today: ["/", "[data-record]"],
  Documents: ["/documents", "#main [data-key]"],
} as const;
export type ScreenName = keyof typeof SCREENS;

type Loaded = { requests: number; bytes: number; paint: number; shown: number; moved: number };

const WATCH_MOVES = `globalThis.moved = 0;
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) moved += value;
}).observe({ type: "layout-shift", buffered: true });`;

/** Notes in the page when something is painted for the first time: from outside, a busy page answers late. */
const watchFor = (selector: string) => `new MutationObserver((_, observer) => {
  if (!document.querySelector(${JSON.stringify(selector)})?.checkVisibility()) return;
  observer.disconnect();
  requestAnimationFrame(() => requestAnimationFrame(() => { globalThis.shownAt = performance.now(); }));
}).observe(document, { childList: true, subtree: true, attributes: true });`;

const SHOWN_AT = `new Promise((resolve) => {
  const look = () => (globalThis.shownAt ? resolve(shownAt) : setTimeout(look, 10));
  look();
})`;

async function slowDown(network: CDPSession): Promise<void> {
  await network.send("Network.emulateNetworkConditions", { offline: false, ...FAST_3G });
  await network.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
}

const paintOf = (page: Page) =>
  page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime");

/** Opens a screen until its data are there. Times are milliseconds from the start. */
async function open(context: BrowserContext, screen: ScreenName, isSlow: boolean): Promise<Loaded> {
  const [path, shown] = SCREENS[screen];
  const page = await context.newPage();
  await page.addInitScript({ content: WATCH_MOVES });
  await page.addInitScript({ content: watchFor(shown) });
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  if (isSlow) await slowDown(network);
  let [requests, bytes] = [0, 0];
  network.on("Network.loadingFinished", ({ encodedDataLength }) => {
    requests += 1;
    bytes += encodedDataLength;
  });
  await page.goto(path, { waitUntil: "commit" });
  await page.locator(shown).first().waitFor();
  const until = await page.evaluate<number>(SHOWN_AT);
  const counted = { requests, bytes };
  await sleep(SETTLED_MS);
  const [paint, moved] = [await paintOf(page), await page.evaluate<number>("moved")];
  await page.close();
  return { ...counted, paint, shown: until, moved };
}

type Visits = { cold: Loaded; warm: Loaded };

/** Opens a screen in a browser that has nothing of the app, and then once more. */
async function visit(browser: Browser, url: string, screen: ScreenName, isSlow: boolean): Promise<Visits> {
  const context = await signedIn(browser, url);
  const cold = await open(context, screen, isSlow);
  await sleep(KEPT_MS);
  const warm = await open(context, screen, isSlow);
  await context.close();
  return { cold, warm };
}

/** The medians of several visits to a screen; `moved` is the most. */
export async function measureVisits(
  browser: Browser,
  url: string,
  { screen, isSlow }: { screen: ScreenName; isSlow: boolean },
): Promise<Visits> {
  const visits: Visits[] = [];
  while (visits.length < LOADS) visits.push(await visit(browser, url, screen, isSlow));
  const of = (time: keyof Visits): Loaded => {
    const middle = (figure: keyof Loaded) => median(visits.map((one) => one[time][figure]));
    const moved = Math.max(...visits.map((one) => one[time].moved));
    return {
      ...{ requests: middle("requests"), bytes: middle("bytes") },
      ...{ paint: middle("paint"), shown: middle("shown"), moved },
    };
  };
  return { cold: of("cold"), warm: of("warm") };
}

const STILL = ["/", "/documents", "/records", "/history", "/activity", "/settings", "/settings/connections"];

/** Longer than a screen, and much shorter. */
const TEXTS = ["## A part\n\nA long story about a ship.\n\n- one\n- two\n\n".repeat(30), "Only one line."];

/** The screens of documents, each of which has a record. */
async function screensOfDocuments(context: BrowserContext, url: string): Promise<string[]> {
  const screens: string[] = [];
  for (const text of TEXTS) {
    const document = { title: "A story", tags: ["sea"], content: { format: "markdown", text } };
    const { id } = await asApp<{ id: string }>(context, url, "/api/documents", document);
    const record = { memory_type: "decision", topic: "A ship", content: "Told again", document_id: id };
    await asApp(context, url, "/api/memories", record);
    screens.push(`/documents/${id}`, `/documents/${id}?edit`);
  }
  return screens;
}

/** How much of each screen moves by itself until it is complete, on a desk and on a phone, with answers that are late. */
export async function measureMoves(browser: Browser, url: string): Promise<Map<string, number>> {
  const context = await signedIn(browser, url);
  const screens = [...STILL, ...(await screensOfDocuments(context, url))];
  const page = await context.newPage();
  await page.addInitScript({ content: WATCH_MOVES });
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  await network.send("Network.emulateNetworkConditions", { offline: false, ...FAST_3G });
  const moved = new Map<string, number>();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    for (const path of screens) {
      await page.goto(path);
      await complete(page);
      // Earlier releases do not mark all that is to come.
      await sleep(SETTLED_MS);
      moved.set(`${width} ${path}`, await page.evaluate<number>("moved"));
    }
  }
  await context.close();
  return moved;
}
