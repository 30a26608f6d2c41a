import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { FIRST_HOME } from "../src/contract/home.ts";
import { bindingOf, type Home } from "../src/contract/homes.ts";
import { checkFiles, restoreFiles, toldOf } from "./backup/files.ts";
import { type Part, readBackup } from "./backup/homes.ts";
import {
  indexAll,
  load,
  migrate,
  migrationsAfter,
  rowsOfBackup,
  rowsOfSource,
  verify,
} from "./backup/load.ts";
import { rebook } from "./backup/rebook.ts";
import { copyTo, laterMigrations } from "./backup/remote.ts";
import { settleRestored } from "./backup/settle.ts";
import { type Bucket, localBucket, remoteBucket } from "./common/bucket.ts";
import { type Cloudflare, databaseId, remoteDatabase, signIn } from "./common/cloudflare.ts";
import { baseOf } from "./common/d1.ts";
import { localHomes, remoteHomes } from "./common/databases.ts";
import { type Manifest, readEntries } from "./common/dump.ts";
import { localNamespace, type Namespace, remoteNamespace } from "./common/kv.ts";
import { applyMigrations } from "./common/migrations.ts";
import { GivenUp } from "./common/patience.ts";
import { localFile, localSource, type Source, stateDirOf, type Target } from "./common/source.ts";
import { stoppedTarget } from "./common/targets.ts";
import { createPrivately } from "./start/private.ts";

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
async function loadAndVerify({ folder, manifest }: Part, file: string): Promise<void> {
  migrate(file, manifest.migrations, "The backup");
  await load(rowsOfBackup(folder, manifest), file);
  await verify(manifest, file);
  const rows = Object.values(manifest.tables).reduce((sum, { count }) => sum + count, 0);
  await readEntries(folder, manifest);
  const files = await withSource(file, async (source) =>
    manifest.tables.files ? checkFiles(source, folder) : undefined,
  );
  console.log(`The backup is complete: ${rows} rows in ${Object.keys(manifest.tables).length} tables.`);
  if (files) console.log(toldOf(files));
}

/** Calls `use` with a snapshot of a database file. */
async function withSource<Result>(file: string, use: (source: Source) => Promise<Result>): Promise<Result> {
  const source = localSource(file);
  return use(source).finally(source.close);
}

