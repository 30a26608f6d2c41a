import { storedFiles } from "../backup/files.ts";
import type { Bucket } from "../common/bucket.ts";
import type { Databases } from "../common/databases.ts";

/** How the bucket and the rows differ: keys that no row has, and those of rows that the bucket does not have. */
export type Differences = { keys: number; lost: string[]; missing: string[] };

/** The keys that uploads under way, and what is being erased, may have. */
async function underWay(databases: Databases): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const { number } of databases.homes) {
    const rows = await (await databases.target(number)).query(
      "SELECT users.id || '/' || file_uploads.id AS key FROM file_uploads JOIN users ON users.number = file_uploads.owner",
    );
    for (const { key } of rows) keys.add(String(key));
  }
  return keys;
}

/** Compares the bucket with the rows of every home. What is written in the meantime may be among the differences. */
export async function compareFiles(databases: Databases, bucket: Bucket): Promise<Differences> {
  const found = new Set<string>();
  for await (const key of bucket.keys()) found.add(key);
  const keys = found.size;
  const missing: string[] = [];
  for (const { number } of databases.homes)
    for await (const { key } of storedFiles(await databases.target(number)))
      if (!found.delete(key)) missing.push(key);
  const busy = await underWay(databases);
  const lost = [...found].filter((key) => !busy.has(key.split("/").slice(0, 2).join("/")));
  return { keys, lost, missing };
}

const SHOWN = 100;

function show(title: string, keys: string[]): void {
  if (keys.length === 0) return;
  console.log(`${title}: ${keys.length}`);
  for (const key of keys.slice(0, SHOWN)) console.log(`  ${key}`);
  if (keys.length > SHOWN) console.log(`  and ${keys.length - SHOWN} more`);
}

/** Prints the differences; with `repair`, deletes what no row has. Returns whether there are any left. */
export async function reportFiles(databases: Databases, bucket: Bucket, repair: boolean): Promise<boolean> {
  const { keys, lost, missing } = await compareFiles(databases, bucket);
  console.log(`The bucket has ${keys} keys.`);
  show("Keys that no row has", lost);
  show("Files whose bytes are missing (a backup may have them)", missing);
  if (repair) for (const key of lost) await bucket.remove(key);
  if (repair && lost.length > 0) console.log(`Deleted: ${lost.length}`);
  else if (lost.length > 0) console.log("`--repair` deletes the keys that no row has.");
  if (lost.length + missing.length === 0) console.log("It has exactly what the rows say.");
  return missing.length > 0 || (lost.length > 0 && !repair);
}
