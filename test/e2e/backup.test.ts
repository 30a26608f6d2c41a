import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { localBucket } from "../../scripts/common/bucket.ts";
import { launch } from "./browser.ts";
import { callbackServer } from "./loopback.ts";
import { OAuthPerson } from "./oauth-person.ts";
import { freePorts, register, type Service, startService, temporaryFolder } from "./service.ts";

// A person's export and import, and the operator's backup and restore.

const DOCUMENTS = Number(process.env.EXPORT_DOCUMENTS ?? 1000);
const ADA = { email: "ada@example.com", password: "a long password" };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service | undefined;

beforeEach(async () => {
  folder = await temporaryFolder();
});

afterEach(async () => {
  await service?.stop();
  await folder.remove();
});

const headersOf = (token: string) => ({
  Authorization: `Bearer ${token}`,
  "Content-Type": "application/json",
});

async function fill(api: string, token: string): Promise<void> {
  for (let made = 0; made < DOCUMENTS; made += 100) {
    const operations = Array.from({ length: Math.min(100, DOCUMENTS - made) }, (_, n) => ({
      operation: "create",
      title: `Document ${made + n}`,
      content: { format: "markdown", text: `# Walrus ${made + n}\n\n${"word ".repeat(100)}` },
      tags: [`t${n % 10}`],
    }));
    const answer = await fetch(`${api}/documents/bulk`, {
      method: "POST",
      headers: headersOf(token),
      body: JSON.stringify({ operations }),
    });
    expect(await answer.json()).toMatchObject({ failed: 0 });
  }
}

const exported = async (api: string, token: string) =>
  (await fetch(`${api}/export`, { headers: headersOf(token) })).text();

/** Imports a file; returns the state in which that ended. What takes longer than a request may take goes on as a job. */
async function imported(api: string, token: string, body: string): Promise<string> {
  const headers = headersOf(token);
  const answer = await fetch(`${api}/import`, { method: "POST", headers, body });
  const { id } = (await answer.json()) as { id: string };
  if (answer.status === 200) return "done";
  expect(answer.status).toBe(202);
  for (;;) {
    const job = await fetch(`${api}/jobs/${id}?wait=20`, { headers });
    const { state } = (await job.json()) as { state: string };
    if (state !== "running") return state;
  }
}

const manifestOf = (file: string) => JSON.parse(file.trimEnd().split("\n").at(-2) ?? "");

const runOn = (stateDir: string, script: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync("npm", ["run", script, "--", ...args], {
    encoding: "utf8",
    env: { ...process.env, STATE_DIR: stateDir },
  });
  return { status, output: stdout + stderr };
};
const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** A file that was uploaded, which the service has hashed as we do. */
async function uploaded(url: string, token: string, bytes: number): Promise<{ id: string; sha256: string }> {
  const body = randomBytes(bytes);
  const answer = await fetch(`${url}/api/files`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Disposition": 'attachment; filename="a.bin"' },
    body,
  });
  const file = (await answer.json()) as { id: string; sha256: string };
  expect([answer.status, file.sha256]).toEqual([201, sha256Of(body)]);
  return file;
}

/** Puts something into the bucket of a stopped copy that no row tells of. */
async function strayIn(stateDir: string): Promise<void> {
  const file = join(stateDir, "stray");
  writeFileSync(file, "stray");
  const bucket = await localBucket(stateDir);
  await bucket?.write("nobody/stray", file);
  await bucket?.close();
}

const run = (script: string, ...args: string[]) => runOn(folder.path, script, ...args);

test(`${DOCUMENTS} documents leave an account and come back into an empty one, byte by byte; nobody is blocked`, {
  timeout: 1_200_000,
}, async () => {
  service = await startService(folder.path);
  const api = `${service.apiUrl}/api`;
  const token = await register(service.apiUrl, ADA);
  await fill(api, token);
  const file = await exported(api, token);

  const gone = await fetch(`${api}/auth/me`, {
    method: "DELETE",
    headers: headersOf(token),
    body: JSON.stringify({ password: ADA.password }),
  });
  expect(gone.status).toBe(204);
  const next = await register(service.apiUrl, ADA);
  let importing = true;
  const done = imported(api, next, file).finally(() => {
    importing = false;
  });
  let meanwhile = 0;
  while (importing) {
    expect((await fetch(`${service.apiUrl}/health`)).status).toBe(200);
    if (importing) meanwhile += 1;
  }
  expect(await done).toBe("done");
  // If it were blocked, one or two would be answered before. How long they wait is in `npm run bench -- blocking`.
  expect(meanwhile).toBeGreaterThan(DOCUMENTS / 100);
  expect(manifestOf(await exported(api, next))).toEqual(manifestOf(file));
});