/** Calls `use` with a scratch database that contains the backup of a shard. */
async function withScratch(part: Part, use: (file: string) => Promise<void>): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "commonplace-restore-"));
  try {
    const file = join(scratch, "scratch.sqlite");
    await loadAndVerify(part, file);
    await use(file);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The service that a backup is restored into. */
type Service = {
  homes: Home[];
  open: (shard: number) => Promise<Target>;
  /** Copies a scratch database into a shard. */
  copyInto: (scratch: string, part: Part) => Promise<void>;
  namespace: Namespace;
  bucket: Bucket | undefined;
  /** The message at the end. */
  doneText: string;
};

/** Throws if a local database has accounts. */
async function requireNoAccounts(stateDir: string, shard: number): Promise<void> {
  const source = localSource(localFile(stateDir, shard));
  const [users] = await source.query("SELECT count(*) AS n FROM users");
  source.close();
  const where = shard === FIRST_HOME ? stateDir : `${bindingOf(shard)} in ${stateDir}`;
  if (users?.n !== 0) throw new Error(`${where} already has accounts: restore into another STATE_DIR`);
}

/** The copy on this machine, with this version's migrations. Throws if it is in use, or if one of `into` has accounts. */
async function localService(targetShards: number[]): Promise<Service> {
  const stateDir = stateDirOf(process.env);
  if (existsSync(join(stateDir, "running"))) throw new Error(`${stateDir} is in use: stop the service first`);
  const shards = await localHomes(process.env);
  const existingTargets = targetShards.filter((shard) => shards.some(({ number }) => number === shard));
  await applyMigrations(stateDir, shards);
  for (const shard of existingTargets) await requireNoAccounts(stateDir, shard);
  return {
    homes: shards,
    open: async (shard) => stoppedTarget(localFile(stateDir, shard)),
    copyInto: async (scratch, { manifest, home: shard }) => {
      migrate(scratch, migrationsAfter(manifest), "This version");
      const file = localFile(stateDir, shard);
      const local = localSource(scratch);
      await load(await rowsOfSource(local), file).finally(local.close);
      await indexAll(file);
    },
    namespace: localNamespace(stateDir),
    bucket: await localBucket(stateDir),
    doneText: `Restored into ${stateDir}.`,
  };
}

const RESTORED_REMOTE = `Restored into the deployment's database. Every table matches the backup.
Search finds nothing yet: \`npm run reindex -- --url <address>\` builds its index now;
otherwise the deployment's hourly cron handler builds it gradually.`;

/** The deployment on Cloudflare, with its own migrations. */
async function remoteService(cloudflare: Cloudflare, { database, namespace }: Options): Promise<Service> {
  const open = async (shard: number) => {
    const databaseOverride = shard === FIRST_HOME ? database : undefined;
    return remoteDatabase(cloudflare, databaseOverride ?? (await databaseId(cloudflare, bindingOf(shard))));
  };
  return {
    homes: remoteHomes(cloudflare),
    open,
    copyInto: async (scratch, { manifest, home: shard }) => {
      const remote = await open(shard);
      migrate(scratch, await laterMigrations(remote, manifest.migrations), "The deployment");
      const local = localSource(scratch);
      await copyTo(remote, local).finally(local.close);
    },
    // Before anything is written: if the namespace is missing, the restore can start over after it was created.
    namespace: await remoteNamespace(cloudflare, namespace),
    bucket: remoteBucket(cloudflare),
    doneText: RESTORED_REMOTE,
  };
}

/** Restores the connections of MCP clients, if the backup has them. */
async function restoreConnections(folder: string, manifest: Manifest, namespace: Namespace): Promise<void> {
  if (!manifest.oauth_kv) {
    console.log(
      "The backup is from a release that did not back up connections: MCP clients have to sign in again.",
    );
    return;
  }
  await namespace.add(await readEntries(folder, manifest));
}

/** Resolves accounts that are in several shards, repairs the address book, and lists accounts that cannot sign in. */
async function reconcileShards({ homes: shards, open }: Service, restored: number[]): Promise<void> {
  const targets = new Map<number, Target>();
  for (const { number } of shards) targets.set(number, await open(number));
  const bases = [...targets].map(([number, target]) => baseOf(target, number));
  await settleRestored(bases, (shard) => restored.includes(shard));
  const first = targets.get(FIRST_HOME) as Target;
  const others = [...targets].filter(([number]) => number !== FIRST_HOME);
  const { taken, lost } = await rebook(
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
function requireShards({ homes: shards }: Service, parts: Part[]): void {
  const missing = parts.find(({ home: shard }) => !shards.some(({ number }) => number === shard));
  if (!missing) return;
  const binding = bindingOf(missing.home);
  throw new Error(
    `This is a backup of ${binding}, which is not in HOMES. Add it, as in DB=weur:open, ` +
      `${binding}=weur:open: users' credentials contain the number of their home`,
  );
}

async function restore(parts: Part[], options: Options): Promise<void> {
  const service = options.remote
    ? await remoteService(await signIn(process.env), options)
    : await localService(parts.map(({ home: shard }) => shard));
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
  const restored = parts.map(({ home: shard }) => shard);
  if (service.homes.length > 1) await reconcileShards(service, restored);
  await service.bucket?.close();
  console.log(service.doneText);
}

/** The parts to restore. Throws if the backup does not contain the requested shard. */
function selectParts(parts: Part[], binding: string | undefined): Part[] {
  if (binding === undefined) return parts;
  const selected = parts.filter(({ home: shard }) => binding === bindingOf(shard));
  if (selected.length === 0) throw new Error(`The backup does not contain ${binding}`);
  return selected;
}

async function main(): Promise<void> {
  createPrivately();
  const [folder = ""] = command.parse().args;
  const options = command.opts<Options>();
  const parts = selectParts(await readBackup(folder), options.home);
  if (!options.verify) return restore(parts, options);
  for (const part of parts)
    await withScratch(part, async (scratch) => {
      migrate(scratch, migrationsAfter(part.manifest), "This version");
      await indexAll(scratch);
    });
}

main().catch((problem: Error) => {
  const hint = problem instanceof GivenUp ? ". Run the command again to continue from here" : "";
  console.error(problem.message + hint);
  process.exit(1);
});
