import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, CDPSession, Page } from "playwright-core";
import { median, quantile } from "./figures.ts";
import { makeQuery } from "./texts.ts";
import { type Subject, signedIn } from "./web-screens.ts";

// How the app keeps up with somebody who types and scrolls.

const QUERIES = 4;
/** Between two keys of somebody who types fast; and long enough to show the answer to a key. */
const FAST_MS = 90;
const SLOW_MS = 400;
/** From here on a person feels it: https://www.w3.org/TR/longtasks-1/ */
const LONG_MS = 50;

/**
 * Counts frames and long tasks, and notes when a key came and when the page changed last for it. Search writes its address
 * 0.4 s after the last key, for who comes back: what changes with that is no answer.
 */
const WATCH = `(() => {
  const seen = { frame: 0, tasks: [], key: 0, changed: 0 };
  let isAnswered = false;
  globalThis.seen = seen;
  let last = performance.now();
  const next = (now) => { seen.frame = Math.max(seen.frame, now - last); last = now; requestAnimationFrame(next); };
  requestAnimationFrame(next);
  new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask" });
  addEventListener("keydown", () => { seen.key = performance.now(); isAnswered = false; }, true);
  const write = history.replaceState;
  history.replaceState = function (...entry) { isAnswered = true; return write.apply(this, entry); };
  new MutationObserver(() => { if (!isAnswered) seen.changed = performance.now(); })
    .observe(document.body, { subtree: true, childList: true, characterData: true });
})()`;

type Seen = { frame: number; tasks: number[]; key: number; changed: number };
const seen = (page: Page) => page.evaluate<Seen>("seen");
const forget = (page: Page) => page.evaluate("Object.assign(seen, { frame: 0, tasks: [] })");

/** Presses a key, and returns the milliseconds until its answer was shown. */
async function answerTo(page: Page, key: string): Promise<number> {
  const answer = page.waitForResponse(/\/api\/search\?/, { timeout: 5000 }).catch(() => undefined);
  await page.keyboard.press(key);
  await answer;
  await sleep(SLOW_MS);
  const { key: pressed, changed } = await seen(page);
  return changed - pressed;
}

const FIELDS = { Search: "input[type=search]", Palette: "[role=dialog] input" } as const;
export type FieldName = keyof typeof FIELDS;

/** Types queries: one key at a time for the answer to each key in milliseconds, then fast for the longest frame. */
export async function typeQueries(browser: Browser, { url }: Subject, name: FieldName) {
  const context = await signedIn(browser, url);
  const page = await context.newPage();
  await page.goto(name === "Search" ? "/search" : "/documents", { waitUntil: "networkidle" });
  if (name === "Palette") await page.keyboard.press("Control+k");
  const field = page.locator(FIELDS[name]);
  await field.click();
  await page.evaluate(WATCH);
  const answers: number[] = [];
  for (let query = 0; query < QUERIES; query++) {
    for (const key of makeQuery(query, 1)) answers.push(await answerTo(page, key));
    await field.fill("");
    await sleep(SLOW_MS);
  }
  await forget(page);
  for (let query = QUERIES; query < 2 * QUERIES; query++) {
    await page.keyboard.type(makeQuery(query, 4), { delay: FAST_MS });
    await field.fill("");
  }
  const { frame, tasks } = await seen(page);
  await context.close();
  return { median: median(answers), p95: quantile(answers, 0.95), frame, tasks: tasks.length };
}

type TraceEvent = {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  /** Processor time in microseconds. */
  tdur?: number;
  args?: { data?: { type?: string } };
};

/** So many that the first, and those beside which memory is cleaned up, do not decide alone what the slowest of twenty takes. */
const KEYS = 300;
const PAGES_DOWN = 6;
const TRACED = {
  includedCategories: ["devtools.timeline", "toplevel"],
  recordMode: "recordAsMuchAsPossible" as const,
};

/** What the browser does while `work` runs. */
async function traced(session: CDPSession, work: () => Promise<void>): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  session.on("Tracing.dataCollected", ({ value }) => {
    for (const one of value) events.push(one as unknown as TraceEvent);
  });
  const complete = new Promise<void>((resolve) => session.once("Tracing.tracingComplete", () => resolve()));
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: TRACED });
  await work();
  await session.send("Tracing.end");
  await complete;
  return events;
}

/** Whether it is a task of the thread on which another event was. */
const isTask = ({ name, ph, pid, tid }: TraceEvent, other: TraceEvent | undefined) =>
  name === "ThreadControllerImpl::RunTask" && ph === "X" && pid === other?.pid && tid === other?.tid;

/** The processor time of the page's thread from each key to the next, in milliseconds. */
function timesOf(events: TraceEvent[]): number[] {
  const isKey = ({ name, args }: TraceEvent) => name === "EventDispatch" && args?.data?.type === "keydown";
  const keys = events.filter(isKey).sort((one, other) => one.ts - other.ts);
  const times = keys.map(() => 0);
  for (const { ts, dur = 0, tdur = 0 } of events.filter((event) => isTask(event, keys[0]))) {
    // A task that began before the key's event is the one that dispatches it.
    const key = keys.findLastIndex((one) => one.ts <= ts + dur);
    if (key >= 0) times[key] = (times[key] ?? 0) + tdur / 1000;
  }
  return times;
}

/** Types in the middle of a text of 200 kB: the processor time of each key, in milliseconds. */
export async function typeInLongText(browser: Browser, { url, long }: Subject) {
  const context = await signedIn(browser, url);
  const page = await context.newPage();
  await page.goto(`/documents/${long}?edit`, { waitUntil: "networkidle" });
  await page.locator(".cm-content").click();
  for (let pages = 0; pages < PAGES_DOWN; pages++) await page.keyboard.press("PageDown");
  await page.keyboard.press("End");
  await sleep(SLOW_MS);
  const events = await traced(await context.newCDPSession(page), async () => {
    for (let key = 0; key < KEYS; key++) {
      await page.keyboard.press(key % 6 === 5 ? "Space" : ("abcde"[key % 5] ?? "a"));
      await sleep(FAST_MS);
    }
  });
  await context.close();
  const times = timesOf(events);
  return { median: median(times), p95: quantile(times, 0.95) };
}

const WHEEL = { steps: 120, pixels: 1500, pause: 40 };

/** The processor time of each task of the page's thread, in milliseconds. */
function tasksOf(events: TraceEvent[]): number[] {
  const page = events.find(({ name }) => name === "UpdateLayoutTree");
  return events.filter((event) => isTask(event, page)).map(({ tdur = 0 }) => tdur / 1000);
}

/** Scrolls through the documents: how many tasks took more than 50 ms of processor time, and the most that one took. */
export async function scroll(browser: Browser, { url }: Subject) {
  const context = await signedIn(browser, url);
  const page = await context.newPage();
  await page.goto("/documents", { waitUntil: "networkidle" });
  await page.locator("[role=row]").first().waitFor();
  await page.mouse.move(700, 400);
  const events = await traced(await context.newCDPSession(page), async () => {
    for (let step = 0; step < WHEEL.steps; step++) {
      await page.mouse.wheel(0, WHEEL.pixels);
      await sleep(WHEEL.pause);
    }
  });
  await context.close();
  const tasks = tasksOf(events);
  return {
    tasks: tasks.filter((ms) => ms > LONG_MS).length,
    longest: tasks.reduce((most, ms) => Math.max(most, ms), 0),
  };
}