test("a backup of every account is restored elsewhere, and a damaged one is refused", {
  timeout: 600_000,
}, async () => {
  service = await startService(folder.path);
  const token = await register(service.apiUrl, ADA);
  await fill(`${service.apiUrl}/api`, token);
  const files = [
    await uploaded(service.apiUrl, token, 1000),
    await uploaded(service.apiUrl, token, 9_000_000),
  ];
  const before = manifestOf(await exported(`${service.apiUrl}/api`, token));
  const backup = join(folder.path, "backup");
  expect(run("admin", "files")).toMatchObject({
    status: 0,
    output: expect.stringContaining("bucket and the database agree"),
  });
  expect(run("backup", "--all", backup)).toMatchObject({ status: 0 });
  expect(run("backup", "--all", backup).output).toContain("is not empty");
  const tried = run("restore", backup, "--verify");
  expect(tried.output).toContain("The backup is complete");
  expect(tried.output).toContain("files: 2");
  expect(tried.status).toBe(0);
  expect(run("restore", backup).output).toContain("stop the service first");
  await service.stop();
  expect(run("restore", backup).output).toContain("already has accounts");
  await strayIn(folder.path);
  expect(run("admin", "files")).toMatchObject({ status: 1, output: expect.stringContaining("nobody/stray") });
  expect(run("admin", "files", "--repair")).toMatchObject({ status: 0 });
  expect(run("admin", "files")).toMatchObject({ status: 0 });

  rmSync(join(folder.path, "v3"), { recursive: true });
  expect(run("restore", backup)).toMatchObject({ status: 0 });
  service = await startService(folder.path);
  const login = await fetch(`${service.apiUrl}/api/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(ADA),
  });
  const { access_token } = (await login.json()) as { access_token: string };
  expect(manifestOf(await exported(`${service.apiUrl}/api`, access_token))).toEqual(before);
  for (const { id, sha256 } of files) {
    const again = await fetch(`${service.apiUrl}/api/files/${id}`, { headers: headersOf(access_token) });
    expect(sha256Of(new Uint8Array(await again.arrayBuffer()))).toBe(sha256);
  }
  const search = await fetch(`${service.apiUrl}/api/search?q=walrus`, { headers: headersOf(access_token) });
  expect(await search.json()).toMatchObject({ total: DOCUMENTS });

  const documents = join(backup, "documents.ndjson");
  expect(readFileSync(documents, "utf8")).toContain("Walrus");
  appendFileSync(documents, "x");
  const damaged = run("restore", backup, "--verify");
  expect(damaged.output).toContain("is damaged");
  expect(damaged.status).toBe(1);
});

test("a connected assistant is still connected after a restore", { timeout: 600_000 }, async () => {
  const [browser, callback, ports] = await Promise.all([launch(), callbackServer(), freePorts()]);
  const person = new OAuthPerson(`${callback.url}/callback`, browser, ADA);
  const states = {
    old: join(folder.path, "old"),
    next: join(folder.path, "next"),
    early: join(folder.path, "early"),
  };
  const backup = join(folder.path, "backup");

  const transport = () => {
    const options = { authProvider: person } as never;
    return new StreamableHTTPClientTransport(new URL(`http://localhost:${ports.mcp}/mcp`), options);
  };
  const newClient = () =>
    new Client({ name: "official", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  const whoami = async () => {
    const client = newClient();
    await client.connect(transport() as never);
    const answer = await client.callTool({ name: "whoami", arguments: {} });
    await client.close();
    return answer.structuredContent;
  };
  try {
    service = await startService(states.old, {}, ports);
    const token = await register(service.apiUrl, ADA);
    const first = transport();
    await expect(newClient().connect(first as never)).rejects.toThrow();
    await first.finishAuth(person.back);
    expect(await whoami()).toMatchObject({ email: ADA.email });

    expect(runOn(states.old, "backup", "--all", backup)).toMatchObject({ status: 0 });
    for (const name of readdirSync(backup))
      expect(statSync(join(backup, name)).mode & 0o777, name).toBe(0o600);
    expect(statSync(backup).mode & 0o777).toBe(0o700);
    const kept = readFileSync(join(backup, "oauth_kv.ndjson"), "utf8");
    const { access_token, refresh_token } = person.given as Record<string, string>;
    for (const secret of [access_token, refresh_token]) expect(kept).not.toContain(secret);
    await service.stop();

    expect(runOn(states.next, "restore", backup)).toMatchObject({ status: 0 });
    service = await startService(states.next, {}, ports);
    const saved = person.saved;
    expect(await whoami()).toMatchObject({ email: ADA.email });
    expect(person.saved).toBe(saved);
    person.given = { ...person.given, access_token: "over" };
    expect(await whoami()).toMatchObject({ email: ADA.email });
    expect(person.saved).toBe(saved + 1);
    expect(person.asked).toBe(1);
    const connections = await fetch(`${service.apiUrl}/api/connections`, { headers: headersOf(token) });
    expect(await connections.json()).toMatchObject({ total: 1, items: [{ client_name: "Official client" }] });
    await service.stop();

    // Backups of earlier releases have no such part.
    const file = join(backup, "manifest.json");
    const { oauth_kv: _, ...manifest } = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify(manifest));
    rmSync(join(backup, "oauth_kv.ndjson"));
    const early = runOn(states.early, "restore", backup);
    expect(early.output).toContain("MCP clients have to sign in again");
    expect(early.status).toBe(0);
  } finally {
    await browser.close();
    await callback.close();
  }
});
