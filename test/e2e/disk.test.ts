import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { ADA, asUser } from "./accounts.ts";
import { folder, start } from "./instances.ts";
import { nightly } from "./nightly.ts";
import { runScript } from "./script.ts";
import { register, type Service, temporaryFolder } from "./service.ts";

// A disk that is full: what only reads works, what would change something says what is wrong, and the service goes on by
// itself when there is room. It is a file system of 24 MB in memory, which takes a user who may mount one.

const AS_ROOT = process.getuid?.() === 0 ? [] : ["sudo", "-n"];

const run = (command: string[]) => spawnSync(command[0] ?? "", command.slice(1)).status === 0;

/** A disk of 24 MB that is there until the test ends; undefined if this user may not mount one. */
async function smallDisk(): Promise<string | undefined> {
  const { path, remove } = await temporaryFolder();
  const isMounted = run([...AS_ROOT, "mount", "-t", "tmpfs", "-o", "size=24m,mode=0777", "tmpfs", path]);
  onTestFinished(async () => {
    if (isMounted) run([...AS_ROOT, "umount", "--lazy", path]);
    await remove();
  });
  return isMounted ? path : undefined;
}

const fileIn = (disk: string) => join(disk, "something-else");

/** Takes all the room that is left, as another program would. */
function fill(disk: string): void {
  const file = openSync(fileIn(disk), "a");
  for (const size of [65_536, 1]) {
    try {
      while (true) writeSync(file, Buffer.alloc(size));
    } catch {
      // It is full.
    }
  }
  closeSync(file);
}

const makeRoom = (disk: string) => rmSync(fileIn(disk));

type Answer = { status: number; code: string | null; text: string };

async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const answer = await fetch(url, { redirect: "manual", ...init });
  return { status: answer.status, code: answer.headers.get("Error-Code"), text: await answer.text() };
}

const post = (body: object, token?: string): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json", ...(token && asUser(token)) },
  body: JSON.stringify(body),
});

const inSession = (token: string, session?: string) => ({
  ...asUser(token),
  Accept: "application/json, text/event-stream",
  ...(session && { "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-06-18" }),
});

const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

const INITIALIZE = rpc("initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "Test", version: "1" },
});
const SEARCH = rpc("tools/call", { name: "search", arguments: { query: "tent" } });
const REMEMBER = rpc("tools/call", {
  name: "remember",
  arguments: { records: [{ memory_type: "decision", topic: "Stay", content: "We stay." }] },
});

type Caller = { service: Service; token: string; key: string; refresh_token: string };

async function startWithText(stateDir: string): Promise<Caller> {
  const service = await start(stateDir);
  const token = await register(service.apiUrl, ADA);
  const { refresh_token } = JSON.parse(
    (await ask(`${service.apiUrl}/api/auth/login`, post(ADA))).text,
  ) as Caller;
  const text = { title: "Trip", content: { format: "markdown", text: "Buy a tent" } };
  expect((await ask(`${service.apiUrl}/api/documents`, post(text, token))).status).toBe(201);
  const scopes = ["docs:read", "memory:read", "memory:write"];
  const made = await ask(`${service.apiUrl}/api/api-keys`, post({ name: "Test", scopes }, token));
  const { key } = JSON.parse(made.text) as { key: string };
  return { service, token, key, refresh_token };
}

const healthOf = async ({ service }: Caller) =>
  JSON.parse((await ask(`${service.apiUrl}/health`)).text) as { status: string };

async function beginSession(url: string, key: string): Promise<string> {
  const answer = await fetch(url, { method: "POST", headers: inSession(key), body: INITIALIZE });
  expect(answer.status).toBe(200);
  return answer.headers.get("Mcp-Session-Id") ?? "";
}

/** Everything that only reads is answered, by each kind of credential. */
async function checkReads({ service, token, key }: Caller, session: string): Promise<void> {
  const { apiUrl, mcpUrl } = service;
  for (const path of ["/api/documents", "/api/search?q=tent", "/api/briefing", "/api/export", "/api/auth/me"])
    expect(await ask(`${apiUrl}${path}`, { headers: asUser(token) }), path).toMatchObject({ status: 200 });
  // Its first use would be noted.
  expect((await ask(`${apiUrl}/api/documents`, { headers: asUser(key) })).text).toContain("Buy a tent");
  expect((await ask(apiUrl)).status).toBe(200);
  for (const one of [session, await beginSession(`${mcpUrl}/mcp`, key)]) {
    const init = { method: "POST", headers: inSession(key, one), body: SEARCH };
    expect((await ask(`${mcpUrl}/mcp`, init)).text).toContain("Trip");
  }
}

