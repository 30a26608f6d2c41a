import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { FIRST_SHARD } from "../src/contract/shard.ts";
import { type Shard, shardBinding } from "../src/contract/shards.ts";
import { copyDatabase, extraMigrations } from "./backup/copy-database.ts";
import { checkFiles, describeFileCount, restoreFiles } from "./backup/files.ts";
import {
  applyMigrationFiles,
  loadTables,
  missingMigrations,
  readBackupTables,
  readDatabaseTables,
  rebuildSearchIndex,
  verifyDatabase,
} from "./backup/load.ts";
import { repairAddressBook } from "./backup/repair-address-book.ts";
import { resolveDuplicateAccounts } from "./backup/resolve-duplicates.ts";
import { readBackup, type ShardBackup } from "./backup/shards.ts";
import { type BackupManifest, readOAuthEntries } from "./common/backup-folder.ts";
import { type FileBucket, localBucket, remoteBucket } from "./common/bucket.ts";
import {
  type CloudflareClient,
  remoteDatabase,
  requireDatabaseId,
  signInToCloudflare,
} from "./common/cloudflare.ts";
import { openStoppedDatabase } from "./common/copy-databases.ts";
import { baseCtxFor } from "./common/d1.ts";
import { localShards, remoteShards } from "./common/databases.ts";
import { type KvNamespace, localNamespace, remoteNamespace } from "./common/kv.ts";
import {
  openSnapshot,
  type ReadableDatabase,
  requireDatabaseFile,
  stateDirectory,
  type WritableDatabase,
} from "./common/local-database.ts";
import { applyMigrations } from "./common/migrations.ts";
import { RetriesExhausted } from "./common/retry.ts";
import { restrictNewFiles } from "./start/file-permissions.ts";

// `npm run restore -- <folder>`: restores a backup into a copy on this machine that has no accounts yet, or into the
// databases of a deployment on Cloudflare.

const command = new Command("npm run restore --")
  .description(
    "Restores every account of a backup into STATE_DIR, which must have no accounts. Stop the service first.",
  )
  .option("--verify", "only test the backup: restore into a scratch database and compare everything")
  .option("--home <binding>", "only this home, such as DB_2, which must have no accounts")
  .option(
    "--remote",
    "into the empty databases of the deployment on Cloudflare; run it again if it is interrupted",
  )
  .option("--database <id>", "with --remote: a database other than the first one in wrangler.toml")
  .option("--namespace <id>", "with --remote: a KV namespace other than the deployment's own")
  .argument("<folder>", "a folder written by npm run backup");

type Options = { verify?: true; home?: string; remote?: true; database?: string; namespace?: string };

/** Loads a backup into a scratch database and compares the two. */
async function loadAndVerify({ folder, manifest }: ShardBackup, file: string): Promise<void> {
  applyMigrationFiles(file, manifest.migrations, "The backup");
  await loadTables(readBackupTables(folder, manifest), file);
  await verifyDatabase(manifest, file);
  const rows = Object.values(manifest.tables).reduce((sum, { count }) => sum + count, 0);
  await readOAuthEntries(folder, manifest);
  const files = await withSource(file, async (source) =>
    manifest.tables.files ? checkFiles(source, folder) : undefined,
  );
  console.log(`The backup is complete: ${rows} rows in ${Object.keys(manifest.tables).length} tables.`);
  if (files) console.log(describeFileCount(files));
}

async function withSource<Result>(
  file: string,
  use: (source: ReadableDatabase) => Promise<Result>,
): Promise<Result> {
  const source = openSnapshot(file);
  return use(source).finally(source.close);
}

