import { failStart } from "./common/fail.ts";
import { buildApp } from "./start/app.ts";
import { bundleWorker } from "./start/bundle.ts";
import { bundlePrograms } from "./start/programs.ts";

// Builds everything for `npm start` that is older than its sources.

try {
  await bundleWorker();
  await bundlePrograms();
  await buildApp();
} catch (problem) {
  failStart(problem as Error);
}
