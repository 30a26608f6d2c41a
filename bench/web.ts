import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launch } from "../test/e2e/browser.ts";
import { createDocuments } from "../test/e2e/many.ts";
import { freePorts, register } from "../test/e2e/service.ts";
import { atEnd } from "./at-end.ts";
import { here, startCopy } from "./copies.ts";
import { median, printTable } from "./table.ts";
import { makeDocument, makeQuery } from "./texts.ts";

// The app in a browser, with an account of 10,000 documents: what a screen loads when nothing is cached, and how it keeps
// up with somebody who types.

const DOCUMENTS = 10_000;
const RECORDS = 300;
const ACCOUNT = { email: "bench@example.com", password: "a password for the bench" };
const LOADS = 5;
const QUERIES = 4;
/** Between two keys of somebody who types fast; and long enough to show the answer to a key. */
const FAST_MS = 90;
const SLOW_MS = 400;

type Loaded = { requests: number; bytes: number; paint: number; shown: number };

async function signedIn(browser: Browser, url: string): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } });
  const answer = await context.request.post("/api/auth/login", {
    data: { ...ACCOUNT, session: "cookie" },
    headers: { Origin: new URL(url).origin, "X-Requested-With": "commonplace" },
  });
  if (!answer.ok()) throw new Error(`Signing in failed: ${await answer.text()}`);
  return context;
}

/** Opens a screen in a browser that has nothing of it, until `shown` is there. Times are milliseconds from the start. */
async function load(browser: Browser, url: string, path: string, shown: string): Promise<Loaded> {
  const context = await signedIn(browser, url);
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  let [requests, bytes] = [0, 0];
  network.on("Network.loadingFinished", ({ encodedDataLength }) => {
    requests += 1;
    bytes += encodedDataLength;
  });
  await page.goto(path, { waitUntil: "commit" });
  await page.locator(shown).first().waitFor();
  const until = await page.evaluate<number>("performance.now()");
  const counted = { requests, bytes };
  const paint = await page.evaluate<number>(
    "performance.getEntriesByName('first-contentful-paint')[0].startTime",
  );
  await context.close();
  return { ...counted, paint, shown: until };
}

/** Counts frames and long tasks, and notes when a key came and when the page changed last. */
const WATCH = `(() => {
  const seen = { frame: 0, tasks: [], key: 0, changed: 0 };
  globalThis.seen = seen;
  let last = performance.now();
  const next = (now) => { seen.frame = Math.max(seen.frame, now - last); last = now; requestAnimationFrame(next); };
  requestAnimationFrame(next);
  new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask" });
  addEventListener("keydown", () => { seen.key = performance.now(); }, true);
  new MutationObserver(() => { seen.changed = performance.now(); })
    .observe(document.body, { subtree: true, childList: true, characterData: true });
})()`;

type Seen = { frame: number; tasks: number[]; key: number; changed: number };
const seen = (page: Page) => page.evaluate<Seen>("seen");
const forget = (page: Page) => page.evaluate("Object.assign(seen, { frame: 0, tasks: [] })");

type Typed = { frame: number; tasks: number[]; answers: number[] };

/** Presses a key, and returns the milliseconds until its answer was shown. */
async function answerTo(page: Page, key: string): Promise<number> {
  const answer = page.waitForResponse(/\/api\/search\?/, { timeout: 5000 }).catch(() => undefined);
  await page.keyboard.press(key);
  await answer;
  await sleep(SLOW_MS);
  const { key: pressed, changed } = await seen(page);
  return changed - pressed;
}

/** Types queries, one key at a time for the answer to each key, and then fast for the longest frame. */
async function typeInto(page: Page, field: string): Promise<Typed> {
  await page.evaluate(WATCH);
  const answers: number[] = [];
  for (let query = 0; query < QUERIES; query++) {
    for (const key of makeQuery(query, 1)) answers.push(await answerTo(page, key));
    await page.locator(field).fill("");
    await sleep(SLOW_MS);
  }
  await forget(page);
  for (let query = QUERIES; query < 2 * QUERIES; query++) {
    await page.keyboard.type(makeQuery(query, 4), { delay: FAST_MS });
    await page.locator(field).fill("");
  }
  const { frame, tasks } = await seen(page);
  return { frame, tasks, answers };
}

const SCREENS = { Today: ["/", "[data-record]"], Documents: ["/documents", "[role=row]"] } as const;

async function measureLoads(browser: Browser, url: string): Promise<void> {
  const rows = [];
  for (const [name, [path, shown]] of Object.entries(SCREENS)) {
    const loads: Loaded[] = [];
    while (loads.length < LOADS) loads.push(await load(browser, url, path, shown));
    const middle = (figure: keyof Loaded) => median(loads.map((one) => one[figure]));
    rows.push([
      name,
      middle("requests"),
      (middle("bytes") / 1000).toFixed(0),
      middle("paint").toFixed(0),
      middle("shown").toFixed(0),
    ]);
  }
  printTable(
    `The app in a browser that has nothing of it, median of ${LOADS}`,
    ["screen", "requests", "kB", "first content, ms", "with its data, ms"],
    rows,
  );
}

const FIELDS = { Search: "input[type=search]", Palette: "[role=dialog] input" } as const;

async function measureTyping(browser: Browser, url: string): Promise<void> {
  const rows = [];
  for (const [name, field] of Object.entries(FIELDS)) {
    const context = await signedIn(browser, url);
    const page = await context.newPage();
    await page.goto(name === "Search" ? "/search" : "/documents", { waitUntil: "networkidle" });
    if (name === "Palette") await page.keyboard.press("Control+k");
    await page.locator(field).click();
    const { frame, tasks, answers } = await typeInto(page, field);
    const sorted = answers.toSorted((a, b) => a - b);
    rows.push([
      name,
      median(answers).toFixed(0),
      (sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN).toFixed(0),
      frame.toFixed(0),
      tasks.length,
    ]);
    await context.close();
  }
  printTable(
    `Typing, with ${DOCUMENTS} documents (goals: 100 ms from key to answer, no frame over 50 ms)`,
    ["", "key to answer, ms", "95th percentile", "longest frame, ms", "tasks over 50 ms"],
    rows,
  );
}

/** Gives the account records, all of them due today, so that Today shows as many as it can. */
async function createRecords(url: string, token: string): Promise<void> {
  const due_date = new Date().toISOString().slice(0, 10);
  for (let created = 0; created < RECORDS; created += 100) {
    const operations = Array.from({ length: 100 }, (_, number) => {
      const { title, text } = makeDocument(created + number);
      return { operation: "create", memory_type: "commitment", topic: title, content: text, due_date };
    });
    const answer = await fetch(`${url}/api/memories/bulk`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify({ operations }),
    });
    if (!answer.ok) throw new Error(`bulk: ${answer.status} ${await answer.text()}`);
  }
}

/** Measures the app of this copy in Chromium. */
export async function benchWeb(stateDir: string): Promise<void> {
  const { apiUrl } = await startCopy(here, stateDir, await freePorts());
  const token = await register(apiUrl, ACCOUNT);
  console.log(`Creating ${DOCUMENTS} documents…`);
  const documents = Array.from({ length: DOCUMENTS }, (_, number) => makeDocument(number));
  await createDocuments(apiUrl, token, documents);
  await createRecords(apiUrl, token);
  const browser = await launch();
  atEnd(() => browser.close());
  await measureLoads(browser, apiUrl);
  await measureTyping(browser, apiUrl);
}