/** Calls `use` with a scratch database that contains the backup of a shard. */
async function withScratch(part: ShardBackup, use: (file: string) => Promise<void>): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "commonplace-restore-"));
  try {
    const file = join(scratch, "scratch.sqlite");
    await loadAndVerify(part, file);
    await use(file);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

type Service = {
  shards: Shard[];
  open: (shard: number) => Promise<WritableDatabase>;
  copyInto: (scratch: string, part: ShardBackup) => Promise<void>;
  namespace: KvNamespace;
  bucket: FileBucket | undefined;
  doneText: string;
};

async function requireNoAccounts(stateDir: string, shard: number): Promise<void> {
  const [users] = await withSource(requireDatabaseFile(stateDir, shard), (source) =>
    source.query("SELECT count(*) AS n FROM users"),
  );
  const where = shard === FIRST_SHARD ? stateDir : `${shardBinding(shard)} in ${stateDir}`;
  if (users?.n !== 0) throw new Error(`${where} already has accounts: restore into another STATE_DIR`);
}

/** The copy on this machine, with this version's migrations. Throws if it is in use, or if one of the target shards has accounts. */
async function localService(targetShards: number[]): Promise<Service> {
  const stateDir = stateDirectory(process.env);
  if (existsSync(join(stateDir, "running"))) throw new Error(`${stateDir} is in use: stop the service first`);
  const shards = await localShards(process.env);
  const existingTargets = targetShards.filter((shard) => shards.some(({ number }) => number === shard));
  await applyMigrations(stateDir, shards);
  for (const shard of existingTargets) await requireNoAccounts(stateDir, shard);
  return {
    shards,
    open: async (shard) => openStoppedDatabase(requireDatabaseFile(stateDir, shard)),
    copyInto: async (scratch, { manifest, shard }) => {
      applyMigrationFiles(scratch, missingMigrations(manifest), "This version");
      const file = requireDatabaseFile(stateDir, shard);
      await withSource(scratch, async (local) => loadTables(await readDatabaseTables(local), file));
      await rebuildSearchIndex(file);
    },
    namespace: localNamespace(stateDir),
    bucket: await localBucket(stateDir),
    doneText: `Restored into ${stateDir}.`,
  };
}

const RESTORED_REMOTE = `Restored into the deployment's database. Every table matches the backup.
Search finds nothing yet: \`npm run reindex -- --url <address>\` builds its index now;
otherwise the deployment's hourly cron handler builds it gradually.`;

async function remoteService(
  cloudflare: CloudflareClient,
  { database, namespace }: Options,
): Promise<Service> {
  const open = async (shard: number) => {
    const databaseOverride = shard === FIRST_SHARD ? database : undefined;
    return remoteDatabase(
      cloudflare,
      databaseOverride ?? (await requireDatabaseId(cloudflare, shardBinding(shard))),
    );
  };
  return {
    shards: remoteShards(cloudflare),
    open,
    copyInto: async (scratch, { manifest, shard }) => {
      const remote = await open(shard);
      applyMigrationFiles(scratch, await extraMigrations(remote, manifest.migrations), "The deployment");
      await withSource(scratch, (local) => copyDatabase(remote, local));
    },
    // Before anything is written: if the namespace is missing, the restore can start over after it was created.
    namespace: await remoteNamespace(cloudflare, namespace),
    bucket: remoteBucket(cloudflare),
    doneText: RESTORED_REMOTE,
  };
}

async function restoreConnections(
  folder: string,
  manifest: BackupManifest,
  namespace: KvNamespace,
): Promise<void> {
  if (!manifest.oauth_kv) {
    console.log(
      "The backup is from a release that did not back up connections: MCP clients have to sign in again.",
    );
    return;
  }
  await namespace.add(await readOAuthEntries(folder, manifest));
}

/** Resolves accounts that are in several shards, repairs the address directory, and lists accounts that cannot sign in. */
async function reconcileShards({ shards, open }: Service, restored: number[]): Promise<void> {
  const targets = new Map<number, WritableDatabase>();
  for (const { number } of shards) targets.set(number, await open(number));
  const bases = [...targets].map(([number, target]) => baseCtxFor(target, number));
  await resolveDuplicateAccounts(bases, (shard) => restored.includes(shard));
  const first = targets.get(FIRST_SHARD) as WritableDatabase;
  const others = [...targets].filter(([number]) => number !== FIRST_SHARD);
  const { taken, lost } = await repairAddressBook(
    first,
    others.map(([number, source]) => ({ number, source })),
  );
  for (const { email, number } of taken)
    console.log(`${email} in DB_${number} cannot sign in: another home has an account with this address`);
  for (const email of lost)
    console.log(
      `${email} cannot sign in: its home was restored from a backup that does not contain the account`,
    );
  for (const target of targets.values()) target.close();
}

/** Throws if a part belongs to a shard that the service does not have. Its users' credentials contain its number. */
function requireShards({ shards }: Service, parts: ShardBackup[]): void {
  const missing = parts.find(({ shard }) => !shards.some(({ number }) => number === shard));
  if (!missing) return;
  const binding = shardBinding(missing.shard);
  throw new Error(
    `This is a backup of ${binding}, which is not in HOMES. Add it, as in DB=weur:open, ` +
      `${binding}=weur:open: users' credentials contain the number of their home`,
  );
}

async function restore(parts: ShardBackup[], options: Options): Promise<void> {
  const service = options.remote
    ? await remoteService(await signInToCloudflare(process.env), options)
    : await localService(parts.map(({ shard }) => shard));
  requireShards(service, parts);
  for (const part of parts) {
    await withScratch(part, async (scratch) => {
      // The bytes first, so that no row is without them.
      if (part.manifest.tables.files)
        await withSource(scratch, (source) => restoreFiles(source, service.bucket, part.folder));
      await service.copyInto(scratch, part);
    });
    await restoreConnections(part.folder, part.manifest, service.namespace);
  }
  const restored = parts.map(({ shard }) => shard);
  if (service.shards.length > 1) await reconcileShards(service, restored);
  await service.bucket?.close();
  console.log(service.doneText);
}

/** The parts to restore. Throws if the backup does not contain the requested shard. */
function selectParts(parts: ShardBackup[], binding: string | undefined): ShardBackup[] {
  if (binding === undefined) return parts;
  const selected = parts.filter(({ shard }) => binding === shardBinding(shard));
  if (selected.length === 0) throw new Error(`The backup does not contain ${binding}`);
  return selected;
}

async function main(): Promise<void> {
  restrictNewFiles();
  const [folder = ""] = command.parse().args;
  const options = command.opts<Options>();
  const parts = selectParts(await readBackup(folder), options.home);
  if (!options.verify) return restore(parts, options);
  for (const part of parts)
    await withScratch(part, async (scratch) => {
      applyMigrationFiles(scratch, missingMigrations(part.manifest), "This version");
      await rebuildSearchIndex(scratch);
    });
}

main().catch((problem: Error) => {
  const hint = problem instanceof RetriesExhausted ? ". Run the command again to continue from here" : "";
  console.error(problem.message + hint);
  process.exit(1);
});
