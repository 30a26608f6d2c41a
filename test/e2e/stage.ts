import type { Browser } from "playwright-core";
import { afterAll } from "vitest";
import { launch } from "./browser.ts";
import { type Shared, sharedService } from "./instances.ts";

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
