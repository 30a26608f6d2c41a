import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import type { Shard } from "../src/contract/shards.ts";
import { backUpFiles, describeFileCount } from "./backup/files.ts";
import { type OpenShard, readMigrationState, withOpenShards } from "./backup/open-shards.ts";
import { shardFolder, writeShardsManifest } from "./backup/shards.ts";
import { type BackupSource, writeBackup } from "./common/backup-folder.ts";
import { type FileBucket, localBucket, remoteBucket } from "./common/bucket.ts";
import { remoteDatabase, requireDatabaseId, signInToCloudflare } from "./common/cloudflare.ts";
import { localShards, remoteShards, shardNumberOf } from "./common/databases.ts";
import { entriesOfUsers, type KvNamespace, localNamespace, remoteNamespace } from "./common/kv.ts";
import {
  openSnapshot,
  type ReadableDatabase,
  requireDatabaseFile,
  stateDirectory,
} from "./common/local-database.ts";
import { RetriesExhausted } from "./common/retry.ts";
import { secretsFile } from "./common/settings.ts";
import { restrictNewFiles } from "./start/file-permissions.ts";

// `npm run backup -- --all <folder>`: backs up every account of a service, for its operator.

const command = new Command("npm run backup --")
  .description("Writes every account into a folder. The service may keep running.")
  .requiredOption("--all", "every account (GET /api/export is for a single one)")
  .option("--home <binding>", "only the accounts of this home, such as DB_2")
  .option("--remote", "back up the deployment on Cloudflare instead of the copy on this machine")
  .option("--database <id>", "with --remote: only this database, instead of those in wrangler.toml")
  .option("--namespace <id>", "with --remote: a KV namespace other than the deployment's own")
  .argument("<folder>", "a folder that is empty or does not exist yet");

type Options = { home?: string; remote?: true; database?: string; namespace?: string };

/** What is backed up. The databases share the namespace and the bucket. */
type Service = {
  shards: Shard[];
  open: (shard: Shard) => Promise<ReadableDatabase>;
  namespace: KvNamespace;
  bucket: FileBucket | undefined;
  /** Open databases stay as they were when opened; on Cloudflare they change while they are read. */
  isSnapshot: boolean;
};

async function openService({ remote, database, namespace: namespaceId }: Options): Promise<Service> {
  if (remote) {
    const cloudflare = await signInToCloudflare(process.env);
    const shards = database ? remoteShards(cloudflare).slice(0, 1) : remoteShards(cloudflare);
    const open = async ({ binding }: Shard) =>
      remoteDatabase(cloudflare, database ?? (await requireDatabaseId(cloudflare, binding)));
    const namespace = await remoteNamespace(cloudflare, namespaceId);
    return { shards, open, namespace, bucket: remoteBucket(cloudflare), isSnapshot: false };
  }
  const stateDir = stateDirectory(process.env);
  const shards = await localShards(process.env);
  const open = async ({ number }: Shard) => openSnapshot(requireDatabaseFile(stateDir, number));
  const bucket = await localBucket(stateDir);
  return { shards, open, namespace: localNamespace(stateDir), bucket, isSnapshot: true };
}

async function backUpShard(
  { namespace, bucket, shards }: Service,
  { shard, source }: OpenShard,
  folder: string,
): Promise<void> {
  const isSingle = shards.length === 1;
  const entries = isSingle ? namespace : entriesOfUsers(namespace, source);
  const backedUp: BackupSource = {
    database: source,
    namespace: entries,
    shard: isSingle ? undefined : shard.number,
  };
  const { tables, oauth_kv } = await writeBackup(backedUp, folder, new Date());
  if (!isSingle) console.log(`${shard.binding}:`);
  for (const [table, { count }] of Object.entries(tables)) console.log(`${table}: ${count}`);
  console.log(`entries of the OAuth server: ${oauth_kv.count}`);
  if (tables.files) console.log(describeFileCount(await backUpFiles(source, bucket, folder)));
}

/** How often to try again because an account was moved between the databases in the meantime. */
const ATTEMPTS = 5;

/**
 * Backs up every database into its own folder. Returns false if an account was moved in the meantime: it may then be
 * missing in all of them.
 */
const backUpTogether = (service: Service, folder: string): Promise<boolean> =>
  withOpenShards(service.shards, service.open, async (opened) => {
    const before = await readMigrationState(opened);
    const isUnchanged = () =>
      withOpenShards(
        service.shards,
        service.open,
        async (reopened) => (await readMigrationState(reopened)) === before,
      );
    if (service.isSnapshot && !(await isUnchanged())) return false;
    for (const one of opened) await backUpShard(service, one, join(folder, shardFolder(one.shard.number)));
    return service.isSnapshot || isUnchanged();
  });

async function backUpAll(service: Service, folder: string): Promise<void> {
  const { shards } = service;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await backUpTogether(service, folder)) return writeShardsManifest(folder, shards, new Date());
    for (const { number } of shards)
      rmSync(join(folder, shardFolder(number)), { recursive: true, force: true });
  }
  throw new Error("Accounts are being moved between the databases: run this again when that has ended");
}

async function main(): Promise<void> {
  restrictNewFiles();
  const [folder = ""] = command.parse().args;
  const options = command.opts<Options>();
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
  const service = await openService(options);
  const [first, ...others] = service.shards;
  const shardNumber = options.home === undefined ? undefined : shardNumberOf(service, options.home);
  const single = others.length === 0 ? first : service.shards.find(({ number }) => number === shardNumber);
  if (single)
    await withOpenShards([single], service.open, ([one]) => backUpShard(service, one as OpenShard, folder));
  else await backUpAll(service, folder);
  await service.bucket?.close();
  console.log(
    `Written to ${folder}. It contains everything that people wrote, and password hashes: keep it as safe as`,
  );
  console.log(`the database. Keep JWT_SECRET (in ${secretsFile()}) too, in a different place.`);
}

const RETRY_HINT = "The folder does not contain a backup yet: delete its content and run the command again.";

main().catch((problem: Error) => {
  console.error(problem instanceof RetriesExhausted ? `${problem.message}. ${RETRY_HINT}` : problem.message);
  process.exit(1);
});
