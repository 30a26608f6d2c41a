import { Command } from "commander";
import { parseHomes } from "../src/contract/homes.ts";
import { signIn } from "./common/cloudflare.ts";
import { applyMigrations } from "./common/migrations.ts";
import { homesSetting } from "./common/settings.ts";
import { stateDirOf } from "./common/source.ts";
import { runningCopy } from "./common/targets.ts";
import { confirm } from "./deploy/confirm.ts";
import { findPending, migrateAll, showBookmarks, stepOf } from "./deploy/migrate.ts";
import { findDeployed, namesOf } from "./deploy/resources.ts";
import { writeConfig } from "./deploy/wrangler.ts";
import { createPrivately } from "./start/private.ts";

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
  const stateDir = stateDirOf(process.env);
  if (await runningCopy(stateDir))
    throw new Error("Stop the service first. It applies the migrations when it starts again.");
  const applied = await applyMigrations(stateDir, parseHomes(homesSetting(process.env)));
  for (const { binding, names } of applied) console.log(`${binding}: ${names.join(", ")}`);
  if (applied.length === 0) console.log(UP_TO_DATE);
}

async function migrateRemote({ yes, dryRun }: Options): Promise<void> {
  const cloudflare = await signIn(process.env);
  // Without the bucket, so that the token needs no permission for R2.
  const { bucket: _, ...names } = namesOf(cloudflare);
  const found = await findDeployed(cloudflare, names);
  const pending = await findPending(cloudflare, names, found);
  if (pending.length === 0) return console.log(UP_TO_DATE);
  const notCreated = pending.find(({ id }) => id === undefined);
  if (notCreated) throw new Error(`There is no database ${notCreated.name}: \`npm run deploy\` creates it`);
  for (const one of pending) console.log(`  - ${stepOf(one)}`);
  if (dryRun) return;
  if (!yes) await confirm();
  await showBookmarks(cloudflare, pending);
  await migrateAll(cloudflare, pending, writeConfig("migrate", found));
}

async function main(): Promise<void> {
  createPrivately();
  const options = command.parse().opts<Options>();
  await (options.remote ? migrateRemote(options) : migrateLocal());
}

main().catch((problem: Error) => {
  console.error(problem.message);
  process.exit(1);
});
