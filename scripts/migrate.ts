import { Command } from "commander";
import { parseShards } from "../src/contract/shards.ts";
import { signInToCloudflare } from "./common/cloudflare.ts";
import { findRunningOperator } from "./common/copy-databases.ts";
import { failCommand } from "./common/fail.ts";
import { stateDirectory } from "./common/local-database.ts";
import { applyMigrations } from "./common/migrations.ts";
import { requireConfirmation } from "./common/prompt.ts";
import { homesSetting } from "./common/settings.ts";
import { describeMigrationStep, findPendingMigrations, migrateAll, showBookmarks } from "./deploy/migrate.ts";
import { findDeployedResources, resourceNames } from "./deploy/resources.ts";
import { writeWranglerConfig } from "./deploy/wrangler.ts";
import { restrictNewFiles } from "./start/file-permissions.ts";

// `npm run migrate`: applies this version's migrations to every database of a service, without a deployment. Each
// database records its migrations, so an interrupted command can be repeated.

type Options = { remote?: true; yes?: true; dryRun?: true };

const command = new Command("npm run migrate --")
  .description(
    "Applies the missing migrations to every database. `npm start` and `npm run deploy` do this too.",
  )
  .option(
    "--remote",
    "the deployment on Cloudflare instead of the copy on this machine, which must be stopped",
  )
  .option("--yes", "with --remote: do not ask, for scripts")
  .option("--dry-run", "with --remote: only show what would be done");

const UP_TO_DATE = "Every database has all migrations.";

async function migrateLocal(): Promise<void> {
  const stateDir = stateDirectory(process.env);
  if (await findRunningOperator(stateDir))
    throw new Error("Stop the service first. It applies the migrations when it starts again.");
  const applied = await applyMigrations(stateDir, parseShards(homesSetting(process.env)));
  for (const { binding, names } of applied) console.log(`${binding}: ${names.join(", ")}`);
  if (applied.length === 0) console.log(UP_TO_DATE);
}

async function migrateRemote({ yes, dryRun }: Options): Promise<void> {
  const cloudflare = await signInToCloudflare(process.env);
  // Without the bucket, so that the token needs no permission for R2.
  const { bucket: _, ...names } = resourceNames(cloudflare);
  const found = await findDeployedResources(cloudflare, names);
  const pending = await findPendingMigrations(cloudflare, names, found);
  if (pending.length === 0) return console.log(UP_TO_DATE);
  const notCreated = pending.find(({ id }) => id === undefined);
  if (notCreated) throw new Error(`There is no database ${notCreated.name}: \`npm run deploy\` creates it`);
  for (const one of pending) console.log(`  - ${describeMigrationStep(one)}`);
  if (dryRun) return;
  if (!yes) await requireConfirmation();
  await showBookmarks(cloudflare, pending);
  await migrateAll(cloudflare, pending, writeWranglerConfig("migrate", found));
}

async function main(): Promise<void> {
  restrictNewFiles();
  const options = command.parse().opts<Options>();
  await (options.remote ? migrateRemote(options) : migrateLocal());
}

main().catch(failCommand);
