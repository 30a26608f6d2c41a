import { join, resolve } from "node:path";
import { parseHomes } from "../../src/contract/homes.ts";
import { applyMigrations } from "../common/migrations.ts";
import { homesSetting } from "../common/settings.ts";
import { buildApp } from "../start/app.ts";
import { createPrivately } from "../start/private.ts";
import { ensureOpen, ensureSecrets } from "../start/secrets.ts";

// Prepares what `wrangler dev` needs besides the Worker's sources: the secrets, the tables and the app. wrangler.toml runs
// this before each build of `wrangler dev`.

const WRANGLER_STATE = join(".wrangler", "state");

try {
  createPrivately();
  const file = resolve(".dev.vars");
  ensureSecrets(file);
  ensureOpen(file);
  // DEV_STATE is the folder of `npm run dev`.
  await applyMigrations(process.env.DEV_STATE ?? WRANGLER_STATE, parseHomes(homesSetting(process.env)));
  await buildApp(["web"]);
} catch (problem) {
  console.error(`\n${(problem as Error).message}\n`);
  process.exit(1);
}
