import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import getPort from "get-port";
import { expect, onTestFinished, test } from "vitest";
import { localDatabasePath, requireDatabaseFile } from "../../scripts/common/local-database.ts";
import { install } from "../front-door/upgrade/installation.ts";
import { ADA } from "./accounts.ts";
import { create, failedStart, folder, sharedService, start, titles } from "./instances.ts";
import { processTree } from "./processes.ts";
import { runScript } from "./script.ts";
import { login, register, type Service } from "./service.ts";

/** Owns nothing on every Linux. */
const NOBODY = 65_534;

test("the state folder is readable only by its owner, including files of an earlier version", async () => {
  const stateDir = await folder();
  const first = await start(stateDir);
  await register(first.apiUrl, ADA);
  await first.stop();
  const paths = () =>
    readdirSync(stateDir, { recursive: true, encoding: "utf8" }).map((name) => join(stateDir, name));
  const readableByOthers = () =>
    [stateDir, ...paths(), ".dev.vars"].filter((path) => statSync(path).mode & 0o077);
  expect(readableByOthers()).toEqual([]);
  for (const path of paths()) chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
  chmodSync(".dev.vars", 0o644);
  const again = await start(stateDir);
  expect(readableByOthers()).toEqual([]);
  expect((await fetch(`${again.apiUrl}/health`)).status).toBe(200);
});

test("a copy whose code another user owns keeps its secrets with its data", async () => {
  const code = await folder();
  install(".", code, {});
  rmSync(join(code, ".dev.vars"));
  chmodSync(code, 0o555);
  const stateDir = await folder();
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    // Root may write everything, so another user starts it, who has to get there.
    chmodSync(dirname(code), 0o711);
    chownSync(stateDir, NOBODY, NOBODY);
  }
  const settings: Record<string, string> = isRoot ? { HOME: stateDir, TMPDIR: stateDir } : {};
  const how = { cwd: code, ...(isRoot && { user: NOBODY }) };
  const first = await start(stateDir, settings, undefined, how);
  expect(existsSync(join(code, ".dev.vars"))).toBe(false);
  const secrets = join(stateDir, "secrets");
  expect(statSync(secrets).mode & 0o077).toBe(0);
  const [kept, token] = [readFileSync(secrets, "utf8"), await register(first.apiUrl, ADA)];
  await create(first.apiUrl, token, "Kept");
  await first.stop();
  const again = await start(stateDir, settings, undefined, how);
  expect(readFileSync(secrets, "utf8")).toBe(kept);
  expect(await titles(again.apiUrl, token)).toEqual(["Kept"]);
});

test("the service ends with a reason when the process that runs the runtime is killed", async () => {
  const service = await start(await folder());
  const [keeper] = processTree(service.pid).filter(({ command }) => command.includes("start/worker.js"));
  process.kill(keeper?.pid ?? 0, "SIGKILL");
  expect(await service.ended).toBe(1);
  expect(service.output()).toContain("The Worker ended unexpectedly");
  await expect(fetch(`${service.apiUrl}/health`)).rejects.toThrow();
});

test("settings come from the environment, and a client address in a header counts only if they say so", async () => {
  const settings = {
    REGISTRATION: "closed",
    RATE_LIMIT_LOGIN: "1/60",
    CORS_ORIGINS: "https://a.example,https://b.example",
  };
  const [careful, trusting] = await Promise.all([
    start(await folder(), settings),
    start(await folder(), { ...settings, TRUST_CLIENT_IP: "true" }),
  ]);
  const post = ({ apiUrl }: Service, path: string, address = "203.0.113.1") =>
    fetch(`${apiUrl}/api/auth/${path}`, {
      method: "POST",
      body: JSON.stringify(ADA),
      headers: {
        ...{ "Content-Type": "application/json", Origin: "https://b.example" },
        ...{ "CF-Connecting-IP": address, "X-Forwarded-For": address },
      },
    });
  const closed = await post(careful, "register");
  expect(closed.status).toBe(403);
  expect(closed.headers.get("Access-Control-Allow-Origin")).toBe("https://b.example");
  const statuses = [];
  for (const service of [careful, trusting])
    for (const address of ["203.0.113.1", "203.0.113.2"])
      statuses.push((await post(service, "login", address)).status);
  expect(statuses).toEqual([401, 429, 401, 401]);
});

/** A name that does not exist (RFC 2606), and an address that is for documentation only (RFC 5737). */
test.for([
  ["nowhere.example", "There is no host nowhere.example"],
  ["192.0.2.1", "This machine does not have the address 192.0.2.1"],
] as const)(
  "a HOST where nothing can listen is named, and no port is called taken: %s",
  async ([HOST, why]) => {
    const { code, output } = await failedStart({ STATE_DIR: await folder(), HOST });
    expect(code).toBe(1);
    expect(output).toContain(why);
    expect(output).not.toContain("taken");
  },
);

test("invalid settings are reported before anything starts", async () => {
  const taken = createServer().listen(await getPort(), "localhost");
  await once(taken, "listening");
  onTestFinished(async () => void taken.close());
  const { port } = taken.address() as { port: number };
  const STATE_DIR = await folder();
  const onTakenPort = await failedStart({ STATE_DIR, MCP_PORT: String(port) });
  expect(onTakenPort).toMatchObject({ code: 1, output: expect.stringContaining(`Port ${port} is in use`) });
  expect(onTakenPort.output).toContain("MCP_PORT=");
  expect(await failedStart({ STATE_DIR, RATE_LIMIT_LOGIN: "lots" })).toMatchObject({
    code: 1,
    output: expect.stringContaining("RATE_LIMIT_LOGIN must match"),
  });

  const stateDir = await folder();
  const running = await start(stateDir);
  expect(await failedStart({ STATE_DIR: stateDir })).toMatchObject({
    code: 1,
    output: expect.stringContaining(`A copy at ${running.apiUrl} already uses`),
  });
});

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
