import { cpSync, readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "smol-toml";
import { expect, onTestFinished, test } from "vitest";
import { ADA } from "./accounts.ts";
import { type CloudflareApi, MIGRATIONS, startCloudflareApi } from "./cloudflare-api.ts";
import { folder, start } from "./instances.ts";
import { nightly } from "./nightly.ts";
import { runScript } from "./script.ts";
import { register } from "./service.ts";

// What the operator of a service with several databases does from the command line.

const HOMES = "DB=weur:closed, DB_2=weur:open, DB_3=enam:open";
const BOB = { ...ADA, email: "bob@example.com" };
const CY = { ...ADA, email: "cy@example.com" };

nightly(
  "a copy with three databases: who is where, a backup of all, and what a restore needs",
  { timeout: 300_000 },
  async () => {
    const [state, elsewhere, backups] = [await folder(), await folder(), await folder()];
    const service = await start(state, { HOMES });
    for (const account of [ADA, BOB]) await register(service.apiUrl, account);
    const run = (script: string, ...args: string[]) => runScript(script, args, { STATE_DIR: state });
    // The running copy tells which databases it has. The admin is in the first one, although it is closed.
    expect((await run("admin", "create", CY.email, "--home", "DB_3")).output).toContain("/new-password#3.");
    const { output } = await run("admin", "users");
    expect(output).toMatch(/ada@example\.com' *│ 'DB' *│ 'admin'/);
    expect(output).toMatch(/bob@example\.com' *│ 'DB_2'/);
    expect(output).toMatch(/cy@example\.com' *│ 'DB_3'/);
    const listed = (await run("shards", "list")).output;
    for (const home of [/'DB' .*'closed' .*1 /, /'DB_2' .*'open' .*1 /, /'DB_3' *│ 'enam'/])
      expect(listed).toMatch(home);
    const backup = join(backups, "all");
    expect(await run("backup", "--all", backup)).toMatchObject({ code: 0 });
    expect(await service.stop()).toBe(0);

    const without = await runScript("migrate", [], {
      STATE_DIR: state,
      HOMES: "DB=weur:open, DB_3=weur:open",
    });
    expect(without).toMatchObject({
      code: 1,
      output: expect.stringContaining("leaves out DB_2, but 1 user is"),
    });

    const restore = (homes: string, ...args: string[]) =>
      runScript("restore", [backup, ...args], { STATE_DIR: elsewhere, HOMES: homes });
    expect((await restore("")).output).toContain("backup of DB_2, which is not in HOMES");
    // One shard at a time, and the first one last: the address directory is complete in the end.
    for (const home of ["DB_2", "DB_3", "DB"])
      expect(await restore(HOMES, "--home", home)).toMatchObject({ code: 0 });
    const reset = await runScript("admin", ["reset", BOB.email], { STATE_DIR: elsewhere, HOMES });
    expect(reset.output).toContain("/new-password#2.");
  },
);

/** A folder with a wrangler.toml of its own, which the commands may change. */
async function checkout(): Promise<string> {
  const own = await folder();
  for (const name of ["node_modules", "scripts", "src", "migrations", "public"])
    symlinkSync(resolve(name), join(own, name));
  cpSync("wrangler.toml", join(own, "wrangler.toml"));
  return own;
}

const migrationsIn = (api: CloudflareApi) =>
  [...api.databases.values()].map(
    ({ database }) => database.prepare("SELECT count(*) AS n FROM d1_migrations").get()?.n,
  );

test("a deployment: another database, its migrations after a break, opening and closing, and a move", {
  timeout: 300_000,
}, async () => {
  const [own, api] = [await checkout(), await startCloudflareApi()];
  onTestFinished(api.close);
  const run = (script: string, ...args: string[]) =>
    runScript(script, [...args, "--remote"], api.environment, own);
  const before = readFileSync("wrangler.toml", "utf8");
  const config = () => readFileSync(join(own, "wrangler.toml"), "utf8");
  api.addDatabase("commonplace", MIGRATIONS);
  // An earlier attempt has created it, and was interrupted.
  api.addDatabase("commonplace-2", MIGRATIONS);
  expect(await run("shards", "add", "enam")).toMatchObject({
    code: 1,
    output: expect.stringContaining("add --yes"),
  });
  expect(config()).toBe(before);
  expect(await run("shards", "add", "enam", "--yes")).toMatchObject({ code: 0 });
  expect(api.databases.size).toBe(2);
  expect(parse(config())).toMatchObject({
    vars: { HOMES: "DB=weur:open, DB_2=enam:open" },
    d1_databases: [{ binding: "DB" }, { binding: "DB_2", database_name: "commonplace-2" }],
  });
  // Nothing else was touched.
  const undone = config()
    .replace('HOMES = "DB=weur:open, DB_2=enam:open"', 'HOMES = ""')
    .replace(/\n\[\[d1_databases\]\]\nbinding = "DB_2"\n.*\n.*\n/, "");
  expect(undone).toBe(before);
  expect((await run("shards", "close", "DB")).output).toContain("DB=weur:closed, DB_2=enam:open");
  expect((await run("shards", "list")).output).toMatch(/'DB_2' *│ 'enam' *│ 'open'/);

  // 0051 can be applied twice.
  for (const { database } of api.databases.values())
    database.exec("DELETE FROM d1_migrations WHERE name = '0051_search_notes.sql'");
  const [, second = ""] = api.databases.keys();
  api.onRequest((request) =>
    migrationsIn(api)[0] === MIGRATIONS.length && request.includes(`${second}/query`) ? "refuse" : undefined,
  );
  expect((await run("migrate", "--yes")).code).toBe(1);
  api.onRequest(() => undefined);
  const broken = migrationsIn(api);
  const migrating = await run("migrate", "--yes");
  expect(migrating).toMatchObject({ code: 0 });
  expect(migrating.output).toContain("time-travel restore commonplace-2 --bookmark=");
  expect(migrationsIn(api)).toEqual([MIGRATIONS.length, MIGRATIONS.length]);
  expect(broken).toEqual([MIGRATIONS.length, MIGRATIONS.length - 1]);
  expect((await run("migrate")).output).toContain("Every database has all migrations");

  expect(await run("admin", "create", CY.email, "--home", "DB")).toMatchObject({ code: 0 });
  const moved = await run("shards", "move", CY.email, "--to", "DB_2");
  expect(moved).toMatchObject({ code: 0, output: expect.stringContaining(`${CY.email} is in DB_2 now`) });
  expect((await run("admin", "users")).output).toMatch(/cy@example\.com' *│ 'DB_2'/);
});
