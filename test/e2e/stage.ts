import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach } from "vitest";
import { type App, enter, openApp, WITH_WORKER, workerReady } from "./app.ts";
import { type Ask, askWith } from "./ask.ts";
import { type Account, launch } from "./browser.ts";
import { type Shared, sharedService } from "./instances.ts";
import { register } from "./service.ts";

/** A service of its own and a browser, for the stories of one file. */
type Stage = Shared & {
  browser: Browser;
  /** Windows that are closed after the test. */
  opened: App[];
};

/** All accounts of a file have the same address. */
const ROOMY = { RATE_LIMIT_LOGIN: "1000/60", RATE_LIMIT_REGISTER: "1000/60" };

/** Sets the stage before the tests of a file, and clears it after them. `more` runs once it is set. */
export function stageFor(
  settings: Record<string, string> | ((folder: string) => Promise<Record<string, string>>) = {},
  more?: (stage: Stage) => Promise<unknown>,
): Stage {
  const chosen = async (folder: string) => ({
    ...ROOMY,
    ...(typeof settings === "function" ? await settings(folder) : settings),
  });
  const stage = sharedService(chosen, async () => {
    stage.opened = [];
    stage.browser = await launch();
    await more?.(stage);
    // What is opened before the tests is for all of them.
    stage.opened.length = 0;
  }) as Stage;
  afterEach(async () => {
    for (const { close } of stage.opened.splice(0)) await close();
  });
  afterAll(() => stage.browser?.close());
  return stage;
}

/** An account, and what sends requests as it. */
export type Person = Account & { token: string; ask: Ask };

let people = 0;

export async function newPerson({ service: { apiUrl } }: Stage): Promise<Person> {
  people += 1;
  const account = { email: `person-${people}@example.com`, password: "correct horse battery" };
  const token = await register(apiUrl, account);
  return { ...account, token, ask: askWith(apiUrl, token) };
}

/** A window of the app, and the account that is signed in to it. */
export type AppOfPerson = App & Person;

/**
 * Opens a window of the app on a path, with a new account or this one, until the test ends. With a service worker, waits
 * until the page can be loaded without a network.
 */
export async function openAs(
  stage: Stage,
  path = "/",
  { person, ...options }: BrowserContextOptions & { person?: Person } = {},
): Promise<AppOfPerson> {
  const as = person ?? (await newPerson(stage));
  const app = await openApp(stage.browser, stage.service.apiUrl, options);
  stage.opened.push(app);
  await enter(app, as, path);
  if (options.serviceWorkers === WITH_WORKER.serviceWorkers) await workerReady(app.page);
  return { ...as, ...app };
}

/** A narrow screen that is touched. */
export const phoneOf = (width = 390, height = 844) => ({
  ...{ viewport: { width, height }, hasTouch: true, isMobile: true },
});
