import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { backUpFiles, checkFiles, restoreFiles } from "../../scripts/backup/files.ts";
import { readBackup } from "../../scripts/backup/shards.ts";
import { choosePorts } from "../../scripts/cli/copy.ts";
import { type FileBucket, localBucket, namedBucket } from "../../scripts/common/bucket.ts";
import { signInToCloudflare } from "../../scripts/common/cloudflare.ts";
import { inlineNonText } from "../../scripts/common/d1.ts";
import { openSnapshot } from "../../scripts/common/local-database.ts";
import { applyMigrations } from "../../scripts/common/migrations.ts";
import { claimState } from "../../scripts/common/state.ts";
import { deleteBucket } from "../../scripts/deploy/bucket.ts";
import { parseShards } from "../../src/contract/shards.ts";
import { listen } from "../e2e/loopback.ts";
import { runScript } from "../e2e/script.ts";

// Parts of the operator's commands: backups, buckets, state folders, ports and statements.

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "commonplace-operator-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const HOMES = "DB=weur:open, DB_2=enam:open";

test("a backup of two databases says which is which", { timeout: 60_000 }, async () => {
  const folder = newFolder();
  const [state, backup] = [join(folder, "state"), join(folder, "backup")];
  await applyMigrations(state, parseShards(HOMES));
  const made = await runScript("backup", ["--all", backup], { STATE_DIR: state, HOMES });
  expect(made).toMatchObject({ code: 0 });
  const manifestOf = (shard: number) => join(backup, `home-${shard}`, "manifest.json");
  const homes = [1, 2].map((shard) => JSON.parse(readFileSync(manifestOf(shard), "utf8")).home);
  expect(homes).toEqual([1, 2]);

  // As releases without the number in this manifest wrote it.
  const { home: _, ...older } = JSON.parse(readFileSync(manifestOf(2), "utf8"));
  writeFileSync(manifestOf(2), JSON.stringify(older));
  expect((await readBackup(backup)).map(({ shard }) => shard)).toEqual([1, 2]);
});

/** A bucket in memory. */
function bucketOf(objects: Map<string, string>): FileBucket {
  return {
    keys: async function* () {
      yield* objects.keys();
    },
    read: async (key) => {
      const bytes = objects.get(key);
      return bytes === undefined ? undefined : Readable.from([Buffer.from(bytes)]);
    },
    write: async (key, file) => void objects.set(key, readFileSync(file, "utf8")),
    remove: async (key) => void objects.delete(key),
    close: async () => undefined,
  };
}

// With a service they are in test/e2e/backup.test.ts.
test("the bytes of files and of their thumbnails are backed up, compared, and come back", async () => {
  const folder = newFolder();
  const stored = { "ada/house": "a picture", "ada/house/320": "small", "ada/paper": "a text" };
  const rows = join(folder, "rows.sqlite");
  const database = new DatabaseSync(rows);
  database.exec(`CREATE TABLE users (number INTEGER, id TEXT); INSERT INTO users VALUES (1, 'ada');
    CREATE TABLE files (id TEXT, owner INTEGER, sha256 TEXT, thumbnails TEXT)`);
  const insert = database.prepare("INSERT INTO files VALUES (?, 1, ?, ?)");
  const sum = (text: string) => createHash("sha256").update(text).digest("hex");
  insert.run("house", sum(stored["ada/house"]), '{"320": 5}');
  insert.run("paper", sum(stored["ada/paper"]), "{}");
  database.close();

  const [source, backup] = [openSnapshot(rows), join(folder, "backup")];
  const all = { files: 3, missing: [] };
  expect(await backUpFiles(source, bucketOf(new Map(Object.entries(stored))), backup)).toEqual(all);
  expect(await checkFiles(source, backup)).toEqual(all);
  const elsewhere = new Map<string, string>();
  expect(await restoreFiles(source, bucketOf(elsewhere), backup)).toBe(3);
  expect(Object.fromEntries(elsewhere)).toEqual(stored);
  writeFileSync(join(backup, "files", "ada", "paper"), "another text");
  await expect(checkFiles(source, backup)).rejects.toThrow("is damaged");
  source.close();
});

