import { join } from "node:path";

export const WRANGLER = join("node_modules", "wrangler", "wrangler-dist", "cli.js");

/**
 * How V8 manages the memory of the Worker. By default it lets garbage lie while the machine has memory left, and an
 * export of 200 MB takes it to 290 to 350 MB; with these to 210 to 230, and requests take no longer.
 */
const V8_FLAGS = "--optimize-for-size --single-threaded-gc";

/**
 * wrangler's environment: no questions, nothing sent out, and neither its explorer, which gives everybody who reaches
 * the port the whole database, nor its request log.
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
