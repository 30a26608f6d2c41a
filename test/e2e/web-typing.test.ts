import type { CDPSession, Page } from "playwright-core";
import { expect, test } from "vitest";
import { type App, complete, enter, openApp } from "./app.ts";
import { type Ask, askAs } from "./ask.ts";
import { stored } from "./copies.ts";
import { register } from "./service.ts";
import { stageFor } from "./stage.ts";

// What is new is written at once and fast, on fast and slow devices: every key lands in it, in its order.

const ACCOUNT = { email: "ada@example.com", password: "correct horse battery" };
const DEVICES = {
  desk: { options: { viewport: { width: 1280, height: 800 } } },
  phone: { options: { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true } },
};
const PER_SECOND = 30;
/** How long a page may take that is twenty times slower than a busy machine. */
const SLOW_MS = 240_000;

/** How often each device types at each speed: once, or many times at night. */
const RUNS = process.env.NIGHTLY
  ? [
      { slower: 1, times: 20 },
      { slower: 6, times: 20 },
      { slower: 20, times: 20 },
    ]
  : [
      { slower: 1, times: 1 },
      { slower: 6, times: 1 },
    ];

const stage = stageFor({}, ({ service }) => register(service.apiUrl, ACCOUNT).then(() => undefined));

const SIGNS: Record<string, [string, number]> = {
  " ": ["Space", 32],
  ",": ["Comma", 188],
  "-": ["Minus", 189],
  ".": ["Period", 190],
};

/** A key as Chromium's protocol names it (Input.dispatchKeyEvent). */
const keyOf = (sign: string) => {
  if (sign === "\n") return { key: "Enter", code: "Enter", text: "\r", windowsVirtualKeyCode: 13 };
  const [code, windowsVirtualKeyCode] = SIGNS[sign] ?? [
    /[a-z]/i.test(sign) ? `Key${sign.toUpperCase()}` : `Digit${sign}`,
    sign.toUpperCase().charCodeAt(0),
  ];
  return { key: sign, code, text: sign, windowsVirtualKeyCode };
};

/** Presses keys without waiting for the page. */
async function typeFast(keyboard: CDPSession, text: string): Promise<void> {
  const begun = performance.now();
  const sent: Promise<unknown>[] = [];
  for (const [index, sign] of [...text].entries()) {
    const { text: written, ...key } = keyOf(sign);
    sent.push(keyboard.send("Input.dispatchKeyEvent", { type: "keyDown", ...key, text: written }));
    sent.push(keyboard.send("Input.dispatchKeyEvent", { type: "keyUp", ...key }));
    const next = begun + ((index + 1) * 1000) / PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
  }
  await Promise.all(sent);
}

/** What is typed first, then while it becomes a saved document, and what it then is. */
const FIRST = "Paste tests\nMilk, eggs and zest\n- one\ntwo\n\nAfter it all";
const THEN = " goes on\n\n1. first\nsecond\n\nThe end";
const TITLE = "Paste tests";
const TEXT = "Milk, eggs and zest\n- one\n- two\n\nAfter it all goes on\n\n1. first\n2. second\n\nThe end";

const LINES = TEXT.split("\n");

/** The way to a new document, which the next keys do not wait for. */
async function begin(page: Page, keyboard: CDPSession, device: keyof typeof DEVICES): Promise<string> {
  if (device === "desk") return `n${FIRST}`;
  const box = await page.getByRole("link", { name: /^New/ }).boundingBox();
  if (!box) throw new Error("no way to a new document");
  const touchPoints = [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }];
  await keyboard.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints });
  await keyboard.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  return FIRST;
}

async function writeFast(
  { page, close, complaints }: App,
  ask: Ask,
  run: { device: keyof typeof DEVICES; slower: number },
) {
  await complete(page);
  const keyboard = await page.context().newCDPSession(page);
  await keyboard.send("Emulation.setCPUThrottlingRate", { rate: run.slower });
  const isSaved = page.waitForRequest("**/api/documents", { timeout: SLOW_MS });
  const first = await begin(page, keyboard, run.device);
  await typeFast(keyboard, first);
  await isSaved;
  await typeFast(keyboard, THEN);
  await keyboard.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await page.getByText("Saved", { exact: true }).waitFor({ timeout: SLOW_MS });
  const id = new URL(page.url()).pathname.split("/").at(-1);
  const saved = await ask<{ title: string; content: { text: string } }>("GET", `/api/documents/${id}`);
  // An empty line is shown by a line break of its own.
  const lines = (await page.locator(".cm-line").allInnerTexts()).map((line) => line.trimEnd());
  const shown = await page.getByRole("textbox", { name: "Title" }).inputValue();
  await close();
  return { title: saved.title, text: saved.content.text, shown, lines, complaints };
}

for (const device of Object.keys(DEVICES) as (keyof typeof DEVICES)[])
  for (const { slower, times } of RUNS)
    test(`every key from the first on is in a new document: ${device}, ${slower} times slower`, {
      timeout: times * SLOW_MS,
    }, async () => {
      for (let time = 0; time < times; time++) {
        const app = await openApp(stage.browser, stage.service.apiUrl, DEVICES[device].options);
        await enter(app, ACCOUNT, "/documents");
        const ask = askAs(app, stage.service.apiUrl);
        const found = await writeFast(app, ask, { device, slower });
        expect(found).toMatchObject({ title: TITLE, text: TEXT, shown: TITLE, lines: LINES, complaints: [] });
      }
    });

/** Where a new record is opened from, and the text of its field before the first key: `kept` is from another day. */
const WAYS = {
  "a project's page": { path: "/projects/Apollo", keys: "n", kept: "", before: `+"Apollo" ` },
  "the palette": { path: "/records", keys: "", kept: "", before: "" },
  "the palette, with words kept": { path: "/records", keys: "", kept: "Ask Ada", before: "Ask Ada " },
};
const RECORD = "call Grace at noon";

async function beginRecord(page: Page, way: keyof typeof WAYS): Promise<void> {
  if (way === "a project's page") return;
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("searchbox", { name: "Search or run a command" }).fill("new comm");
  await page.getByRole("menuitem", { name: "New commitment" }).click({ noWaitAfter: true });
}

const entryOf = (page: Page) => page.getByRole("region", { name: "Quick entry" }).getByRole("textbox");

async function keepWords(page: Page, words: string, next: string): Promise<void> {
  await page.goto("/");
  await entryOf(page).fill(words);
  await expect.poll(() => stored(page, "commonplace-drafts", "drafts")).toEqual([words]);
  await page.goto(next);
}

for (const way of Object.keys(WAYS) as (keyof typeof WAYS)[])
  for (const { slower } of RUNS)
    test(`every key from the first on is in a new record from ${way}: ${slower} times slower`, {
      timeout: SLOW_MS,
    }, async () => {
      const app = await openApp(stage.browser, stage.service.apiUrl, DEVICES.desk.options);
      const { path, keys, kept, before } = WAYS[way];
      await enter(app, ACCOUNT, path);
      if (kept) await keepWords(app.page, kept, path);
      await complete(app.page);
      const keyboard = await app.page.context().newCDPSession(app.page);
      await keyboard.send("Emulation.setCPUThrottlingRate", { rate: slower });
      await beginRecord(app.page, way);
      await typeFast(keyboard, keys + RECORD);
      const field = entryOf(app.page);
      await expect.poll(() => field.inputValue()).toBe(before + RECORD);
      await field.fill("");
      await app.close();
      expect(app.complaints).toEqual([]);
    });
