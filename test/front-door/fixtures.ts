import { type BrowserContextOptions, test as base, type Page } from "@playwright/test";
import { type App, openApp } from "../e2e/app.ts";
import { type Ask, askWith } from "../e2e/ask.ts";
import type { Account } from "../e2e/browser.ts";
import { callbackServer, type Loopback } from "../e2e/loopback.ts";
import { register, type Service, startService, temporaryFolder } from "../e2e/service.ts";

/** A person with an account, and a function that sends requests as them. */
export type Person = Account & { token: string; ask: Ask };

/** Of the stories that one process runs. */
type Shared = {
  /** `npm start`, with limits that no story reaches. */
  service: Service;
  /** The address at which clients receive the browser's redirect. */
  callback: Loopback;
};

type Own = {
  /** Tells what the shared service has logged, where a story failed. */
  log: undefined;
  /** Creates an account. */
  somebody: () => Promise<Person>;
  /** Opens a window on the shared service, or on another address. */
  open: (options?: BrowserContextOptions, url?: string) => Promise<App>;
  /** A folder that is deleted after the story. */
  folder: string;
  /** Starts a service of the story's own, which is stopped after it. */
  start: typeof startService;
};

/** All requests of a process of stories come from one address. */
export const ROOMY = {
  RATE_LIMIT_LOGIN: "1000/60",
  RATE_LIMIT_REGISTER: "1000/60",
  RATE_LIMIT_MCP_LOGIN: "1000/60",
  RATE_LIMIT_CLIENT_REGISTRATION: "1000/60",
};

const LOG_LINES = 20;

/** Prints the last that a service has printed, beside the story that failed. */
function tellLog({ apiUrl, output }: Service): void {
  const lines = output().trimEnd().split("\n").slice(-LOG_LINES);
  console.log(`The last lines of the service at ${apiUrl}:\n${lines.join("\n")}`);
}

/** The service that the stories of this process share, once one of them has used it. */
let shared: Service | undefined;

let people = 0;

export const test = base.extend<Own, Shared>({
  service: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the first parameter what a fixture needs
    async ({}, use) => {
      const { path, remove } = await temporaryFolder();
      const service = await startService(path, ROOMY);
      shared = service;
      await use(service);
      await service.stop();
      await remove();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  callback: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use) => {
      const callback = await callbackServer();
      await use(callback);
      await callback.close();
    },
    { scope: "worker" },
  ],
  log: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use) => {
      await use(undefined);
      if (shared && test.info().errors.length > 0) tellLog(shared);
    },
    { auto: true },
  ],
  somebody: ({ service }, use) =>
    use(async () => {
      people += 1;
      const account = { email: `person-${people}@example.com`, password: "correct horse battery" };
      const token = await register(service.apiUrl, account);
      return { ...account, token, ask: askWith(service.apiUrl, token) };
    }),
  open: async ({ browser, service }, use) => {
    const opened: App[] = [];
    await use(async (options, url = service.apiUrl) => {
      const app = await openApp(browser, url, options);
      opened.push(app);
      return app;
    });
    for (const { close } of opened) await close();
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above
  folder: async ({}, use) => {
    const { path, remove } = await temporaryFolder();
    await use(path);
    await remove();
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above
  start: async ({}, use) => {
    const started: Service[] = [];
    await use(async (...options) => {
      const service = await startService(...options);
      started.push(service);
      return service;
    });
    for (const { stop } of started) await stop();
    if (test.info().errors.length > 0) started.forEach(tellLog);
  },
});

export { expect } from "@playwright/test";

/** Presses keys one after the other. */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** A text as a document's content. */
export const markdown = (text: string) => ({ format: "markdown", text });
