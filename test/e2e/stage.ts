import { join } from "node:path";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { type App, enter, openApp } from "./app.ts";
import { type Ask, askWith } from "./ask.ts";
import { type Account, launch } from "./browser.ts";
import { register, type Service, startService, temporaryFolder } from "./service.ts";

/** A service of its own and a browser, for the stories of one file. */
export type Stage = {
  service: Service;
  browser: Browser;
  /** For the files of the stories. */
  folder: string;
  /** Where the service keeps its data. */
  stateDir: string;
  /** Windows that are closed after the test. */
  opened: App[];
};

/** All accounts of a file have the same address. */
const ROOMY = { RATE_LIMIT_LOGIN: "1000/60", RATE_LIMIT_REGISTER: "1000/60" };

/** Sets the stage before the tests of a file, and clears it after them. `more` runs once it is set. */
export function stageFor(
  settings: Record<string, string> = {},
  more?: (stage: Stage) => Promise<void>,
): Stage {
  const stage = { opened: [] as App[] } as Stage;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
    stage.folder = folder.path;
    stage.stateDir = join(folder.path, "state");
    stage.service = await startService(stage.stateDir, { ...ROOMY, ...settings });
    stage.browser = await launch();
    await more?.(stage);
    // What is opened before the tests is for all of them.
    stage.opened.length = 0;
  });
  afterEach(async () => {
    for (const { close } of stage.opened.splice(0)) await close();
  });
  afterAll(async () => {
    await stage.browser?.close();
    await stage.service?.stop();
    await folder?.remove();
  });
  return stage;
}

/** An account, and what sends requests as it. */
export type Person = Account & { token: string; ask: Ask };

let people = 0;

export async function newPerson({ service }: Stage): Promise<Person> {
  people += 1;
  const account = { email: `person-${people}@example.com`, password: "correct horse battery" };
  const token = await register(service.apiUrl, account);
  return { ...account, token, ask: askWith(service.apiUrl, token) };
}

/** Opens a window of the app on a path, with a new account or this one. */
export async function openAs(
  stage: Stage,
  path = "/",
  { person, ...options }: BrowserContextOptions & { person?: Person } = {},
): Promise<App & Person> {
  const as = person ?? (await newPerson(stage));
  const app = await openApp(stage.browser, stage.service.apiUrl, options);
  stage.opened.push(app);
  await enter(app, as, path);
  return { ...as, ...app };
}

/** A narrow screen that is touched. */
export const phoneOf = (width = 390, height = 844) => ({
  ...{ viewport: { width, height }, hasTouch: true, isMobile: true },
});
