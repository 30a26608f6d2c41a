import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { checkBackup, type Manifest } from "./backup/dump.ts";
import { load, scratchDatabase, verify } from "./backup/load.ts";
import { localFile, localSource, stateDirOf } from "./backup/source.ts";
import { applyMigrations } from "./start/migrations.ts";

// `npm run restore -- <folder>`: brings a backup into a copy on this machine that has no accounts yet.

const command = new Command("npm run restore --")
  .description(
    "Restores every account of a backup into STATE_DIR, which must have no accounts. Stop the service first.",
  )
  .option("--verify", "only try it: restore into a scratch database and compare everything")
  .argument("<folder>", "what npm run backup has written");

/** Restores into a scratch database, and holds it against the backup. */
async function tryOut(folder: string, manifest: Manifest): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "commonplace-restore-"));
  try {
    const file = join(scratch, "scratch.sqlite");
    scratchDatabase(file, manifest);
    await load(folder, manifest, file);
    await verify(manifest, file);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The local database, at this version's migrations. Throws when it is in use or has accounts. */
async function emptyDatabase(): Promise<string> {
  const stateDir = stateDirOf(process.env);
  if (existsSync(join(stateDir, "running"))) throw new Error(`A copy uses ${stateDir}: stop it first`);
  await applyMigrations(stateDir);
  const file = localFile(stateDir);
  const source = localSource(file);
  const [users] = source.query("SELECT count(*) AS n FROM users");
  source.close();
  if (users?.n !== 0) throw new Error(`${stateDir} already has accounts: restore into another STATE_DIR`);
  return file;
}

async function main(): Promise<void> {
  const [folder = ""] = command.parse().args;
  const manifest = await checkBackup(folder);
  const rows = Object.values(manifest.tables).reduce((sum, { count }) => sum + count, 0);
  await tryOut(folder, manifest);
  console.log(`The backup is whole: ${rows} rows in ${Object.keys(manifest.tables).length} tables.`);
  if (command.opts<{ verify?: boolean }>().verify) return;
  const file = await emptyDatabase();
  await load(folder, manifest, file);
  console.log(`Restored into ${file}.`);
}

main().catch((problem: Error) => {
  console.error(problem.message);
  process.exit(1);
});
