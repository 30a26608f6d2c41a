import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { remoteDatabase } from "./backup/cloudflare.ts";
import { checkBackup, type Manifest } from "./backup/dump.ts";
import { load, migrate, verify } from "./backup/load.ts";
import { copyTo, laterMigrations } from "./backup/remote.ts";
import { localFile, localSource, stateDirOf } from "./backup/source.ts";
import { applyMigrations } from "./start/migrations.ts";
import { createPrivately } from "./start/private.ts";

// `npm run restore -- <folder>`: brings a backup into a copy on this machine that has no accounts yet, or into the
// database of a deployment on Cloudflare.

const command = new Command("npm run restore --")
  .description(
    "Restores every account of a backup into STATE_DIR, which must have no accounts. Stop the service first.",
  )
  .option("--verify", "only try it: restore into a scratch database and compare everything")
  .option("--remote", "into the empty database of the deployment on Cloudflare. Repeat it if it breaks off")
  .option("--database <id>", "with --remote: another database than the one of wrangler.toml")
  .argument("<folder>", "what npm run backup has written");

type Options = { verify?: true; remote?: true; database?: string };

/** Restores into a scratch database, and holds it against the backup. */
async function tryOut(folder: string, manifest: Manifest, file: string): Promise<void> {
  migrate(file, manifest.migrations, "The backup");
  await load(folder, manifest, file);
  await verify(manifest, file);
  const rows = Object.values(manifest.tables).reduce((sum, { count }) => sum + count, 0);
  console.log(`The backup is whole: ${rows} rows in ${Object.keys(manifest.tables).length} tables.`);
}

/** The local database, at this version's migrations. Throws when it is in use or has accounts. */
async function emptyDatabase(): Promise<string> {
  const stateDir = stateDirOf(process.env);
  if (existsSync(join(stateDir, "running"))) throw new Error(`A copy uses ${stateDir}: stop it first`);
  await applyMigrations(stateDir);
  const file = localFile(stateDir);
  const source = localSource(file);
  const [users] = await source.query("SELECT count(*) AS n FROM users");
  source.close();
  if (users?.n !== 0) throw new Error(`${stateDir} already has accounts: restore into another STATE_DIR`);
  return file;
}

async function restoreHere(folder: string, manifest: Manifest): Promise<void> {
  const file = await emptyDatabase();
  await load(folder, manifest, file);
  console.log(`Restored into ${file}.`);
}

/** Copies the scratch database, brought to the deployment's migrations, to Cloudflare. */
async function restoreRemote(scratch: string, manifest: Manifest, database?: string): Promise<void> {
  const remote = await remoteDatabase(process.env, database);
  migrate(scratch, await laterMigrations(remote, manifest.migrations), "The deployment");
  const local = localSource(scratch);
  await copyTo(remote, local);
  local.close();
  console.log("Restored into the deployment's database, and every table compared with the backup.");
  console.log("Search finds nothing yet: `npm run reindex -- --url <address>` builds its index at once,");
  console.log("and the deployment's hourly cron handler builds it by and by.");
}

async function main(): Promise<void> {
  createPrivately();
  const [folder = ""] = command.parse().args;
  const options = command.opts<Options>();
  const manifest = await checkBackup(folder);
  const scratch = mkdtempSync(join(tmpdir(), "commonplace-restore-"));
  try {
    const file = join(scratch, "scratch.sqlite");
    await tryOut(folder, manifest, file);
    if (options.verify) return;
    if (options.remote) await restoreRemote(file, manifest, options.database);
    else await restoreHere(folder, manifest);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

main().catch((problem: Error) => {
  console.error(problem.message);
  process.exit(1);
});
