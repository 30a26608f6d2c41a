import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { type App, enter, openApp, WITH_WORKER } from "./app.ts";
import { type Ask, askWith } from "./ask.ts";
import { type Account, launch } from "./browser.ts";
import { type Shared, sharedService } from "./instances.ts";
import { register } from "./service.ts";

/** A service of its own and a browser, for the stories of one file. */
export type Stage = Shared & { browser: Browser };

/** Sets the stage before the tests of a file, and clears it after them. `more` runs once it is set. */
export function stageFor(
  settings: Parameters<typeof sharedService>[0] = {},
  more?: (stage: Stage) => Promise<unknown>,
): Stage {
  const stage: Stage = sharedService(settings, async () => {
    stage.browser = await launch();
    await more?.(stage);
  }) as Stage;
  afterAll(() => stage.browser?.close());
  return stage;
}

/** The app of a new account, and what asks the API as its owner. */
export type Person = App & { account: Account; token: string; ask: Ask };

let people = 0;

/** Waits until the page can be loaded without a network. */
export async function workerReady(page: Page): Promise<void> {
  await page.evaluate("navigator.serviceWorker.ready");
  await expect.poll(() => page.evaluate("navigator.serviceWorker.controller !== null")).toBe(true);
}

/** Opens the app for a new account. */
export async function newPerson(
  { service: { apiUrl }, browser }: Stage,
  options: BrowserContextOptions = {},
): Promise<Person> {
  people += 1;
  const account = { email: `person-${people}@example.com`, password: "correct horse battery" };
  const token = await register(apiUrl, account);
  const app = await openApp(browser, apiUrl, options);
  await enter(app, account);
  if (options.serviceWorkers === WITH_WORKER.serviceWorkers) await workerReady(app.page);
  // The app asks before it knows that the user is signed in.
  app.complaints.length = 0;
  return { ...app, account, token, ask: askWith(apiUrl, token) };
}
