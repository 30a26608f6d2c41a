import { appendFileSync, cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { requireDatabaseFile } from "../../scripts/common/local-database.ts";
import { ADA } from "./accounts.ts";
import { type Ask, askWith } from "./ask.ts";
import { type CloudflareApi, MIGRATIONS, startCloudflareApi } from "./cloudflare-api.ts";
import { nightly } from "./nightly.ts";
import { beginScript, runScript } from "./script.ts";
import { login, register, startService, temporaryFolder } from "./service.ts";

// Backup and restore of a deployment on Cloudflare, through D1's HTTP API.

const BOB = { ...ADA, email: "bob@example.com" };
const LARGE = 900_000;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** A backup with everything that an account can have. */
let backup: string;
let deployment: CloudflareApi;

async function fill(ask: Ask): Promise<void> {
  const post = (path: string, body: object) => ask<{ id: string }>("POST", `/api${path}`, body);
  const year = await post("/folders", { name: "Year" });
  const month = await post("/folders", { name: "Month", parent_id: year.id });
  // The parent folder is newer than its child: ids are not in the order of the tree.
  const { id: parent_id } = await post("/folders", { name: "All" });
  await ask("PUT", `/api/folders/${year.id}`, { parent_id });
  const operations = Array.from({ length: 100 }, (_, n) => ({
    operation: "create",
    title: `Document ${n}'s "title"`,
    content: { format: "markdown", text: `# Walrus ${n}\n\nÄöü 🦭 ${"word ".repeat(100)}` },
    tags: [`t${n % 10}`],
    folder_id: month.id,
  }));
  for (let times = 0; times < 5; times++)
    expect(await post("/documents/bulk", { operations })).toMatchObject({ failed: 0 });
  for (const title of ["One", "Two", "Three", "Four"]) {
    const content = { format: "markdown", text: `walrus "${"x".repeat(LARGE)}"` };
    const { id } = await post("/documents", { title, content });
    await ask("PUT", `/api/documents/${id}`, { title: `${title} again` });
  }
  const { id: trashed } = await post("/documents", { title: "Thrown away, walrus" });
  await ask("DELETE", `/api/documents/${trashed}`);
  for (const topic of ["Call", "Write", "Ask"]) {
    const record = { memory_type: "commitment", topic, content: "about the walrus", project: "Zoo" };
    const { id } = await post("/memories", { ...record, tags: ["a", "b"] });
    await post(`/memories/${id}/resolve`, {});
  }
}

beforeAll(async () => {
  folder = await temporaryFolder();
  backup = join(folder.path, "backup");
  const service = await startService(join(folder.path, "state"));
  for (const account of [ADA, BOB])
    await fill(askWith(service.apiUrl, await register(service.apiUrl, account)));
  for (const client_name of ["One", "Two", "Three"]) {
    const client = { client_name, redirect_uris: ["https://client.example/back"] };
    await askWith(service.mcpUrl, "")("POST", "/oauth/register", client);
  }
  expect(await run("backup", "--all", backup)).toMatchObject({ code: 0 });
  await service.stop();
});

afterAll(() => folder.remove());

beforeEach(async () => {
  deployment = await startCloudflareApi(MIGRATIONS);
});

afterEach(() => deployment.close());

// TMPDIR goes with the folder, because a killed restore leaves files there.
const start = (script: "backup" | "restore", ...args: string[]) =>
  beginScript(script, args, {
    ...{ STATE_DIR: join(folder.path, "state"), TMPDIR: folder.path },
    ...deployment?.environment,
  });

const run = (script: "backup" | "restore", ...args: string[]) => start(script, ...args).ended;
const deployed = () => deployment.databaseOf("commonplace");
const count = (table: string) => Number(deployed().prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
function tablesIn(path: string) {
  const { tables, oauth_kv } = JSON.parse(readFileSync(join(path, "manifest.json"), "utf8"));
  return { ...tables, oauth_kv };
}

/** Serves the deployment's database on this machine. */
async function serve(state: string) {
  await (await startService(state)).stop();
  const file = requireDatabaseFile(state);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  deployed().exec(`VACUUM INTO '${file}'`);
  return startService(state);
}

/** Decides about each request that writes to the database, with how many came before it. */
function onWrite(handler: (number: number) => number | undefined): void {
  let writes = 0;
  const isWrite = (body: string) => /"sql":"(INSERT|UPDATE|DELETE)/.test(body);
  deployment.onRequest((request, body) =>
    request.endsWith("/query") && isWrite(body) ? handler(writes++) : undefined,
  );
}

nightly("an interrupted restore can be repeated, and restores everything", { timeout: 600_000 }, async () => {
  const broken = start("restore", backup, "--remote");
  onWrite((number) => {
    if (number === 1) return 503;
    if (count("documents") > 0) broken.signal("SIGKILL");
    return undefined;
  });
  expect(await broken.ended).toMatchObject({ code: null });
  expect(count("users")).toBe(2);
  expect(count("documents")).toBeGreaterThan(0);
  expect(count("documents")).toBeLessThan(1010);

  onWrite((number) => (number % 5 === 0 ? 429 : undefined));
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
    const ask = askWith(service.apiUrl, await login(service.apiUrl, ADA));
    const admin = { url: service.apiUrl, ...ADA };
    const options = Object.entries(admin).flatMap(([name, value]) => [`--${name}`, value]);
    expect((await runScript("reindex", options, {})).output).toContain("none left");
    expect(await ask("GET", "/api/search?q=walrus&type=all")).toMatchObject({ total: 504 + 3 });
    await ask("POST", "/api/memories", { memory_type: "context", topic: "New", content: "as before" });
  } finally {
    await service.stop();
  }
});

test("a restore refuses a damaged backup and a different deployment", { timeout: 300_000 }, async () => {
  const damaged = join(folder.path, "damaged");
  cpSync(backup, damaged, { recursive: true });
  appendFileSync(join(damaged, "documents.ndjson"), "x");
  expect((await run("restore", damaged, "--remote")).output).toContain("is damaged");

  deployed().exec(`INSERT INTO users (id, email, password_hash, role, timezone, stale_after_days, created_at)
    VALUES ('1', 'eve@example.com', 'x', 'admin', 'UTC', '{}', '2026-01-01T00:00:00.000Z')`);
  const foreign = await run("restore", backup, "--remote");
  expect(foreign.output).toContain("has accounts that are not in this backup");
  expect(foreign.code).toBe(1);
  expect([count("users"), count("documents")]).toEqual([1, 0]);
});

test("a restore refuses a deployment that has changed since the backup", { timeout: 300_000 }, async () => {
  expect(await run("restore", backup, "--remote")).toMatchObject({ code: 0 });
  deployed().exec("UPDATE documents SET title = 'Newer' WHERE title = 'One again'");
  const used = await run("restore", backup, "--remote");
  expect(used.output).toContain("its table documents has rows that are not in this backup");
  expect(used.code).toBe(1);
});

test("a restore names the command to run when the deployment lacks migrations", async () => {
  await deployment.close();
  deployment = await startCloudflareApi(MIGRATIONS.slice(0, 3));
  const early = await run("restore", backup, "--remote");
  expect(early.output).toContain("lacks 0004_memories.sql");
  expect(early.output).toContain("npm run migrate -- --remote");
  expect(early.code).toBe(1);
});
