import { join } from "node:path";

export const WRANGLER = join("node_modules", "wrangler", "wrangler-dist", "cli.js");

/**
 * Limits the Worker's memory. By default V8 does not collect garbage while the machine has memory left, and an export
 * of 200 MB takes 290 to 350 MB; with these flags it takes 210 to 230, and requests are as fast.
 */
const V8_FLAGS = "--optimize-for-size --single-threaded-gc";

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
