import type { Region, Shard } from "./shards.ts";

/** A shard above this size takes no new users: D1 is limited to 10 GB, and its current users continue to write. */
export const FULL_SHARD_BYTES = 7_000_000_000;

const NEAREST: Record<string, Region[]> = {
  EU: ["weur", "eeur", "enam", "wnam", "apac", "oc"],
  AF: ["weur", "eeur", "enam", "apac", "wnam", "oc"],
  NA: ["enam", "wnam", "weur", "eeur", "apac", "oc"],
  SA: ["enam", "wnam", "weur", "eeur", "apac", "oc"],
  AS: ["apac", "eeur", "oc", "weur", "wnam", "enam"],
  OC: ["oc", "apac", "wnam", "enam", "weur", "eeur"],
};
const ANYWHERE: Region[] = ["weur", "enam", "eeur", "wnam", "apac", "oc"];

type Sizes = ReadonlyMap<number, number>;

const shardSize = (bytes: Sizes, { number }: Shard) => bytes.get(number) ?? 0;

export const hasRoom = (shard: Shard, bytes: Sizes): boolean => shardSize(bytes, shard) < FULL_SHARD_BYTES;

export function emptiestShard(region: Region | undefined, shards: Shard[], bytes: Sizes): number | undefined {
  const [emptiest] = shards
    .filter((shard) => shard.region === region && shard.isOpen && hasRoom(shard, bytes))
    .sort((a, b) => shardSize(bytes, a) - shardSize(bytes, b) || a.number - b.number);
  return emptiest?.number;
}

/** The shard for a new user; undefined if none takes new users. Shards in `eu` are only used on request, not by location. */
export function nearestShard(
  shards: Shard[],
  bytes: Sizes,
  continent: string | undefined,
): number | undefined {
  for (const region of NEAREST[continent ?? ""] ?? ANYWHERE) {
    const shard = emptiestShard(region, shards, bytes);
    if (shard !== undefined) return shard;
  }
  return undefined;
}

/** Whether migrating from one shard to another leaves the jurisdiction of the European Union. */
export function leavesEu(shards: Shard[], from: number, to: number): boolean {
  const isInEu = (number: number) => shards.some((shard) => shard.number === number && shard.region === "eu");
  return isInEu(from) && !isInEu(to);
}
