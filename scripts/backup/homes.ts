import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FIRST_HOME } from "../../src/contract/home.ts";
import type { Home } from "../../src/contract/homes.ts";
import { checkBackup, type Manifest } from "../common/dump.ts";

// A backup of several shards: one folder for each, and a manifest that is written last.

const FORMAT = "commonplace-backup-of-homes";

type ShardsManifest = { format: typeof FORMAT; created_at: string; homes: number[] };

/** The folder of a shard in a backup of several. */
export const homeFolder = (shard: number) => `home-${shard}`;

const manifestFile = (folder: string) => join(folder, "manifest.json");

export function writeHomesManifest(folder: string, shards: Home[], now: Date): void {
  const numbers = shards.map(({ number }) => number);
  const manifest: ShardsManifest = { format: FORMAT, created_at: now.toISOString(), homes: numbers };
  writeFileSync(manifestFile(folder), `${JSON.stringify(manifest, null, 2)}\n`, { flag: "wx", mode: 0o600 });
}

/** The backup of one shard. */
export type Part = { home: number; folder: string; manifest: Manifest };

/** The shards of a backup. Throws if the backup is incomplete or damaged. */
export async function readBackup(folder: string): Promise<Part[]> {
  if (!existsSync(manifestFile(folder))) throw new Error(`${folder} is not a backup, or not a complete one`);
  const shardsManifest = JSON.parse(readFileSync(manifestFile(folder), "utf8")) as ShardsManifest;
  const folders =
    shardsManifest.format === FORMAT
      ? shardsManifest.homes.map((shard) => join(folder, homeFolder(shard)))
      : [folder];
  const parts: Part[] = [];
  for (const one of folders) {
    const manifest = await checkBackup(one);
    parts.push({ home: manifest.home ?? FIRST_HOME, folder: one, manifest });
  }
  return parts;
}
