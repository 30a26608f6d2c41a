import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ACCOUNT, type D1Api, MIGRATIONS, startD1Api, TOKEN } from "./d1-api.ts";
import { nightly } from "./nightly.ts";
import { register, startService, temporaryFolder } from "./service.ts";

// Backup and restore of a deployment on Cloudflare, through D1's HTTP API.

const ADA = { email: "ada@example.com", password: "a long password" };
const BOB = { email: "bob@example.com", password: "another long password" };
const LARGE = 900_000;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** A backup with everything that an account can have. */
let backup: string;
let deployment: D1Api;

type Send = (path: string, body: unknown, method?: string) => Promise<{ id: string; failed?: number }>;

function sender(apiUrl: string, token: string): Send {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return async (path, body, method = "POST") => {
    const answer = await fetch(`${apiUrl}/api${path}`, { method, headers, body: JSON.stringify(body) });
    expect(answer.ok, `${method} ${path}`).toBe(true);
    return (answer.status === 204 ? {} : await answer.json()) as { id: string };
  };
}

async function fill(send: Send): Promise<void> {
  const year = await send("/folders", { name: "Year" });
  const month = await send("/folders", { name: "Month", parent_id: year.id });
  // The parent folder is newer than its child: ids are not in the order of the tree.
  await send(`/folders/${year.id}`, { parent_id: (await send("/folders", { name: "All" })).id }, "PUT");
  const operations = Array.from({ length: 100 }, (_, n) => ({
    operation: "create",
    title: `Document ${n}'s "title"`,
    content: { format: "markdown", text: `# Walrus ${n}\n\nÄöü 🦭 ${"word ".repeat(100)}` },
    tags: [`t${n % 10}`],
    folder_id: month.id,
  }));
  for (let times = 0; times < 5; times++)
    expect(await send("/documents/bulk", { operations })).toMatchObject({ failed: 0 });
  for (const title of ["One", "Two", "Three", "Four"]) {
    const content = { format: "markdown", text: `walrus "${"x".repeat(LARGE)}"` };
    const { id } = await send("/documents", { title, content });
    await send(`/documents/${id}`, { title: `${title} again` }, "PUT");
  }
  const { id: trashed } = await send("/documents", { title: "Thrown away, walrus" });
  await send(`/documents/${trashed}`, undefined, "DELETE");
  for (const topic of ["Call", "Write", "Ask"]) {
    const record = { memory_type: "commitment", topic, content: "about the walrus", project: "Zoo" };
    const { id } = await send("/memories", { ...record, tags: ["a", "b"] });
    await send(`/memories/${id}/resolve`, {});
  }
}

beforeAll(async () => {
  folder = await temporaryFolder();
  backup = join(folder.path, "backup");
  const service = await startService(join(folder.path, "state"));
  for (const account of [ADA, BOB])
    await fill(sender(service.apiUrl, await register(service.apiUrl, account)));
  for (const client_name of ["One", "Two", "Three"]) {
    const client = { client_name, redirect_uris: ["https://client.example/back"] };
    const headers = { "Content-Type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(client) };
    expect((await fetch(`${service.mcpUrl}/oauth/register`, init)).status).toBe(201);
  }
  expect(await run("backup", "--all", backup)).toMatchObject({ code: 0 });
  await service.stop();
});

afterAll(() => folder.remove());

beforeEach(async () => {
  deployment = await startD1Api();
});

afterEach(() => deployment.close());

function start(script: "backup" | "restore", ...args: string[]): ChildProcess {
  return spawn(process.execPath, [`scripts/${script}.ts`, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      STATE_DIR: join(folder.path, "state"),
      // Removes what a killed restore has left behind.
      TMPDIR: folder.path,
      CLOUDFLARE_API_BASE_URL: deployment?.url,
      CLOUDFLARE_API_TOKEN: TOKEN,
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
    },
  });
}

async function ended(child: ChildProcess) {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error("Nobody reads the output");
  const code = new Promise<number | null>((done) => child.once("close", done));
  const output = await Promise.all([text(stdout), text(stderr)]);
  return { output: output.join("\n"), code: await code };
}

