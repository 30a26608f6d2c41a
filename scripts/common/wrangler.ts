import { join } from "node:path";

export const WRANGLER = join("node_modules", "wrangler", "wrangler-dist", "cli.js");

/**
 * Saves memory: with V8's other threads, or with its `--optimize-for-size`, an export of 200 MB takes more. There is no
 * limit on the heap: with 160 MB, sixty creations of 1 MB at once ended the runtime. platform/turns/garbage.ts uses `gc`.
 */
const V8_FLAGS = "--single-threaded-gc --max-semi-space-size=4 --expose-gc";

/**
 * wrangler's environment: no prompts, no telemetry, no request log, and no explorer, which would show the whole
 * database to everybody who reaches the port.
 */
export const wranglerEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  MINIFLARE_WORKERD_V8_FLAGS: process.env.MINIFLARE_WORKERD_V8_FLAGS ?? V8_FLAGS,
  CI: "1",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_SEND_METRICS: "false",
  X_LOCAL_EXPLORER: "false",
  X_LOCAL_OBSERVABILITY: "false",
});
