import { listStoredObjects } from "../backup/files.ts";
import type { FileBucket } from "../common/bucket.ts";
import type { Databases } from "../common/databases.ts";

/** `keys`: number of keys in the bucket. `lost`: keys without a row. `missing`: keys of rows that are not in the bucket. */
export type BucketDifferences = { keys: number; lost: string[]; missing: string[] };

/** The keys of uploads in progress and of files being erased. */
async function keysInUse(databases: Databases): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const { number } of databases.shards) {
    const rows = await (await databases.database(number)).query(
      "SELECT users.id || '/' || file_uploads.id AS key FROM file_uploads JOIN users ON users.number = file_uploads.owner",
    );
    for (const { key } of rows) keys.add(String(key));
  }
  return keys;
}

/** Compares the bucket with the rows of every shard. Files written in the meantime may be among the differences. */
export async function compareFiles(databases: Databases, bucket: FileBucket): Promise<BucketDifferences> {
  const found = new Set<string>();
  for await (const key of bucket.keys()) found.add(key);
  const keys = found.size;
  const missing: string[] = [];
  for (const { number } of databases.shards)
    for await (const { key } of listStoredObjects(await databases.database(number)))
      if (!found.delete(key)) missing.push(key);
  const inUse = await keysInUse(databases);
  const lost = [...found].filter((key) => !inUse.has(key.split("/").slice(0, 2).join("/")));
  return { keys, lost, missing };
}

const MAX_SHOWN = 100;

function printKeys(title: string, keys: string[]): void {
  if (keys.length === 0) return;
  console.log(`${title}: ${keys.length}`);
  for (const key of keys.slice(0, MAX_SHOWN)) console.log(`  ${key}`);
  if (keys.length > MAX_SHOWN) console.log(`  and ${keys.length - MAX_SHOWN} more`);
}

/** Prints the differences; with `repair`, deletes keys without a row. Returns whether any differences are left. */
export async function reportFiles(
  databases: Databases,
  bucket: FileBucket,
  repair: boolean,
): Promise<boolean> {
  const { keys, lost, missing } = await compareFiles(databases, bucket);
  console.log(`The bucket has ${keys} keys.`);
  printKeys("Keys that are not in the database", lost);
  printKeys("Files whose bytes are missing (a backup may have them)", missing);
  if (repair) for (const key of lost) await bucket.remove(key);
  if (repair && lost.length > 0) console.log(`Deleted: ${lost.length}`);
  else if (lost.length > 0) console.log("Add `--repair` to delete the keys that are not in the database.");
  if (lost.length + missing.length === 0) console.log("The bucket and the database agree.");
  return missing.length > 0 || (lost.length > 0 && !repair);
}
