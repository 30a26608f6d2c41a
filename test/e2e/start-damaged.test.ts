import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { localDatabasePath, requireDatabaseFile } from "../../scripts/common/local-database.ts";
import { ADA, asUser } from "./accounts.ts";
import { failedStart, folder, start } from "./instances.ts";
import { runScript } from "./script.ts";
import { freePorts, register, startService, temporaryFolder } from "./service.ts";

// A start on a folder in which something is damaged says what and how it is got back, and changes nothing. It must not
// begin an empty service, in which whoever comes first registers as the admin.

const KV = "v3/kv/miniflare-KVNamespaceObject/metadata.sqlite";

const overwrite = (file: string, from: number, bytes: number) => {
  const all = readFileSync(file);
  writeFileSync(file, all.fill(0xff, from, from + bytes));
};

type Damage = { of: (stateDir: string) => string; by: (file: string) => void; said: string };

const DAMAGES: Record<string, Damage> = {
  "a database of no bytes": {
    of: requireDatabaseFile,
    by: (file) => truncateSync(file),
    said: "is empty, but",
  },
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
    by: (file) => overwrite(file, 100, 200),
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

async function freeSettings(stateDir: string): Promise<Record<string, string>> {
  const { api, mcp } = await freePorts();
  return { STATE_DIR: stateDir, API_PORT: String(api), MCP_PORT: String(mcp) };
}

let whole: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  whole = await temporaryFolder();
  const service = await startService(whole.path);
  await register(service.apiUrl, ADA);
  await service.stop();
});

afterAll(() => whole.remove());

/** A copy of a state folder in which somebody has an account. */
async function used(): Promise<string> {
  const stateDir = join(await folder(), "state");
  cpSync(whole.path, stateDir, { recursive: true });
  return stateDir;
}

test.for(Object.entries(DAMAGES))(
  "%s is named, with the way back, and nothing is begun anew",
  async ([, damage]) => {
    const stateDir = await used();
    const file = damage.of(stateDir);
    damage.by(file);
    const { code, said } = await failedStart(await freeSettings(stateDir));
    expect(code).toBe(1);
    for (const words of [file, damage.said]) expect(said).toContain(words);
    expect(said).toMatch(/restore a backup|choose another folder/);
    expect(said).not.toMatch(/\n\s+at /);
  },
);

test("a file in place of the state folder is named", async () => {
  const file = join(await folder(), "notes.txt");
  writeFileSync(file, "x");
  const refused = await failedStart(await freeSettings(file));
  expect(refused).toMatchObject({ code: 1, said: expect.stringContaining(`${file} is a file`) });
});

test("the way back from a damaged database is a backup, as the start says", async () => {
  const stateDir = await used();
  const backup = join(await folder(), "backup");
  expect(await runScript("backup", ["--all", backup], { STATE_DIR: stateDir })).toMatchObject({ code: 0 });
  truncateSync(requireDatabaseFile(stateDir));
  expect((await failedStart(await freeSettings(stateDir))).said).toContain("move the folder v3 away");
  renameSync(join(stateDir, "v3"), join(stateDir, "damaged"));
  expect(await runScript("restore", [backup], { STATE_DIR: stateDir })).toMatchObject({ code: 0 });
  const second = await start(stateDir);
  const answer = await fetch(`${second.apiUrl}/api/auth/login`, {
    method: "POST",
    headers: asUser(""),
    body: JSON.stringify(ADA),
  });
  expect(answer.status).toBe(200);
});

test("a first start that was interrupted before it had a database goes on", async () => {
  const stateDir = await folder();
  const file = localDatabasePath(stateDir, 1);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  const service = await start(stateDir);
  await register(service.apiUrl, ADA);
});