const FULL = {
  status: 503,
  code: "disk_full",
  text: expect.stringContaining("The disk of the service is full"),
};

/** Everything that would change something says why it does not, and that it has not. */
async function checkChanges({ service, token, key, refresh_token }: Caller, session: string): Promise<void> {
  const { apiUrl, mcpUrl } = service;
  const api = `${apiUrl}/api`;
  expect(await ask(`${api}/documents`, post({ title: "Lost" }, token))).toMatchObject(FULL);
  const keyed = post({ title: "Lost" }, token);
  const headers = { ...(keyed.headers as object), "Idempotency-Key": "k" };
  expect(await ask(`${api}/documents`, { ...keyed, headers })).toMatchObject(FULL);
  expect(await ask(`${api}/auth/login`, post(ADA))).toMatchObject(FULL);
  expect(await ask(`${api}/auth/login`, post({ ...ADA, password: "another password" }))).toMatchObject(FULL);
  expect(await ask(`${api}/auth/refresh`, post({ refresh_token }))).toMatchObject(FULL);
  expect(
    await ask(`${mcpUrl}/oauth/register`, post({ redirect_uris: ["http://localhost/back"] })),
  ).toMatchObject(FULL);
  const remembered = { method: "POST", headers: inSession(key, session), body: REMEMBER };
  expect((await ask(`${mcpUrl}/mcp`, remembered)).text).toContain("The disk of the service is full");
  // A caller who may not is told that, as ever.
  expect((await ask(`${api}/documents`, post({ title: "Lost" }, "cpk_1.1.nobody"))).status).toBe(401);
}

/** The service is started twice, and asked for everything six times. */
const LONG = 300_000;

const lines = ({ service }: Caller, words: string) =>
  service
    .output()
    .split("\n")
    .filter((line) => line.includes(words));

nightly(
  "while the disk is full, what only reads works, and afterwards everything",
  { timeout: LONG },
  async ({ skip }) => {
    const disk = await smallDisk();
    if (!disk) return skip("this user may not mount a file system");
    const stateDir = join(disk, "state");
    const caller = await startWithText(stateDir);
    const { service } = caller;
    const session = await beginSession(`${service.mcpUrl}/mcp`, caller.key);

    const fullAt = Date.now();
    fill(disk);
    await expect.poll(() => healthOf(caller)).toMatchObject({ status: "disk_full" });
    // What that has freed is taken as well.
    fill(disk);
    for (let round = 0; round < 3; round++) {
      await checkReads(caller, session);
      await checkChanges(caller, session);
    }
    const backup = await runScript("backup", ["--all", join(await folder(), "backup")], {
      STATE_DIR: stateDir,
    });
    expect(backup).toMatchObject({ code: 0 });
    const told = lines(caller, " is full (");
    expect(told.length).toBeLessThanOrEqual(1 + Math.ceil((Date.now() - fullAt) / 60_000));
    for (const words of [`The disk of ${stateDir} is full`, "Free at least"])
      expect(told[0]).toContain(words);
    expect(service.output()).not.toMatch(/workerd@|SQLITE_|"stack"/);

    makeRoom(disk);
    await expect.poll(() => healthOf(caller)).toMatchObject({ status: "ok" });
    await checkReads(caller, session);
    const made = await ask(`${service.apiUrl}/api/documents`, post({ title: "Kept" }, caller.token));
    expect(made.status).toBe(201);
    const all = await ask(`${service.apiUrl}/api/documents`, { headers: asUser(caller.token) });
    expect(all.text).not.toContain("Lost");
    expect(lines(caller, "There is space on the disk")).toHaveLength(1);
    const again = { refresh_token: caller.refresh_token };
    expect((await ask(`${service.apiUrl}/api/auth/refresh`, post(again))).status).toBe(200);

    // A copy that is started again while the disk is full reads too.
    await service.stop();
    fill(disk);
    const second = await start(stateDir);
    expect(await healthOf({ ...caller, service: second })).toMatchObject({ status: "disk_full" });
    await checkReads({ ...caller, service: second }, await beginSession(`${second.mcpUrl}/mcp`, caller.key));
    await second.stop();

    // Without the room that was kept, it names the file and the disk.
    rmSync(join(stateDir, "reserve"), { force: true });
    fill(disk);
    const environment = {
      ...process.env,
      STATE_DIR: join(disk, "another"),
      API_PORT: "1025",
      MCP_PORT: "1026",
    };
    const failed = spawnSync("npm", ["start"], { env: environment, encoding: "utf8" });
    expect(failed.status).toBe(1);
    expect(failed.stderr).toContain(join(disk, "another"));
    expect(failed.stderr).toContain("Free some space");
  },
);
