import { basename } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { ownRunFolder } from "../kit/run-folder.ts";

ownRunFolder();

/** Vitest begins with the largest files. These are small and take long: at the end, one would run alone. */
const LONG = [
  "web-screens.test.ts",
  "dev.test.ts",
  "stall.test.ts",
  "docs.test.ts",
  "backup.test.ts",
  "jobs-killed.test.ts",
];

class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.includes(basename(moduleId));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

// What needs two ports, a browser or the command line: plain Node against `npm start`.
export default defineConfig({
  test: {
    dir: import.meta.dirname,
    include: ["*.test.ts"],
    sequence: { sequencer: LongFilesFirst },
    // Each file starts its own service and often waits for it: three at a time are faster than two, also on two cores.
    maxWorkers: 3,
    testTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 120_000,
  },
});
