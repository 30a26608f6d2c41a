import { FIRST_SHARD } from "./shard.ts";

/** Cloudflare's location hints for a database, and its jurisdiction for the European Union. */
export const REGIONS = ["wnam", "enam", "weur", "eeur", "apac", "oc", "eu"] as const;
export type Region = (typeof REGIONS)[number];

/** A database of users. `region` is undefined if the setting is empty. Only an open shard accepts new users. */
export type Shard = { number: number; binding: string; region: Region | undefined; isOpen: boolean };

export const shardBinding = (shard: number) => (shard === FIRST_SHARD ? "DB" : `DB_${shard}`);

const ENTRY = /^(DB(?:_([2-9]|[1-9]\d{1,3}))?)=([a-z]+):(open|closed)$/;
const FORM =
  "HOMES must list databases such as DB=weur:open, DB_2=enam:closed, starting with DB and without duplicates; a region is one of ";

export const isRegion = (name: string): name is Region => (REGIONS as readonly string[]).includes(name);

function parseShard(entry: string): Shard {
  const [, binding, number = FIRST_SHARD, region = "", state] = ENTRY.exec(entry.trim()) ?? [];
  if (!binding || !isRegion(region)) throw new Error(FORM + REGIONS.join(", "));
  return { number: Number(number), binding, region, isOpen: state === "open" };
}

const ONLY: Shard = { number: FIRST_SHARD, binding: "DB", region: undefined, isOpen: true };

/** The shards in the setting; one if it is empty. Throws if it is malformed: a typo must not hide a database. */
export function parseShards(setting: string): [Shard, ...Shard[]] {
  if (!setting) return [ONLY];
  const [first, ...others] = setting.split(",").map(parseShard);
  const numbers = new Set([first, ...others].map((shard) => shard?.number));
  if (first?.number !== FIRST_SHARD || numbers.size !== others.length + 1)
    throw new Error(FORM + REGIONS.join(", "));
  return [first, ...others];
}

export const formatShards = (shards: Shard[]): string =>
  shards
    .map(({ binding, region, isOpen }) => `${binding}=${region}:${isOpen ? "open" : "closed"}`)
    .join(", ");
