import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";

export const WRANGLER_CLI = join("node_modules", "wrangler", "wrangler-dist", "cli.js");

/**
 * Flags that save memory. Measured: V8's parallel collector and `--optimize-for-size` take more for an export of
 * 200 MB. The heap has no limit: with 160 MB, sixty concurrent creations of 1 MB ended the runtime. `gc` is for
 * platform/queue/garbage.ts.
 */
const V8_FLAGS = "--single-threaded-gc --max-semi-space-size=4 --expose-gc";

/**
 * wrangler's environment: no prompts, no telemetry, no request log, and no explorer, which would show the whole
 * database to everyone who can reach the port.
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

/** What this project reads of wrangler.toml. */
export type WranglerConfig = {
  name: string;
  account_id?: string;
  d1_databases: {
    binding: string;
    database_name: string;
    database_id?: string;
    preview_database_id?: string;
  }[];
  kv_namespaces: { binding: string; id?: string }[];
  /** Missing if the operator removed the bucket. */
  r2_buckets?: { binding: string; bucket_name: string }[];
  vars: Record<string, string>;
};

export const readWranglerConfig = () =>
  parse(readFileSync("wrangler.toml", "utf8")) as unknown as WranglerConfig;
