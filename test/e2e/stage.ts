import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { launch } from "./browser.ts";
import { type Service, startService, temporaryFolder } from "./service.ts";

/** A service of its own and a browser, for the stories of one file. */
export type Stage = { service: Service; browser: Browser };

/** Sets the stage before the tests of a file, and clears it after them. `more` runs once it is set. */
export function stageFor(
  settings: Record<string, string> = {},
  more?: (stage: Stage) => Promise<void>,
): Stage {
  const stage = {} as Stage;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
    stage.service = await startService(folder.path, settings);
    stage.browser = await launch();
    await more?.(stage);
  });
  afterAll(async () => {
    await stage.browser?.close();
    await stage.service?.stop();
    await folder?.remove();
  });
  return stage;
}
