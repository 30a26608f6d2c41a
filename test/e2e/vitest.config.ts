import { defineConfig } from "vitest/config";

// What needs two ports, a browser or the command line: plain Node against `npm start`.
export default defineConfig({
  test: {
    dir: import.meta.dirname,
    include: ["*.test.ts"],
    // Each file starts its own service; in sequence, they do not compete for the processor.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