const run = (script: "backup" | "restore", ...args: string[]) => ended(start(script, ...args));
const count = (table: string) =>
  Number(deployment.database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
function tablesIn(path: string) {
  const { tables, oauth_kv } = JSON.parse(readFileSync(join(path, "manifest.json"), "utf8"));
  return { ...tables, oauth_kv };
}

/** Serves the deployment's database on this machine. */
async function serve(state: string) {
  await (await startService(state)).stop();
  const databases = join(state, "v3", "d1", "miniflare-D1DatabaseObject");
  const name = readdirSync(databases).find((name) => name.endsWith(".sqlite") && !name.startsWith("meta"));
  const file = join(databases, String(name));
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  deployment.database.exec(`VACUUM INTO '${file}'`);
  return startService(state);
}

nightly(
  "an interrupted restore can be repeated, and restores everything",
  {
    timeout: 600_000,
  },
  async () => {
    const broken = start("restore", backup, "--remote");
    deployment.onWrite((number) => {
      if (number === 1) return 503;
      if (count("documents") > 0) broken.kill("SIGKILL");
      return undefined;
    });
    expect(await ended(broken)).toMatchObject({ code: null });
    expect(count("users")).toBe(2);
    expect(count("documents")).toBeGreaterThan(0);
    expect(count("documents")).toBeLessThan(1010);

    deployment.onWrite((number) => (number % 5 === 0 ? 429 : undefined));
    const repeated = await run("restore", backup, "--remote");
    expect(repeated.output).toContain("Every table matches the backup");
    expect(repeated.code).toBe(0);

    const again = join(folder.path, "again");
    expect(await run("backup", "--all", again, "--remote")).toMatchObject({ code: 0 });
    expect(tablesIn(again)).toEqual(tablesIn(backup));
    expect(deployment.entries.size).toBe(3);
    expect(count("search_entries")).toBe(1008 + 6);
    expect(deployment.largest()).toBeLessThan(3_000_000);

    const service = await serve(join(folder.path, "served"));
    try {
      const login = await sender(service.apiUrl, "")("/auth/login", ADA);
      const token = (login as unknown as { access_token: string }).access_token;
      const send = sender(service.apiUrl, token);
      const admin = { url: service.apiUrl, ...ADA };
      const options = Object.entries(admin).flatMap(([name, value]) => [`--${name}`, value]);
      const indexed = await ended(spawn(process.execPath, ["scripts/reindex.ts", ...options]));
      expect(indexed.output).toContain("none left");
      const found = await fetch(`${service.apiUrl}/api/search?q=walrus&type=all`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      expect(await found.json()).toMatchObject({ total: 504 + 3 });
      await send("/memories", { memory_type: "context", topic: "New", content: "after the restore" });
    } finally {
      await service.stop();
    }
  },
);

test("a restore refuses a damaged backup and a different deployment", {
  timeout: 300_000,
}, async () => {
  const damaged = join(folder.path, "damaged");
  cpSync(backup, damaged, { recursive: true });
  appendFileSync(join(damaged, "documents.ndjson"), "x");
  expect((await run("restore", damaged, "--remote")).output).toContain("is damaged");

  deployment.database.exec(`INSERT INTO users (id, email, password_hash, role, timezone, stale_after_days, created_at)
    VALUES ('1', 'eve@example.com', 'x', 'admin', 'UTC', '{}', '2026-01-01T00:00:00.000Z')`);
  const foreign = await run("restore", backup, "--remote");
  expect(foreign.output).toContain("has accounts that are not in this backup");
  expect(foreign.code).toBe(1);
  expect(count("users")).toBe(1);
  expect(count("documents")).toBe(0);
});

test("a restore refuses a deployment that has changed since the backup", { timeout: 300_000 }, async () => {
  expect(await run("restore", backup, "--remote")).toMatchObject({ code: 0 });
  deployment.database.exec("UPDATE documents SET title = 'Newer' WHERE title = 'One again'");
  const used = await run("restore", backup, "--remote");
  expect(used.output).toContain("its table documents has rows that are not in this backup");
  expect(used.code).toBe(1);
});

test("a restore names the command to run when the deployment lacks migrations", async () => {
  const old = await startD1Api(MIGRATIONS.slice(0, 3));
  await deployment.close();
  deployment = old;
  const early = await run("restore", backup, "--remote");
  expect(early.output).toContain("lacks 0004_memories.sql");
  expect(early.output).toContain("npm run migrate -- --remote");
  expect(early.code).toBe(1);
});
