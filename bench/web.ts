import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { complete } from "../test/e2e/app.ts";
import { launch } from "../test/e2e/browser.ts";
import { createMany, documentOf, newAccount, PASSWORD, recordOf, repeated } from "./account.ts";
import { atEnd, type Copy, type Running, startEach } from "./copies.ts";
import { type Figures, measureInTurns, median, printTable, quantile, ratioOf, shown } from "./figures.ts";
import { makeQuery } from "./texts.ts";

// The app in a browser, with an account of 4,000 documents and 2,000 records: what a screen loads, when it shows its data (on
// a desktop, and on a slow phone), how much it shifts, and how it keeps up with typing and scrolling.

type Measure = (browser: Browser, subject: Subject) => Promise<Figures>;

const atADesk =
  (screen: ScreenName): Measure =>
  async (browser, { url }) => {
    const { cold } = await measureVisits(browser, url, { screen, isSlow: false });
    return {
      [`${screen}, nothing cached: requests`]: cold.requests,
      kB: cold.bytes / 1000,
      "first content, ms": cold.paint,
      "with its data, ms": cold.shown,
    };
  };

const onTheWay =
  (screen: ScreenName): Measure =>
  async (browser, { url }) => {
    const { cold, warm } = await measureVisits(browser, url, { screen, isSlow: true });
    return {
      [`${screen} on fast 3G, processor ÷ 4: with its data, ms`]: cold.shown,
      "the second time, ms": warm.shown,
      "what moves (CLS, the most)": Math.max(cold.moved, warm.moved),
    };
  };

const moving: Measure = async (browser, { url }) => {
  const moved = await measureMoves(browser, url);
  const [where, most] = [...moved].reduce((one, other) => (other[1] > one[1] ? other : one));
  console.log(`Most moves on ${where}`);
  return { "What moves on any screen (CLS, the most)": most };
};

const typing =
  (field: FieldName): Measure =>
  async (browser, subject) => {
    const { median, p95, frame, tasks } = await typeQueries(browser, subject, field);
    return {
      [`${field}: from key to answer, ms`]: median,
      "95th percentile, ms": p95,
      "longest frame, ms": frame,
      "tasks over 50 ms": tasks,
    };
  };

const scrolling =
  (name: string, open: (page: Page, subject: Subject) => Promise<unknown>): Measure =>
  async (browser, subject) => {
    const { tasks, longest } = await scroll(browser, subject, open);
    return {
      [`Scrolling through ${name}: tasks over 50 ms of processor time`]: tasks,
      "the longest, ms": longest,
    };
  };

const openDocuments = async (page: Page) => {
  await page.goto("/documents", { waitUntil: "networkidle" });
  await page.locator("[role=row]").first().waitFor();
};

/** Does not wait for what loads while one begins to read. */
const openText = async (page: Page, { longest }: Subject) => {
  await page.goto(`/documents/${longest}`, { waitUntil: "commit" });
  await page.locator("article p").first().waitFor();
};

const writing: Measure = async (browser, subject) => {
  const { median, p95 } = await typeInLongText(browser, subject);
  return { "A key in 200 kB of text, ms of the page's processor time": median, "95th percentile, ms": p95 };
};

const typingAlone: Measure = async (browser, subject) => {
  const whole = await typeInLongText(browser, { ...subject, long: subject.longest });
  const alone = await typeInLongText(browser, { ...subject, long: subject.longest }, openBareEditor);
  return {
    "A key in 520 kB of text, ms of the page's processor time": whole.median,
    "beside CodeMirror's own processor time, ms": whole.median - alone.median,
  };
};

const clicking =
  (size: "short" | "longest", name: string): Measure =>
  async (browser, subject) => {
    const { first, again } = await measureClicks(browser, subject.url, subject[size]);
    return {
      [`Click in ${name} of text on fast 3G, processor ÷ 4: editor ready, ms`]: first.ready,
      "of these, processor time": first.busy,
      "with a service worker, ms": again.ready,
      "of these too, processor time": again.busy,
    };
  };

