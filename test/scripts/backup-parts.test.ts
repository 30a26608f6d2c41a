import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { backUpFiles, checkFiles, restoreFiles } from "../../scripts/backup/files.ts";
import type { FileBucket } from "../../scripts/common/bucket.ts";
import { localNamespace } from "../../scripts/common/kv.ts";
import { openSnapshot, type ReadableDatabase } from "../../scripts/common/local-database.ts";

// What a backup has besides the tables. With a service it is in test/e2e/backup.test.ts and test/e2e/kv.test.ts.

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "commonplace-backup-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** The entries of the OAuth server, as Miniflare keeps them. */
function keepEntries(stateDir: string, keys: string[]): void {
  const kv = join(stateDir, "v3", "kv");
  const [objects, blobs] = [join(kv, "miniflare-KVNamespaceObject"), join(kv, "OAUTH_KV", "blobs")];
  for (const one of [objects, blobs]) mkdirSync(one, { recursive: true });
  const database = new DatabaseSync(join(objects, "a.sqlite"));
  database.exec("CREATE TABLE _mf_entries (key TEXT, blob_id TEXT, expiration INTEGER, metadata TEXT)");
  for (const key of keys) {
    const blob = key.replaceAll(":", "-");
    writeFileSync(join(blobs, blob), `value of ${key}`);
    database.prepare("INSERT INTO _mf_entries VALUES (?, ?, NULL, NULL)").run(key, blob);
  }
  database.close();
}

test("the clients, grants and tokens of the OAuth server are read, and what only the clean-up needs is not", async () => {
  keepEntries(folder, ["token:1:a:x", "client:a", "purge-cursor", "grant:1:a"]);
  expect(await localNamespace(folder).read()).toEqual(
    ["client:a", "grant:1:a", "token:1:a:x"].map((key) => ({ key, value: `value of ${key}` })),
  );
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

/** The rows of two files, one of which has a smaller picture. */
function sourceOf(file: string, objects: Map<string, string>): ReadableDatabase {
  const database = new DatabaseSync(file);
  database.exec(`CREATE TABLE users (number INTEGER, id TEXT); INSERT INTO users VALUES (1, 'ada');
    CREATE TABLE files (id TEXT, owner INTEGER, sha256 TEXT, thumbnails TEXT)`);
  for (const [id, thumbnails] of [
    ["house", '{"320": 5}'],
    ["paper", "{}"],
  ] as const) {
    const sha256 = createHash("sha256")
      .update(objects.get(`ada/${id}`) ?? "")
      .digest("hex");
    database.prepare("INSERT INTO files VALUES (?, 1, ?, ?)").run(id, sha256, thumbnails);
  }
  database.close();
  return openSnapshot(file);
}

test("the bytes of files and of their smaller pictures are backed up, compared, and come back", async () => {
  const stored = { "ada/house": "a picture", "ada/house/320": "small", "ada/paper": "a text" };
  const objects = new Map(Object.entries(stored));
  const source = sourceOf(join(folder, "rows.sqlite"), objects);
  const backup = join(folder, "backup");
  const all = { files: 3, missing: [] };
  expect(await backUpFiles(source, bucketOf(objects), backup)).toEqual(all);
  expect(await checkFiles(source, backup)).toEqual(all);
  const elsewhere = new Map<string, string>();
  expect(await restoreFiles(source, bucketOf(elsewhere), backup)).toBe(3);
  expect(Object.fromEntries(elsewhere)).toEqual(stored);
  writeFileSync(join(backup, "files", "ada", "paper"), "another text");
  await expect(checkFiles(source, backup)).rejects.toThrow("is damaged");
  source.close();
});
