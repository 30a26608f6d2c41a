import puppeteer, { type Browser, type ElementHandle } from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePorts, type Service, startService, temporaryFolder } from "./service.ts";

// A day in Firefox: the first account, writing, ticking, a promise that is kept, a search, and an hour without a network. It is
// Firefox as Debian has it, by WebDriver BiDi: Playwright drives a build of its own, which npm does not have.

const FIREFOX = process.env.FIREFOX ?? "/usr/bin/firefox-esr";

const launchFirefox = (): Promise<Browser> =>
  puppeteer.launch({
    ...{ browser: "firefox", executablePath: FIREFOX },
    defaultViewport: { width: 1280, height: 800 },
  });

/**
 * Opens a window. It waits without Puppeteer's locators, which evaluate strings: the app's policy forbids that.
 * Selectors are Puppeteer's: `button::-p-text(Done)`.
 */
async function openFirefox(browser: Browser) {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warn"].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${String(error)}`));
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  const visible = async (selector: string) => {
    // A page that is being left has no nodes any more.
    for (const one of await page.$$(selector).catch(() => []))
      if (await one.isVisible().catch(() => false)) return one;
    return undefined;
  };
  const find = async (selector: string): Promise<ElementHandle> => {
    await expect.poll(async () => (await visible(selector)) !== undefined, { message: selector }).toBe(true);
    return (await visible(selector)) ?? find(selector);
  };
  return {
    ...{ page, complaints },
    click: async (selector: string) => (await find(selector)).click(),
    enter: async (selector: string) => (await find(selector)).focus(),
    sees: (text: string) => find(`::-p-text(${text})`),
    seesNoMore: (text: string) =>
      expect.poll(() => visible(`::-p-text(${text})`), { message: text }).toBeUndefined(),
  };
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let firefox: Browser;
let app: Awaited<ReturnType<typeof openFirefox>>;
const ports = freePorts();

beforeAll(async () => {
  folder = await temporaryFolder();
  [service, firefox] = await Promise.all([startService(folder.path, {}, await ports), launchFirefox()]);
  app = await openFirefox(firefox);
});

afterAll(async () => {
  await firefox?.close();
  await service?.stop();
  await folder?.remove();
});

const goTo = (path: string) => app.page.goto(service.apiUrl + path);
const type = (text: string) => app.page.keyboard.type(text);
const path = () => app.page.evaluate("location.pathname") as Promise<string>;

/** The text of the editor is in a shadow root. */
const isInText = () =>
  app.page.evaluate("document.activeElement?.shadowRoot?.activeElement?.matches('.cm-content') ?? false");

/** What the service has, asked with the cookie of this window. */
const ask = <Answer>(path: string) =>
  app.page.evaluate(`fetch(${JSON.stringify(path)}, { headers: { "X-Requested-With": "commonplace" } })
    .then((answer) => answer.json())`) as Promise<Answer>;

type Document = { content: { text: string } };
const textNow = async () => (await ask<Document>(`/api${await path()}`)).content.text;

test("a day: an account, a document, a task, a promise, a search", async () => {
  const { page, click, enter, sees, complaints } = app;
  await goTo("/");
  await sees("Create the first account");
  await enter("input[type=email]");
  await type("ada@example.com");
  await page.keyboard.press("Tab");
  await type("correct horse battery");
  await page.keyboard.press("Enter");
  await sees("Everything you’ve promised, in one place");

  await goTo("/documents/new");
  await enter("[aria-label=Title]");
  await type("Packing list");
  await page.keyboard.press("Enter");
  await type("# Boots\n\n- [ ] wax them\nlace them");
  await expect.poll(path).toMatch(/^\/documents\/[0-9a-f-]{36}$/);
  await expect.poll(textNow).toBe("# Boots\n\n- [ ] wax them\n- [ ] lace them");
  await sees("Saved");
  await click("button::-p-text(Done)");
  await click("[aria-label='lace them']");
  await expect.poll(textNow).toBe("# Boots\n\n- [ ] wax them\n- [x] lace them");

  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await expect.poll(path).toBe("/");
  await page.keyboard.press("n");
  await type("Send Grace the slides by tomorrow #apollo");
  await page.keyboard.press("Enter");
  await sees("Saved “Send Grace the slides”");
  await page.keyboard.press("Escape");
  await click("[aria-label='Resolve Send Grace the slides']");
  await sees("Resolved “Send Grace the slides”");

  await click("nav a[href='/search']");
  await enter("input[type=search]");
  await type("boot");
  await click("main a::-p-text(Packing list)");
  await expect.poll(path).toMatch(/^\/documents\//);
  await sees("lace them");
  expect(complaints).toEqual([]);
});

test("an hour without the service: the app opens, what was read is there, and what is written arrives later", async () => {
  const { page, click, enter, sees, seesNoMore } = app;
  await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
  await page.reload();
  await sees("lace them");
  await goTo("/documents");
  await sees("Packing list");

  await service.kill();
  await goTo("/documents");
  await sees("reach the server");
  await click("main a::-p-text(Packing list)");
  await sees("lace them");
  const document = await path();
  await click("button::-p-text(Edit)");
  await expect.poll(isInText).toBe(true);
  await type("In the tunnel. ");
  await sees("Offline – saved on this device");
  await page.reload();
  await sees("In the tunnel. ");
  await goTo("/");
  await enter("[aria-label='New record']");
  await type("Call Bob");
  await page.keyboard.press("Enter");
  await sees("will sync later");

  service = await startService(folder.path, {}, await ports);
  await seesNoMore("will sync later");
  await click("main a::-p-text(Call Bob)");
  await expect
    .poll(() => ask<Document>(`/api${document}`))
    .toMatchObject({
      content: { text: expect.stringContaining("In the tunnel. ") },
    });
});

/** Whether an editor is prepared, unseen, next to the text that is read. */
const IS_PREPARED = `[...document.querySelectorAll("main *")].some((one) => one.shadowRoot?.querySelector(".cm-content"))`;

/** Where a word is drawn in the text, or in its editor: its right edge and the middle of its line. */
const placeOf = (word: string) =>
  app.page.evaluate(`(() => {
    const editor = [...document.querySelectorAll("[data-writing] *")].find((one) => one.shadowRoot)?.shadowRoot;
    const walker = document.createTreeWalker(editor ?? document.querySelector("article"), NodeFilter.SHOW_TEXT);
    let node = walker.nextNode();
    while (node && !node.data.includes(${JSON.stringify(word)})) node = walker.nextNode();
    if (!node) return null;
    const range = document.createRange();
    range.selectNodeContents(node);
    range.setEnd(node, node.data.indexOf(${JSON.stringify(word)}) + ${word.length});
    const { right, top, bottom } = range.getBoundingClientRect();
    return { x: right, y: (top + bottom) / 2 };
  })()`) as Promise<{ x: number; y: number } | null>;

test("a click in the middle of a text writes there from the first key on, and moves nothing", async () => {
  const { page, complaints } = app;
  const text = Array.from({ length: 60 }, (_, number) => `Paragraph ${number} of the way.`).join("\n\n");
  const { id } = (await page.evaluate(`fetch("/api/documents", {
    method: "POST",
    headers: { "X-Requested-With": "commonplace", "Content-Type": "application/json" },
    body: ${JSON.stringify(JSON.stringify({ title: "The way", content: { format: "markdown", text } }))},
  }).then((answer) => answer.json())`)) as { id: string };
  await goTo(`/documents/${id}`);
  await expect.poll(() => page.evaluate(IS_PREPARED)).toBe(true);
  await page.evaluate("scrollTo(0, 900)");
  const clicked = await placeOf("Paragraph 25");
  if (!clicked) throw new Error("The paragraph is not shown");
  await page.mouse.click(clicked.x - 1, clicked.y);
  await type("QZ");
  await expect.poll(textNow).toContain("Paragraph 25QZ of the way.");
  expect((await placeOf("Paragraph 25QZ"))?.y).toBeCloseTo(clicked.y, 0);
  await page.keyboard.press("Escape");
  await page.waitForSelector("article");
  expect(complaints).toEqual([]);
});
