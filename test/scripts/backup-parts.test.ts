import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Readable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { backUpFiles, checkFiles, restoreFiles } from "../../scripts/backup/files.ts";
import type { FileBucket } from "../../scripts/common/bucket.ts";
import { openSnapshot } from "../../scripts/common/local-database.ts";

// The files in a backup. With a service they are in test/e2e/backup.test.ts.

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

test("the bytes of files and of their thumbnails are backed up, compared, and come back", async () => {
  const folder = mkdtempSync(join(tmpdir(), "commonplace-backup-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
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
