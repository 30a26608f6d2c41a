import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import type { Home } from "../src/contract/homes.ts";
import { backUpFiles, toldOf } from "./backup/files.ts";
import { homeFolder, writeHomesManifest } from "./backup/homes.ts";
import { type Opened, readMoves, withAll } from "./backup/together.ts";
import { type Bucket, localBucket, remoteBucket } from "./common/bucket.ts";
import { databaseId, remoteDatabase, signIn } from "./common/cloudflare.ts";
import { homeNamed, localHomes, remoteHomes } from "./common/databases.ts";
import { dump } from "./common/dump.ts";
import { localNamespace, type Namespace, ofUsers, remoteNamespace } from "./common/kv.ts";
import { GivenUp } from "./common/patience.ts";
import { secretsFile } from "./common/settings.ts";
import { localFile, localSource, type Source, stateDirOf } from "./common/source.ts";
import { createPrivately } from "./start/private.ts";

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
  homes: Home[];
  open: (shard: Home) => Promise<Source>;
  namespace: Namespace;
  bucket: Bucket | undefined;
  /** Whether an open database is a snapshot of one moment. */
  isSnapshot: boolean;
};

async function openService({ remote, database, namespace: namespaceId }: Options): Promise<Service> {
  if (remote) {
    const cloudflare = await signIn(process.env);
    const shards = database ? remoteHomes(cloudflare).slice(0, 1) : remoteHomes(cloudflare);
    const open = async ({ binding }: Home) =>
      remoteDatabase(cloudflare, database ?? (await databaseId(cloudflare, binding)));
    const namespace = await remoteNamespace(cloudflare, namespaceId);
    return { homes: shards, open, namespace, bucket: remoteBucket(cloudflare), isSnapshot: false };
  }
  const stateDir = stateDirOf(process.env);
  const shards = await localHomes(process.env);
  const open = async ({ number }: Home) => localSource(localFile(stateDir, number));
  const bucket = await localBucket(stateDir);
  return { homes: shards, open, namespace: localNamespace(stateDir), bucket, isSnapshot: true };
}

/** Backs up one database into a folder. */
async function backUpShard(
  { namespace, bucket, homes: shards }: Service,
  { home: shard, source }: Opened,
  folder: string,
): Promise<void> {
  const isSingle = shards.length === 1;
  const entries = isSingle ? namespace : ofUsers(namespace, source);
  const deployment = { source, namespace: entries, ...(!isSingle && { home: shard.number }) };
  const { tables, oauth_kv } = await dump(deployment, folder, new Date());
  if (!isSingle) console.log(`${shard.binding}:`);
  for (const [table, { count }] of Object.entries(tables)) console.log(`${table}: ${count}`);
  console.log(`entries of the OAuth server: ${oauth_kv.count}`);
  if (tables.files) console.log(toldOf(await backUpFiles(source, bucket, folder)));
}

/** How often to try again because an account was moved between the databases in the meantime. */
const ATTEMPTS = 5;

/**
 * Backs up every database into its own folder. Returns false if an account was moved in the meantime: it may then be
 * missing in all of them.
 */
const backUpTogether = (service: Service, folder: string): Promise<boolean> =>
  withAll(service.homes, service.open, async (opened) => {
    const before = await readMoves(opened);
    const isUnchanged = () =>
      withAll(service.homes, service.open, async (reopened) => (await readMoves(reopened)) === before);
    if (service.isSnapshot && !(await isUnchanged())) return false;
    for (const one of opened) await backUpShard(service, one, join(folder, homeFolder(one.home.number)));
    return service.isSnapshot || isUnchanged();
  });

async function backUpAll(service: Service, folder: string): Promise<void> {
  const { homes: shards } = service;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await backUpTogether(service, folder)) return writeHomesManifest(folder, shards, new Date());
    for (const { number } of shards)
      rmSync(join(folder, homeFolder(number)), { recursive: true, force: true });
  }
  throw new Error("Accounts are being moved between the databases: run this again when that has ended");
}

async function main(): Promise<void> {
  createPrivately();
  const [folder = ""] = command.parse().args;
  const options = command.opts<Options>();
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
  const service = await openService(options);
  const [first, ...others] = service.homes;
  const shardNumber = options.home === undefined ? undefined : homeNamed(service, options.home);
  const single = others.length === 0 ? first : service.homes.find(({ number }) => number === shardNumber);
  if (single) await withAll([single], service.open, ([one]) => backUpShard(service, one as Opened, folder));
  else await backUpAll(service, folder);
  await service.bucket?.close();
  console.log(
    `Written to ${folder}. It contains everything that people wrote, and password hashes: keep it as safe as`,
  );
  console.log(`the database. Keep JWT_SECRET (in ${secretsFile()}) too, in a different place.`);
}

const RETRY_HINT = "The folder does not contain a backup yet: delete its content and run the command again.";

main().catch((problem: Error) => {
  console.error(problem instanceof GivenUp ? `${problem.message}. ${RETRY_HINT}` : problem.message);
  process.exit(1);
});