/** The port of a server that answers like this. */
async function serve(answer: RequestListener): Promise<number> {
  const { port, close } = await listen(createServer(answer));
  onTestFinished(close);
  return port;
}

const cloudflareAt = (port: number) =>
  signInToCloudflare({
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_ACCOUNT_ID: "account",
    CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}`,
  });

test("deleting a bucket ends, also if one of its objects stays", async () => {
  const deleted: string[] = [];
  const cloudflare = await cloudflareAt(
    await serve(({ method, url }, response) => {
      if (method === "DELETE") deleted.push(String(url));
      const isBucket = method === "DELETE" && String(url).endsWith("/buckets/files");
      const errors = isBucket ? [{ code: 10008, message: "The bucket is not empty" }] : [];
      const body = { success: !isBucket, errors, result: method === "GET" ? [{ key: "a/b" }] : {} };
      response.writeHead(isBucket ? 409 : 200).end(JSON.stringify(body));
    }),
  );
  await expect(deleteBucket(cloudflare, "files")).rejects.toThrow("not empty");
  const bucket = "/accounts/account/r2/buckets/files";
  expect(deleted).toEqual([`${bucket}/objects/a%2Fb`, bucket]);
});

test("a file is sent to Cloudflare with its length", async () => {
  const file = join(newFolder(), "file");
  const bytes = Buffer.alloc(3_000_000, "commonplace");
  writeFileSync(file, bytes);
  const received = Promise.withResolvers<{ length: string | undefined; bytes: Buffer }>();
  const port = await serve(async (request, response) => {
    received.resolve({ length: request.headers["content-length"], bytes: await buffer(request) });
    response.end("{}");
  });
  await namedBucket(await cloudflareAt(port), "files").write("a/b", file);
  const { length, bytes: sent } = await received.promise;
  expect(length).toBe(String(bytes.length));
  expect(sent.equals(bytes)).toBe(true);
});

test("a running copy that does not delete a file is an error", async () => {
  const state = newFolder();
  const port = await serve(({ method }, response) => {
    response.writeHead(method === "DELETE" ? 500 : 200).end(JSON.stringify({ results: [[]] }));
  });
  writeFileSync(join(state, "operator"), JSON.stringify({ port, secret: "secret", address: "" }));
  const bucket = await localBucket(state);
  await expect(bucket?.remove("a/b")).rejects.toThrow("The running copy answered 500");
});

test("a state folder is free again after a start that could not mark it", () => {
  const settings = { stateDir: newFolder(), apiUrl: "http://localhost:8000" };
  const marker = join(settings.stateDir, "running");
  mkdirSync(marker);
  expect(() => claimState(settings, "npm start")).toThrow("must be a file");
  rmdirSync(marker);
  claimState(settings, "npm start").release();
});

test("a copy for which one port is configured gets another one for the second address", async () => {
  expect(await choosePorts({ API_PORT: "8001" })).toEqual({
    API_PORT: "8001",
    MCP_PORT: expect.not.stringMatching(/^8001$/),
  });
  expect(await choosePorts({ MCP_PORT: "8000" })).toEqual({
    API_PORT: expect.not.stringMatching(/^8000$/),
    MCP_PORT: "8000",
  });
  expect(await choosePorts({ API_PORT: "1", MCP_PORT: "2" })).toEqual({ API_PORT: "1", MCP_PORT: "2" });
});

test("values are written into a statement in the places of their parameters only", () => {
  expect(inlineNonText("SELECT ?, '? it''s', \"?\", ? WHERE a = ? LIMIT +?", [1, "x?", null, 20])).toEqual({
    sql: "SELECT 1, '? it''s', \"?\", ? WHERE a = NULL LIMIT +20",
    params: ["x?"],
  });
});
