import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { ADA, asUser } from "./accounts.ts";
import { failedStart, folder, start } from "./instances.ts";
import { nightly } from "./nightly.ts";
import { runScript } from "./script.ts";
import { register, type Service, temporaryFolder } from "./service.ts";

// A full disk: reads work, writes are refused with the reason, and the service recovers when there is space again. The disk
// is a file system of 24 MB in memory, so the user must be allowed to mount one.

const AS_ROOT = process.getuid?.() === 0 ? [] : ["sudo", "-n"];

const run = (command: string[]) => spawnSync(command[0] ?? "", command.slice(1)).status === 0;

/** A disk of 24 MB until the test ends; undefined if this user may not mount one. */
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

/** Uses up the free space, as another program might. */
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

async function ask(url: string, init: RequestInit = {}) {
  const answer = await fetch(url, { redirect: "manual", ...init });
  const { status, headers } = answer;
  const [code, session] = [headers.get("Error-Code"), headers.get("Mcp-Session-Id")];
  return { status, code, session, text: await answer.text() };
}

const post = (body: object, token?: string): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json", ...(token && asUser(token)) },
  body: JSON.stringify(body),
});

const Accept = "application/json, text/event-stream";

type Caller = { service: Service; token: string; key: string; refresh_token: string; session: string };

/** A message to the MCP endpoint, in the caller's session. */
const rpc = ({ service, key, session }: Caller, method: string, params: object) =>
  ask(`${service.mcpUrl}/mcp`, {
    method: "POST",
    headers: {
      ...{ ...asUser(key), Accept },
      ...(session && { "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-06-18" }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });

const use = (caller: Caller, name: string, args: object) =>
  rpc(caller, "tools/call", { name, arguments: args });

/** The same caller in a new session. */
async function inNewSession(caller: Caller): Promise<Caller> {
  const clientInfo = { name: "Test", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const { status, session } = await rpc({ ...caller, session: "" }, "initialize", params);
  expect(status).toBe(200);
  return { ...caller, session: session ?? "" };
}

async function startWithText(stateDir: string): Promise<Caller> {
  const service = await start(stateDir);
  const token = await register(service.apiUrl, ADA);
  const api = `${service.apiUrl}/api`;
  const signedIn = await ask(`${api}/auth/login`, post(ADA));
  const text = { title: "Trip", content: { format: "markdown", text: "Buy a tent" } };
  expect((await ask(`${api}/documents`, post(text, token))).status).toBe(201);
  const scopes = ["docs:read", "memory:read", "memory:write"];
  const made = await ask(`${api}/api-keys`, post({ name: "Test", scopes }, token));
  const { key, refresh_token } = { ...JSON.parse(made.text), ...JSON.parse(signedIn.text) } as Caller;
  return inNewSession({ service, token, key, refresh_token, session: "" });
}

const healthOf = async ({ service }: Caller) =>
  JSON.parse((await ask(`${service.apiUrl}/health`)).text) as { status: string };

/** Reads are answered, with each kind of credential. test/platform/disk.test.ts has every operation. */
async function checkReads(caller: Caller): Promise<void> {
  const { service, token, key } = caller;
  const { apiUrl } = service;
  for (const path of ["/api/search?q=tent", "/api/export", "/api/auth/me"])
    expect(await ask(`${apiUrl}${path}`, { headers: asUser(token) }), path).toMatchObject({ status: 200 });
  // The first use of a key would be written down.
  expect((await ask(`${apiUrl}/api/documents`, { headers: asUser(key) })).text).toContain("Buy a tent");
  expect((await ask(apiUrl)).status).toBe(200);
  for (const one of [caller, await inNewSession(caller)])
    expect((await use(one, "search", { query: "tent" })).text).toContain("Trip");
}

const FULL = {
  status: 503,
  code: "disk_full",
  text: expect.stringContaining("The disk of the service is full"),
};

/** Writes are refused with the reason, and change nothing. */
async function checkChanges(caller: Caller): Promise<void> {
  const { service, token, refresh_token } = caller;
  const { apiUrl, mcpUrl } = service;
  const lost = post({ title: "Lost" }, token);
  const client = { redirect_uris: ["http://localhost/back"] };
  const changes: [path: string, init: RequestInit][] = [
    [`${apiUrl}/api/documents`, lost],
    [`${apiUrl}/api/documents`, { ...lost, headers: { ...asUser(token), "Idempotency-Key": "k" } }],
    [`${apiUrl}/api/auth/login`, post(ADA)],
    [`${apiUrl}/api/auth/login`, post({ ...ADA, password: "another password" })],
    [`${apiUrl}/api/auth/refresh`, post({ refresh_token })],
    [`${mcpUrl}/oauth/register`, post(client)],
  ];
  for (const [url, init] of changes) expect(await ask(url, init), url).toMatchObject(FULL);
  const records = [{ memory_type: "decision", topic: "Stay", content: "We stay." }];
  expect((await use(caller, "remember", { records })).text).toContain("The disk of the service is full");
  // A caller without access still gets a 401.
  expect((await ask(`${apiUrl}/api/documents`, post({ title: "Lost" }, "cpk_1.1.nobody"))).status).toBe(401);
}

/** The service is started twice, and everything is requested six times. */
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

    const fullAt = Date.now();
    fill(disk);
    await expect.poll(() => healthOf(caller)).toMatchObject({ status: "disk_full" });
    // Fills what the service has freed in response.
    fill(disk);
    for (let round = 0; round < 3; round++) {
      await checkReads(caller);
      await checkChanges(caller);
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
    await checkReads(caller);
    const made = await ask(`${service.apiUrl}/api/documents`, post({ title: "Kept" }, caller.token));
    expect(made.status).toBe(201);
    const all = await ask(`${service.apiUrl}/api/documents`, { headers: asUser(caller.token) });
    expect(all.text).not.toContain("Lost");
    expect(lines(caller, "There is space on the disk")).toHaveLength(1);
    const again = { refresh_token: caller.refresh_token };
    expect((await ask(`${service.apiUrl}/api/auth/refresh`, post(again))).status).toBe(200);

    // A copy that starts while the disk is full can read, too.
    await service.stop();
    fill(disk);
    const second = await start(stateDir);
    const there = await inNewSession({ ...caller, service: second });
    expect(await healthOf(there)).toMatchObject({ status: "disk_full" });
    await checkReads(there);
    await second.stop();

    // Without the reserve, the start fails and names the file and the disk.
    rmSync(join(stateDir, "reserve"), { force: true });
    fill(disk);
    const failed = await failedStart({ STATE_DIR: join(disk, "another") });
    expect(failed.code).toBe(1);
    for (const words of [join(disk, "another"), "Free some space"]) expect(failed.output).toContain(words);
  },
);
