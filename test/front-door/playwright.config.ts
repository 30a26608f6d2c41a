import { defineConfig } from "@playwright/test";
import { CHROMIUM } from "../e2e/browser.ts";
import { ownRunFolder } from "../kit/run-folder.ts";

ownRunFolder();

// At most 25 stories, chosen for breadth: what a person who has just installed the service does with it, and what must not
// be lost. The others are in test/e2e.
export default defineConfig({
  testDir: ".",
  outputDir: "../../test-results",
  fullyParallel: true,
  // The stories wait for the service more than they compute: three at a time are faster than two, also on two cores.
  workers: 3,
  // A story that fails runs once more, alone, after the others. If it passes then, it is flaky and must be fixed.
  retries: 1,
  retryStrategy: "isolated",
  forbidOnly: Boolean(process.env.CI),
  reporter: [["list"]],
  // Of a story: the sum of what it waits for, each of which has its own limit.
  timeout: 180_000,
  expect: { timeout: 20_000 },
  use: {
    actionTimeout: 20_000,
    navigationTimeout: 20_000,
    timezoneId: "Europe/Berlin",
    trace: "on-first-retry",
    launchOptions: {
      executablePath: CHROMIUM,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    },
  },
});
