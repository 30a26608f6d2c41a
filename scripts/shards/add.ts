import { Argument, Command } from "commander";
import { FIRST_SHARD } from "../../src/contract/shard.ts";
import { isRegion, REGIONS, type Region, type Shard, shardBinding } from "../../src/contract/shards.ts";
import { listAppliedMigrations } from "../common/backup-folder.ts";
import {
  type CloudflareClient,
  remoteDatabase,
  requireDatabaseId,
  signInToCloudflare,
} from "../common/cloudflare.ts";
import { openStoppedDatabase } from "../common/copy-databases.ts";
import { type Databases, localDatabases, remoteDatabases } from "../common/databases.ts";
import { requireDatabaseFile, stateDirectory } from "../common/local-database.ts";
import { migrateShard } from "../common/migrations.ts";
import { requireConfirmation } from "../common/prompt.ts";
import { readWranglerConfig, type WranglerConfig } from "../common/wrangler.ts";
import { migrateAll } from "../deploy/migrate.ts";
import { createDatabase, findMissingMigrations } from "../deploy/resources.ts";
import { writeWranglerConfig } from "../deploy/wrangler.ts";
import { sharePushKeys } from "./push-keys.ts";
import { writeHomesSetting } from "./wrangler-toml.ts";

/**
 * A shard with the number after the highest that one has or had, because old credentials may contain an earlier number.
 */
function newShard({ shards }: Databases, { d1_databases }: WranglerConfig, region: Region): Shard {
  const known = d1_databases.map(({ binding }) => Number(/^DB_(\d+)$/.exec(binding)?.[1] ?? FIRST_SHARD));
  const number = Math.max(...shards.map((shard) => shard.number), ...known) + 1;
  return { number, binding: shardBinding(number), region, isOpen: true };
}

/** The shards with their regions. A service with one database has no region yet. */
const withRegions = ({ shards }: Databases, firstRegion: Region): Shard[] =>
  shards.map((shard) => ({ ...shard, region: shard.region ?? firstRegion }));

async function addLocal(region: Region): Promise<void> {
  const databases = await localDatabases(process.env);
  try {
    const shard = newShard(databases, readWranglerConfig(), region);
    migrateShard(stateDirectory(process.env), shard.number);
    const added = openStoppedDatabase(requireDatabaseFile(stateDirectory(process.env), shard.number));
    await sharePushKeys(await databases.database(FIRST_SHARD), [added]).finally(added.close);
    console.log(`${shard.binding} is ready.`);
    // All databases of a machine are in one place, but existing users did not choose `eu`.
    const firstRegion = region === "eu" ? "weur" : region;
    writeHomesSetting(
      databases,
      [...withRegions(databases, firstRegion), shard],
      databaseEntry(shard, "commonplace"),
    );
  } finally {
    databases.close();
  }
}

const databaseEntry = ({ binding, number }: Shard, name: string) => ({
  binding,
  database_name: `${name}-${number}`,
});

/** The region of the first database. Throws if Cloudflare does not report it. */
async function regionOfFirst(cloudflare: CloudflareClient): Promise<Region> {
  const { call, account } = cloudflare;
  const path = `/accounts/${account}/d1/database/${await requireDatabaseId(cloudflare, "DB")}`;
  type Location = { running_in_region?: string; jurisdiction?: string | null };
  const { running_in_region: region = "", jurisdiction } = await call<Location>(path);
  const found = (jurisdiction || region).toLowerCase();
  if (isRegion(found)) return found;
  throw new Error(
    'Cloudflare does not report the region of the first database. Set HOMES = "DB=weur:open" in wrangler.toml, with its region',
  );
}

/** Throws if the database is in use. It may exist already because an earlier attempt created it. */
async function requireUnused(cloudflare: CloudflareClient, id: string, name: string): Promise<void> {
  const database = remoteDatabase(cloudflare, id);
  const isNew = (await listAppliedMigrations(database)).length === 0;
  const [table] = await database.query(
    isNew
      ? "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%cf\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' AND name <> 'd1_migrations'"
      : "SELECT 1 FROM users LIMIT 1",
  );
  if (table) throw new Error(`The account has a database ${name} with data in it: rename or delete it first`);
}

async function addRemote(region: Region, isConfirmed: boolean): Promise<void> {
  const cloudflare = await signInToCloudflare(process.env);
  const databases = await remoteDatabases(cloudflare);
  const { config } = cloudflare;
  const shard = newShard(databases, config, region);
  const first = config.d1_databases.find(({ binding }) => binding === "DB");
  const entry = databaseEntry(shard, first?.database_name ?? config.name);
  const shards = [
    ...withRegions(databases, databases.setting ? region : await regionOfFirst(cloudflare)),
    shard,
  ];
  console.log(`  - create the D1 database ${entry.database_name} in ${region}, with every migration`);
  console.log(`  - write ${shard.binding} and HOMES into wrangler.toml`);
  if (!isConfirmed) await requireConfirmation();
  const { binding, database_name: name } = entry;
  const id = await createDatabase(cloudflare, { binding, name, region });
  await requireUnused(cloudflare, id, name);
  const missing = await findMissingMigrations(cloudflare, id);
  const path = writeWranglerConfig("home", { databases: { [binding]: id } }, entry);
  if (missing.length > 0) await migrateAll(cloudflare, [{ binding, name, id, missing }], path);
  await sharePushKeys(await databases.database(FIRST_SHARD), [remoteDatabase(cloudflare, id)]);
  writeHomesSetting(databases, shards, entry);
}

export const addCommand = new Command("add")
  .description("creates another database for users and adds it to wrangler.toml")
  .option("--remote", "for the deployment on Cloudflare instead of the copy on this machine")
  .option("--yes", "with --remote: do not ask, for scripts")
  .addArgument(
    new Argument(
      "<region>",
      "its location; eu guarantees the European Union's jurisdiction, the others are hints",
    ).choices(REGIONS),
  )
  .action((region: Region, { remote, yes }: { remote?: true; yes?: true }) =>
    remote ? addRemote(region, yes === true) : addLocal(region),
  );