/** The measurements with the limits of their figures. */
const MEASURES: Record<string, { measure: Measure; goals?: Figures }> = {
  "Today at a desk": { measure: atADesk("Today") },
  "Documents at a desk": { measure: atADesk("Documents") },
  "Today on the way": {
    measure: onTheWay("Today"),
    goals: {
      ...{ "Today on fast 3G, processor ÷ 4: with its data, ms": 2500, "the second time, ms": 1000 },
      "what moves (CLS, the most)": 0.05,
    },
  },
  "Documents on the way": {
    measure: onTheWay("Documents"),
    goals: {
      "Documents on fast 3G, processor ÷ 4: with its data, ms": 2500,
      "what moves (CLS, the most)": 0.05,
    },
  },
  moves: { measure: moving, goals: { "What moves on any screen (CLS, the most)": 0.05 } },
  search: {
    measure: typing("Search"),
    goals: { "Search: from key to answer, ms": 100, "longest frame, ms": 50 },
  },
  palette: {
    measure: typing("Palette"),
    goals: { "Palette: from key to answer, ms": 100, "longest frame, ms": 50 },
  },
  scrolling: {
    measure: scrolling("the documents", openDocuments),
    goals: { "Scrolling through the documents: tasks over 50 ms of processor time": 0 },
  },
  "scrolling, long": {
    measure: scrolling("520 kB of text", openText),
    goals: { "Scrolling through 520 kB of text: tasks over 50 ms of processor time": 0 },
  },
  writing: { measure: writing, goals: { "95th percentile, ms": 16 } },
  key: { measure: typingAlone, goals: { "beside CodeMirror's own processor time, ms": 8 } },
  click: { measure: clicking("short", "5 kB"), goals: { "with a service worker, ms": 300 } },
  "click, long": { measure: clicking("longest", "520 kB") },
};

const digitsOf = (figure: string) => (figure.includes("CLS") ? 3 : figure.includes("processor time") ? 1 : 0);

/** Measures and prints the app of these copies in Chromium. */
export async function benchWeb(copies: Copy[], stateDir: string, only = ""): Promise<void> {
  const subjects = await startEach(copies, stateDir, fillApp);
  const browser = await launch();
  atEnd(() => browser.close());
  const wanted = Object.entries(MEASURES).filter(([name]) => new RegExp(only).test(name));
  const cases = wanted.map(([name, { measure }]) => ({
    name,
    measures: subjects.map((subject) => () => measure(browser, subject)),
  }));
  const rows = (await measureInTurns(cases)).flatMap((measured) =>
    Object.keys(measured.figures[0]?.[0] ?? {}).map((figure) => [
      ...[figure, shown(measured, figure, digitsOf(figure)), ratioOf(measured, figure)?.toFixed(2) ?? ""],
      String(MEASURES[measured.name]?.goals?.[figure] ?? ""),
    ]),
  );
  const names = subjects.map(({ name }) => name).join(" → ");
  printTable("The app in a browser, medians", ["", names, "ratio", "at most"], rows);
}

const DOCUMENTS = 4000;
const RECORDS = 2000;
const LONG_TEXT = 200_000;
const SIZES = { short: 5000, long: LONG_TEXT, longest: 520_000 };
const VIEWPORT = { width: 1280, height: 800 };

/** A copy of the service with its address, and the ids of documents of these sizes. */
type Subject = { name: string; url: string } & Record<keyof typeof SIZES, string>;

const SENTENCE =
  "Some words are **strong**, others *soft* or `code`; [the plan](https://example.com/plan) says more. ";

const section = (number: number) =>
  `## Section ${number}\n\n${SENTENCE.repeat(4)}\n\n- first item\n- [ ] a task of ${number}\n  - inner\n\n> A quote.\n\n`;

function textOf(size: number): string {
  const parts: string[] = [];
  for (let length = 0; length < size; length += (parts.at(-1) ?? "").length)
    parts.push(section(parts.length));
  return parts.join("");
}

/** Fills a copy. All records are due today, so that Today shows as many as possible. */
async function fillApp(running: Running): Promise<Subject> {
  const account = await newAccount(running, "bench");
  await createMany(account, "documents", repeated(DOCUMENTS, documentOf));
  const due_date = new Date().toISOString().slice(0, 10);
  const records = repeated(RECORDS, (number) => ({ ...recordOf(number), due_date }));
  await createMany(account, "memories", records);
  const create = async (title: keyof typeof SIZES) => {
    const content = { format: "markdown", text: textOf(SIZES[title]) };
    return (await account.ask<{ id: string }>("POST", "/api/documents", { title, content })).id;
  };
  const ids = { short: await create("short"), long: await create("long"), longest: await create("longest") };
  return { name: running.copy.name, url: running.apiUrl, ...ids };
}

/** Sends a POST as the app does, in the browser's session. */
async function asApp<T>(context: BrowserContext, url: string, path: string, data: object): Promise<T> {
  const headers = { Origin: new URL(url).origin, "X-Requested-With": "commonplace" };
  const answer = await context.request.post(path, { data, headers });
  if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
  return answer.json();
}

/** A signed-in browser with an empty cache. */
async function signedIn(browser: Browser, url: string): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: url, viewport: VIEWPORT });
  await asApp(context, url, "/api/auth/login", {
    email: "bench@example.com",
    password: PASSWORD,
    session: "cookie",
  });
  return context;
}

