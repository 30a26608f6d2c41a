import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { localDatabasePath, requireDatabaseFile } from "../../scripts/common/local-database.ts";
import { ADA } from "./accounts.ts";
import { failedStart, folder, sharedService, start } from "./instances.ts";
import { runScript } from "./script.ts";
import { login, register } from "./service.ts";

// A start on a folder in which something is damaged says what and how it is got back, and changes nothing. It must not
// begin an empty service, in which the first to register becomes the admin.

const KV = "v3/kv/miniflare-KVNamespaceObject/metadata.sqlite";

type Damage = { of: (stateDir: string) => string; by: (file: string) => void; said: string };

const DAMAGES: Record<string, Damage> = {
  "a database that is gone": { of: requireDatabaseFile, by: (file) => rmSync(file), said: "is missing, but" },
  "a database without tables": {
    of: requireDatabaseFile,
    by: (file) => {
      rmSync(file);
      const database = new DatabaseSync(file);
      database.exec("CREATE TABLE t (a); DROP TABLE t");
      database.close();
    },
    said: "is empty, but",
  },
  "another file in place of a database": {
    of: requireDatabaseFile,
    by: (file) => writeFileSync(file, "a letter to Grace\n".repeat(500)),
    said: "is damaged",
  },
  "a database whose first page is damaged": {
    of: requireDatabaseFile,
    by: (file) => writeFileSync(file, readFileSync(file).fill(0xff, 100, 300)),
    said: "is damaged",
  },
  "another file in place of the connections": {
    of: (stateDir) => join(stateDir, KV),
    by: (file) => writeFileSync(file, "x".repeat(9000)),
    said: "is damaged",
  },
  "a file in place of a folder": {
    of: (stateDir) => join(stateDir, "v3"),
    by: (path) => {
      rmSync(path, { recursive: true });
      writeFileSync(path, "x");
    },
    said: "must be a folder",
  },
};

const shared = sharedService({}, async ({ service }) => {
  await register(service.apiUrl, ADA);
  await service.stop();
});

/** A copy of a state folder in which Ada has an account. */
async function used(): Promise<string> {
  const stateDir = join(await folder(), "state");
  cpSync(shared.stateDir, stateDir, { recursive: true });
  return stateDir;
}

test.for(Object.entries(DAMAGES))(
  "%s is named, with the way back, and no empty service is begun",
  async ([, damage]) => {
    const stateDir = await used();
    const file = damage.of(stateDir);
    damage.by(file);
    const { code, output } = await failedStart({ STATE_DIR: stateDir });
    expect(code).toBe(1);
    for (const words of [file, damage.said]) expect(output).toContain(words);
    expect(output).toMatch(/restore a backup|choose another folder/);
    expect(output).not.toMatch(/\n\s+at /);
  },
);

test("a file in place of the state folder is named", async () => {
  const file = join(await folder(), "notes.txt");
  writeFileSync(file, "x");
  const refused = await failedStart({ STATE_DIR: file });
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining(`${file} is a file`) });
});

test("the way back from a damaged database is a backup, as the start says", async () => {
  const stateDir = await used();
  const backup = join(await folder(), "backup");
  expect(await runScript("backup", ["--all", backup], { STATE_DIR: stateDir })).toMatchObject({ code: 0 });
  truncateSync(requireDatabaseFile(stateDir));
  const { output } = await failedStart({ STATE_DIR: stateDir });
  for (const words of ["is empty, but", "move the folder v3 away"]) expect(output).toContain(words);
  renameSync(join(stateDir, "v3"), join(stateDir, "damaged"));
  expect(await runScript("restore", [backup], { STATE_DIR: stateDir })).toMatchObject({ code: 0 });
  const { apiUrl } = await start(stateDir);
  expect(await login(apiUrl, ADA)).toBeTruthy();
});

test("a first start that was interrupted before it had a database goes on", async () => {
  const stateDir = await folder();
  const file = localDatabasePath(stateDir, 1);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  const service = await start(stateDir);
  await register(service.apiUrl, ADA);
});
