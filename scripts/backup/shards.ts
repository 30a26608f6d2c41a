import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FIRST_SHARD } from "../../src/contract/shard.ts";
import type { Shard } from "../../src/contract/shards.ts";
import { type BackupManifest, manifestFile, verifyBackup, writeManifest } from "../common/backup-folder.ts";

// A backup of several shards: one folder for each, and a manifest that is written last.

const FORMAT = "commonplace-backup-of-homes";

type ShardsManifest = { format: typeof FORMAT; created_at: string; homes: number[] };

/** The folder of a shard in a backup of several. */
export const shardFolder = (shard: number) => `home-${shard}`;

export function writeShardsManifest(folder: string, shards: Shard[], now: Date): void {
  const numbers = shards.map(({ number }) => number);
  const manifest: ShardsManifest = { format: FORMAT, created_at: now.toISOString(), homes: numbers };
  writeManifest(folder, manifest);
}

/** The backup of one shard. */
export type ShardBackup = { shard: number; folder: string; manifest: BackupManifest };

/** The shards of a backup. Throws if the backup is incomplete or damaged. */
export async function readBackup(folder: string): Promise<ShardBackup[]> {
  if (!existsSync(manifestFile(folder))) throw new Error(`${folder} is not a backup, or not a complete one`);
  const shardsManifest = JSON.parse(readFileSync(manifestFile(folder), "utf8")) as ShardsManifest;
  const parts =
    shardsManifest.format === FORMAT
      ? shardsManifest.homes.map((shard) => ({ shard, folder: join(folder, shardFolder(shard)) }))
      : [{ shard: FIRST_SHARD, folder }];
  const checked: ShardBackup[] = [];
  for (const part of parts) {
    const manifest = await verifyBackup(part.folder);
    // Some releases did not write the number into the manifest of one of several databases.
    checked.push({ shard: manifest.home ?? part.shard, folder: part.folder, manifest });
  }
  return checked;
}