const LOADS = 5;
/** Content that arrives after the data may shift it. */
const SETTLED_MS = 1500;

/** Fast 3G as WebPageTest defines it. With a processor four times slower, it stands for a mid-range phone. */
const FAST_3G = { latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 768_000 / 8 };
const SLOWER = 4;

const SCREENS = {
  Today: ["/", "[data-record]"],
  Documents: ["/documents", "#main [data-key]"],
} as const;
type ScreenName = keyof typeof SCREENS;

type Loaded = { requests: number; bytes: number; paint: number; shown: number; moved: number };

const WATCH_MOVES = `globalThis.moved = 0;
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) moved += value;
}).observe({ type: "layout-shift", buffered: true });`;

/** Records in the page when an element is first painted, because a busy page answers the browser's driver late. */
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

/** Opens a screen and waits for its data. Times are in milliseconds from the start. */
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
  // The app is cached from now on.
  await page.waitForFunction("navigator.serviceWorker.ready.then(() => true)");
  await page.close();
  return { ...counted, paint, shown: until, moved };
}

type Visits = { cold: Loaded; warm: Loaded };

/** Opens a screen twice, first with an empty cache, then with the service worker that the first visit has installed. */
async function visit(browser: Browser, url: string, screen: ScreenName, isSlow: boolean): Promise<Visits> {
  const context = await signedIn(browser, url);
  const cold = await open(context, screen, isSlow);
  const warm = await open(context, screen, isSlow);
  await context.close();
  return { cold, warm };
}

/** The medians of several visits to a screen; the maximum of `moved`. */
async function measureVisits(
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

/** One longer than the screen, and one much shorter. */
const TEXTS = ["## A part\n\nA long story about a ship.\n\n- one\n- two\n\n".repeat(30), "Only one line."];

/** Creates documents with a record each. Returns their screens. */
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

/** The layout shift of each screen until it is complete, on a desktop and a phone with a slow network. */
async function measureMoves(browser: Browser, url: string): Promise<Map<string, number>> {
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
      // Earlier releases do not mark everything that is still loading.
      await sleep(SETTLED_MS);
      moved.set(`${width} ${path}`, await page.evaluate<number>("moved"));
    }
  }
  await context.close();
  return moved;
}

const QUERIES = 4;
/** Between two keys of a fast typist. */
const FAST_MS = 90;
/** Long enough to show the answer to a key. */
const SLOW_MS = 400;
/** A noticeable delay: https://www.w3.org/TR/longtasks-1/ */
const LONG_MS = 50;

/**
 * Records frames and long tasks, and when a key was pressed and the page last changed. 0.4 s after the last key, Search
 * updates its address: later changes are not the answer to the key.
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

/** Presses a key. Returns the milliseconds until its answer was shown. */
async function answerTo(page: Page, key: string): Promise<number> {
  const answer = page.waitForResponse(/\/api\/search\?/, { timeout: 5000 }).catch(() => undefined);
  await page.keyboard.press(key);
  await answer;
  await sleep(SLOW_MS);
  const { key: pressed, changed } = await seen(page);
  return changed - pressed;
}

const FIELDS = { Search: "input[type=search]", Palette: "[role=dialog] input" } as const;
type FieldName = keyof typeof FIELDS;

