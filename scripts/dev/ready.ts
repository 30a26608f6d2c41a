import { join, resolve } from "node:path";
import { parseShards } from "../../src/contract/shards.ts";
import { failStart } from "../common/fail.ts";
import { applyMigrations } from "../common/migrations.ts";
import { homesSetting } from "../common/settings.ts";
import { buildApp } from "../start/app.ts";
import { restrictNewFiles } from "../start/file-permissions.ts";
import { ensureOpenRegistration, ensureSecrets } from "../start/secrets.ts";

// Prepares what `wrangler dev` needs besides the Worker's sources: the secrets, the tables and the app. wrangler.toml runs
// this before each build of `wrangler dev`.

const WRANGLER_STATE = join(".wrangler", "state");

try {
  restrictNewFiles();
  const file = resolve(".dev.vars");
  ensureSecrets(file);
  ensureOpenRegistration(file);
  // DEV_STATE is the folder of `npm run dev`.
  await applyMigrations(process.env.DEV_STATE ?? WRANGLER_STATE, parseShards(homesSetting(process.env)));
  await buildApp(["web"]);
} catch (problem) {
  failStart(problem as Error);
}
