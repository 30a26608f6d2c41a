import { defineConfig } from "vitest/config";
import { keepScratchInMemory } from "../kit/scratch.ts";

keepScratchInMemory();

// What needs two ports, a browser or the command line: plain Node against `npm start`.
export default defineConfig({
  test: {
    dir: import.meta.dirname,
    include: ["*.test.ts"],
    // Each file starts its own service and often waits for it: two at a time take little more than half as long.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