/** Types queries: slowly to measure the answer to each key, in milliseconds, then fast to measure frames and tasks. */
async function typeQueries(browser: Browser, { url }: Subject, name: FieldName) {
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

/** So many that the first keys and garbage collections do not determine the 95th percentile. */
const KEYS = 300;
const PAGES_DOWN = 6;
const TRACED = {
  includedCategories: ["devtools.timeline", "toplevel"],
  recordMode: "recordAsMuchAsPossible" as const,
};

/** The browser's trace events during `work`. */
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

/** Whether an event is a task on the thread of another one. */
const isTask = ({ name, ph, pid, tid }: TraceEvent, other: TraceEvent | undefined) =>
  name === "ThreadControllerImpl::RunTask" && ph === "X" && pid === other?.pid && tid === other?.tid;

/** The processor time of the page's thread between keys, in milliseconds. */
function timesOf(events: TraceEvent[]): number[] {
  const isKey = ({ name, args }: TraceEvent) => name === "EventDispatch" && args?.data?.type === "keydown";
  const keys = events.filter(isKey).sort((one, other) => one.ts - other.ts);
  const times = keys.map(() => 0);
  for (const { ts, dur = 0, tdur = 0 } of events.filter((event) => isTask(event, keys[0]))) {
    // A task that started before the key's event dispatches it.
    const key = keys.findLastIndex((one) => one.ts <= ts + dur);
    if (key >= 0) times[key] = (times[key] ?? 0) + tdur / 1000;
  }
  return times;
}

type OpenEditor = (page: Page, id: string) => Promise<unknown>;

const openEditor: OpenEditor = (page, id) => page.goto(`/documents/${id}?edit`, { waitUntil: "networkidle" });

/** CodeMirror with what an editor of Markdown needs at least. */
const BARE_EDITOR = `
import { defaultKeymap, history } from "@codemirror/commands";
import { markdown } from "@codemirror/lang-markdown";
import { defaultHighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { drawSelection, EditorView, keymap } from "@codemirror/view";
const colours = syntaxHighlighting(defaultHighlightStyle);
const extensions = [history(), drawSelection(), EditorView.lineWrapping, markdown(), colours, keymap.of(defaultKeymap)];
const { content } = await (await fetch("/api/documents/" + location.hash.slice(1))).json();
new EditorView({ doc: content.text, parent: document.body, extensions });`;

/** Opens a text in an editor that is not the app's, on a page of its address. */
const openBareEditor: OpenEditor = async (page, id) => {
  const { outputFiles } = await build({
    ...{ stdin: { contents: BARE_EDITOR, resolveDir: "." }, bundle: true, minify: true },
    ...{ format: "esm", target: "es2022", write: false },
  });
  const body = `<!doctype html><script type="module">${outputFiles[0]?.text}</script>`;
  await page.route("**/bare", (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto(`/bare#${id}`, { waitUntil: "networkidle" });
};

/** Types in the middle of a long text. Returns the processor time per key, in milliseconds. */
async function typeInLongText(browser: Browser, { url, long }: Subject, open = openEditor) {
  const context = await signedIn(browser, url);
  const page = await context.newPage();
  await open(page, long);
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

/** Records when the editor is painted with the focus in its text, after the click that opens it. */
const WATCH_CLICK = `addEventListener("click", ({ timeStamp }) => {
  const look = () => {
    const isReady = document.activeElement?.shadowRoot?.activeElement?.matches(".cm-content");
    if (isReady) requestAnimationFrame(() => setTimeout(() => { globalThis.shownAt = performance.now() - timeStamp; }));
    else requestAnimationFrame(look);
  };
  look();
}, { capture: true, once: true });`;

/** Milliseconds until the editor was ready, and those of the page's processor time. */
type Click = { ready: number; busy: number };

async function processorTime(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
}

/** Clicks in a text that has been read for some seconds. */
async function clickInText(page: Page, session: CDPSession, id: string): Promise<Click> {
  await page.goto(`/documents/${id}`, { waitUntil: "commit" });
  const paragraph = page.locator("article p").nth(1);
  await paragraph.waitFor();
  await sleep(READ_MS);
  const before = await processorTime(session);
  await paragraph.click({ position: { x: 60, y: 8 } });
  const ready = await page.evaluate<number>(SHOWN_AT);
  return { ready, busy: (await processorTime(session)) - before };
}

const READ_MS = 8000;
const CLICKS = 3;

/** The median times from a click to its editor: in a new browser, and with the app's files from its service worker. */
async function measureClicks(browser: Browser, url: string, id: string) {
  const times: { first: Click; again: Click }[] = [];
  while (times.length < CLICKS) {
    const context = await signedIn(browser, url);
    const page = await context.newPage();
    await page.addInitScript({ content: WATCH_CLICK });
    const network = await context.newCDPSession(page);
    await network.send("Network.enable");
    await network.send("Performance.enable", { timeDomain: "threadTicks" });
    await slowDown(network);
    times.push({
      first: await clickInText(page, network, id),
      again: await clickInText(page, network, id),
    });
    await context.close();
  }
  const middle = (visit: "first" | "again"): Click => ({
    ready: median(times.map((one) => one[visit].ready)),
    busy: median(times.map((one) => one[visit].busy)),
  });
  return { first: middle("first"), again: middle("again") };
}

const WHEEL = { steps: 120, pixels: 1500, pause: 40 };

/** The processor time of each task of the page's thread, in milliseconds. */
function tasksOf(events: TraceEvent[]): number[] {
  const page = events.find(({ name }) => name === "UpdateLayoutTree");
  return events.filter((event) => isTask(event, page)).map(({ tdur = 0 }) => tdur / 1000);
}

/** Scrolls through a page. Returns the number of tasks over 50 ms of processor time, and the longest. */
async function scroll(
  browser: Browser,
  subject: Subject,
  open: (page: Page, subject: Subject) => Promise<unknown>,
) {
  const context = await signedIn(browser, subject.url);
  const page = await context.newPage();
  await open(page, subject);
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
