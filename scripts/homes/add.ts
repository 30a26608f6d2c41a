import { Argument, Command } from "commander";
import { FIRST_HOME } from "../../src/contract/home.ts";
import { bindingOf, type Home, isRegion, REGIONS, type Region } from "../../src/contract/homes.ts";
import { type Cloudflare, databaseId, remoteDatabase, signIn } from "../common/cloudflare.ts";
import { type Databases, localDatabases, remoteDatabases } from "../common/databases.ts";
import { migrationsOf } from "../common/dump.ts";
import { migrateHome } from "../common/migrations.ts";
import { configBindings } from "../common/settings.ts";
import { localFile, stateDirOf } from "../common/source.ts";
import { stoppedTarget } from "../common/targets.ts";
import { confirm } from "../deploy/confirm.ts";
import { migrateAll } from "../deploy/migrate.ts";
import { createDatabase, pendingMigrations } from "../deploy/resources.ts";
import { writeConfig } from "../deploy/wrangler.ts";
import { sharePushKeys } from "./push-keys.ts";
import { setHomes } from "./setting.ts";

/** The number after the highest that a home has or had: no credential of another home may name it. */
function nextNumber({ homes }: Databases, bindings: string[]): number {
  const known = bindings.map((binding) => Number(/^DB_(\d+)$/.exec(binding)?.[1] ?? FIRST_HOME));
  return Math.max(...homes.map(({ number }) => number), ...known) + 1;
}

const homeOf = (number: number, region: Region): Home => ({
  number,
  binding: bindingOf(number),
  region,
  isOpen: true,
});

/** The homes with their regions, of which a service with one database has none yet. */
const placed = ({ homes }: Databases, firstRegion: Region): Home[] =>
  homes.map((home) => ({ ...home, region: home.region ?? firstRegion }));

async function addHere(region: Region): Promise<void> {
  const databases = await localDatabases(process.env);
  try {
    const home = homeOf(nextNumber(databases, configBindings()), region);
    migrateHome(stateDirOf(process.env), home.number);
    const added = stoppedTarget(localFile(stateDirOf(process.env), home.number));
    await sharePushKeys(await databases.target(FIRST_HOME), [added]).finally(added.close);
    console.log(`${home.binding} is ready.`);
    // On one machine all databases are in one place; but nobody is put into `eu` without having asked for it.
    const here = region === "eu" ? "weur" : region;
    setHomes(databases, [...placed(databases, here), home], databaseOf(home, "commonplace"));
  } finally {
    databases.close();
  }
}

const databaseOf = ({ binding, number }: Home, name: string) => ({
  binding,
  database_name: `${name}-${number}`,
});

/** Where Cloudflare keeps the first database. Throws if it does not say. */
async function regionOfFirst(cloudflare: Cloudflare): Promise<Region> {
  const { call, account } = cloudflare;
  const path = `/accounts/${account}/d1/database/${await databaseId(cloudflare, "DB")}`;
  const { running_in_region: region = "", jurisdiction } = (
    await call<{ running_in_region?: string; jurisdiction?: string | null }>(path)
  ).result;
  const found = (jurisdiction || region).toLowerCase();
  if (isRegion(found)) return found;
  throw new Error(
    'Where is the first database? Set HOMES = "DB=weur:open" in wrangler.toml, with its region',
  );
}

/** Throws if a database of that name, which an earlier attempt may have created, is in use. */
async function refuseUsed(cloudflare: Cloudflare, id: string, name: string): Promise<void> {
  const database = remoteDatabase(cloudflare, id);
  const isNew = (await migrationsOf(database)).length === 0;
  const [table] = await database.query(
    isNew
      ? "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%cf\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' AND name <> 'd1_migrations'"
      : "SELECT 1 FROM users LIMIT 1",
  );
  if (table) throw new Error(`The account has a database ${name} with data in it: rename or delete it first`);
}

async function addRemote(region: Region, isSure: boolean): Promise<void> {
  const cloudflare = await signIn(process.env);
  const databases = await remoteDatabases(cloudflare);
  const { config } = cloudflare;
  const known = config.d1_databases.map(({ binding }) => binding);
  const home = homeOf(nextNumber(databases, known), region);
  const first = config.d1_databases.find(({ binding }) => binding === "DB");
  const bound = databaseOf(home, first?.database_name ?? config.name);
  const homes = [...placed(databases, databases.setting ? region : await regionOfFirst(cloudflare)), home];
  console.log(`  - create the D1 database ${bound.database_name} in ${region}, with every migration`);
  console.log(`  - write ${home.binding} and HOMES into wrangler.toml`);
  if (!isSure) await confirm();
  const id = await createDatabase(cloudflare, { ...bound, name: bound.database_name, region });
  await refuseUsed(cloudflare, id, bound.database_name);
  const missing = await pendingMigrations(cloudflare, id);
  const path = writeConfig("home", { databases: { [home.binding]: id } }, bound);
  if (missing.length > 0)
    await migrateAll(cloudflare, [{ ...bound, name: bound.database_name, id, missing }], path);
  await sharePushKeys(await databases.target(FIRST_HOME), [remoteDatabase(cloudflare, id)]);
  setHomes(databases, homes, bound);
}

export const addCommand = new Command("add")
  .description("creates another database for users, and writes it into wrangler.toml")
  .option("--remote", "for the deployment on Cloudflare instead of the copy on this machine")
  .option("--yes", "with --remote: do not ask, for scripts")
  .addArgument(
    new Argument("<region>", "where it is; eu is the European Union's jurisdiction, others are near").choices(
      REGIONS,
    ),
  )
  .action((region: Region, { remote, yes }: { remote?: true; yes?: true }) =>
    remote ? addRemote(region, yes === true) : addHere(region),
  );
