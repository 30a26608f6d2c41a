import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FIRST_HOME } from "../../src/contract/home.ts";
import type { Home } from "../../src/contract/homes.ts";
import { checkBackup, type Manifest } from "../common/dump.ts";

// A backup of several shards: one folder for each, and a manifest that is written last.

const FORMAT = "commonplace-backup-of-homes";

type HomesManifest = { format: typeof FORMAT; created_at: string; homes: number[] };

/** The folder of a shard in a backup of several. */
export const homeFolder = (home: number) => `home-${home}`;

const fileIn = (folder: string) => join(folder, "manifest.json");

export function writeHomesManifest(folder: string, homes: Home[], now: Date): void {
  const numbers = homes.map(({ number }) => number);
  const manifest: HomesManifest = { format: FORMAT, created_at: now.toISOString(), homes: numbers };
  writeFileSync(fileIn(folder), `${JSON.stringify(manifest, null, 2)}\n`, { flag: "wx", mode: 0o600 });
}

/** The backup of one shard. */
export type Part = { home: number; folder: string; manifest: Manifest };

/** The shards of a backup. Throws if the backup is incomplete or damaged. */
export async function readBackup(folder: string): Promise<Part[]> {
  if (!existsSync(fileIn(folder))) throw new Error(`${folder} is not a backup, or not a complete one`);
  const outer = JSON.parse(readFileSync(fileIn(folder), "utf8")) as HomesManifest;
  const folders =
    outer.format === FORMAT ? outer.homes.map((home) => join(folder, homeFolder(home))) : [folder];
  const parts: Part[] = [];
  for (const one of folders) {
    const manifest = await checkBackup(one);
    parts.push({ home: manifest.home ?? FIRST_HOME, folder: one, manifest });
  }
  return parts;
}
