import puppeteer, { type Browser, type ElementHandle, type Page } from "puppeteer-core";
import { until } from "./service.ts";

// Firefox as Debian has it, by WebDriver BiDi: Playwright drives a build of its own, which npm does not have.

const FIREFOX = process.env.FIREFOX ?? "/usr/bin/firefox-esr";

export const launchFirefox = (): Promise<Browser> =>
  puppeteer.launch({
    browser: "firefox",
    executablePath: FIREFOX,
    defaultViewport: { width: 1280, height: 800 },
  });

/** A window of Firefox with the app in it. Selectors are Puppeteer's: `button::-p-text(Done)`. */
export type Window = {
  page: Page;
  /** What went wrong unasked. */
  complaints: string[];
  /** Waits until something is to be seen, and clicks in its middle. */
  click: (selector: string) => Promise<void>;
  /** Waits until a field is to be seen, and gives it the focus. */
  enter: (selector: string) => Promise<void>;
  /** Waits until a text is to be seen. */
  sees: (text: string) => Promise<void>;
  /** Waits until it is not. */
  seesNoMore: (text: string) => Promise<void>;
};

/** Opens a window. It waits without Puppeteer's locators, which evaluate strings: the app's policy forbids that. */
export async function openFirefox(browser: Browser): Promise<Window> {
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
    let found: ElementHandle | undefined;
    await until(
      async () => {
        found = await visible(selector);
        return found !== undefined;
      },
      () => `${selector} is not to be seen`,
    );
    return found as ElementHandle;
  };
  const saying = (text: string) => `::-p-text(${text})`;
  return {
    page,
    complaints,
    click: async (selector) => (await find(selector)).click(),
    enter: async (selector) => (await find(selector)).focus(),
    sees: async (text) => void (await find(saying(text))),
    seesNoMore: (text) =>
      until(
        async () => (await visible(saying(text))) === undefined,
        () => `${text} is still to be seen`,
      ),
  };
}
