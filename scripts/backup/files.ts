import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Bucket } from "../common/bucket.ts";
import type { Source } from "../common/source.ts";

// The bytes of files in a backup: `files/<account>/<file>`, and `….320` for a thumbnail. Their rows are in the tables, with the
// SHA-256 that they are compared with.

/** An object in the bucket: where it is in a backup, and what it must be. Thumbnails have no checksum. */
type Stored = { key: string; file: string; sha256: string | undefined };

const PAGE = 500;

/** What the rows of a database say that the bucket has. */
export async function* storedFiles(source: Source): AsyncGenerator<Stored> {
  for (let last = ""; ; ) {
    const rows = await source.query(
      `SELECT files.id, files.sha256, files.thumbnails, users.id AS account FROM files
        JOIN users ON users.number = files.owner WHERE files.id > ? ORDER BY files.id LIMIT ${PAGE}`,
      [last],
    );
    for (const { id, sha256, thumbnails, account } of rows) {
      const key = `${account}/${id}`;
      yield { key, file: join("files", key), sha256: String(sha256) };
      for (const width of Object.keys(JSON.parse(String(thumbnails))))
        yield { key: `${key}/${width}`, file: join("files", `${key}.${width}`), sha256: undefined };
    }
    if (rows.length < PAGE) return;
    last = String(rows.at(-1)?.id);
  }
}

/** A stream that hashes what passes. */
function hashing() {
  const hash = createHash("sha256");
  const through = new PassThrough();
  through.on("data", (chunk: Buffer) => hash.update(chunk));
  return { through, sha256: () => hash.digest("hex") };
}

type Count = { files: number; missing: string[] };

/** Writes the bytes of all files into a folder. Names those that the bucket does not have, such as one erased meanwhile. */
export async function backUpFiles(
  source: Source,
  bucket: Bucket | undefined,
  folder: string,
): Promise<Count> {
  const count: Count = { files: 0, missing: [] };
  for await (const { key, file, sha256 } of storedFiles(source)) {
    const bytes = await bucket?.read(key);
    if (!bytes) {
      count.missing.push(key);
      continue;
    }
    const to = join(folder, file);
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    const hash = hashing();
    await pipeline(bytes, hash.through, createWriteStream(to, { flags: "wx", mode: 0o600 }));
    if (sha256 !== undefined && hash.sha256() !== sha256)
      throw new Error(`The bucket has other bytes for ${key} than its row says`);
    count.files++;
  }
  return count;
}

/** Compares the files of a backup with their rows. Throws for one that is damaged; returns how many are missing. */
export async function checkFiles(source: Source, folder: string): Promise<Count> {
  const count: Count = { files: 0, missing: [] };
  for await (const { key, file, sha256 } of storedFiles(source)) {
    const from = join(folder, file);
    if (!existsSync(from)) {
      count.missing.push(key);
      continue;
    }
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(from)) hash.update(chunk as Buffer);
    if (sha256 !== undefined && hash.digest("hex") !== sha256)
      throw new Error(`${from} is damaged: its checksum differs`);
    count.files++;
  }
  return count;
}

/** Puts the files of a backup into the bucket. Throws when it has some, and there is no bucket. */
export async function restoreFiles(
  source: Source,
  bucket: Bucket | undefined,
  folder: string,
): Promise<number> {
  let restored = 0;
  for await (const { key, file } of storedFiles(source)) {
    const from = join(folder, file);
    if (!existsSync(from)) continue;
    if (!bucket)
      throw new Error(
        "The backup has files, and wrangler.toml no [[r2_buckets]] to put them into: add it first",
      );
    await bucket.write(key, from);
    restored++;
  }
  return restored;
}

export const toldOf = ({ files, missing }: Count): string =>
  missing.length === 0
    ? `files: ${files}`
    : `files: ${files}; the bucket does not have ${missing.length}, such as ${missing.slice(0, 3).join(", ")}`;
