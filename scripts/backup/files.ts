import { createHash } from "node:crypto";
import { createWriteStream, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileSha256 } from "../common/backup-folder.ts";
import type { FileBucket } from "../common/bucket.ts";
import type { ReadableDatabase } from "../common/local-database.ts";

// The bytes of files in a backup: `files/<account>/<file>`, and `….320` for a thumbnail. Their rows, with the SHA-256 of
// the bytes, are in the tables.

/** An object in the bucket, its path in a backup, and its checksum. Thumbnails have no checksum. */
type StoredObject = { key: string; path: string; sha256: string | undefined };

const PAGE_SIZE = 500;

/** The objects that the bucket should have according to the rows of a database. */
export async function* listStoredObjects(source: ReadableDatabase): AsyncGenerator<StoredObject> {
  for (let last = ""; ; ) {
    const rows = await source.query(
      `SELECT files.id, files.sha256, files.thumbnails, users.id AS account FROM files
        JOIN users ON users.number = files.owner WHERE files.id > ? ORDER BY files.id LIMIT ${PAGE_SIZE}`,
      [last],
    );
    for (const { id, sha256, thumbnails, account } of rows) {
      const key = `${account}/${id}`;
      yield { key, path: join("files", key), sha256: String(sha256) };
      for (const width of Object.keys(JSON.parse(String(thumbnails))))
        yield { key: `${key}/${width}`, path: join("files", `${key}.${width}`), sha256: undefined };
    }
    if (rows.length < PAGE_SIZE) return;
    last = String(rows.at(-1)?.id);
  }
}

type FileCount = { files: number; missing: string[] };

/** Writes the bytes of all files into a folder. `missing` lists those that the bucket lacks, for example just erased. */
export async function backUpFiles(
  source: ReadableDatabase,
  bucket: FileBucket | undefined,
  folder: string,
): Promise<FileCount> {
  const count: FileCount = { files: 0, missing: [] };
  for await (const { key, path, sha256 } of listStoredObjects(source)) {
    const bytes = await bucket?.read(key);
    if (!bytes) {
      count.missing.push(key);
      continue;
    }
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    const hash = createHash("sha256");
    bytes.on("data", (chunk: Buffer) => hash.update(chunk));
    await pipeline(bytes, createWriteStream(target, { flags: "wx", mode: 0o600 }));
    if (sha256 !== undefined && hash.digest("hex") !== sha256)
      throw new Error(`The bytes of ${key} in the bucket do not match the checksum in its row`);
    count.files++;
  }
  return count;
}

/** Compares the files of a backup with their rows. Throws if one is damaged; missing files are only listed. */
export async function checkFiles(source: ReadableDatabase, folder: string): Promise<FileCount> {
  const count: FileCount = { files: 0, missing: [] };
  for await (const { key, path, sha256 } of listStoredObjects(source)) {
    const from = join(folder, path);
    if (!existsSync(from)) {
      count.missing.push(key);
      continue;
    }
    if (sha256 !== undefined && (await fileSha256(from)) !== sha256)
      throw new Error(`${from} is damaged: its checksum differs`);
    count.files++;
  }
  return count;
}

/** Writes the files of a backup into the bucket. Throws if there are files but no bucket. */
export async function restoreFiles(
  source: ReadableDatabase,
  bucket: FileBucket | undefined,
  folder: string,
): Promise<number> {
  let restored = 0;
  for await (const { key, path } of listStoredObjects(source)) {
    const from = join(folder, path);
    if (!existsSync(from)) continue;
    if (!bucket)
      throw new Error(
        "The backup contains files, but wrangler.toml has no [[r2_buckets]] for them: add it first",
      );
    await bucket.write(key, from);
    restored++;
  }
  return restored;
}

export const describeFileCount = ({ files, missing }: FileCount): string =>
  missing.length === 0
    ? `files: ${files}`
    : `files: ${files}; ${missing.length} missing, such as ${missing.slice(0, 3).join(", ")}`;
