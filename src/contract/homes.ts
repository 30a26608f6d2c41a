import { FIRST_HOME } from "./home.ts";

/** Cloudflare's location hints for a database, and its jurisdiction for the European Union. */
export const REGIONS = ["wnam", "enam", "weur", "eeur", "apac", "oc", "eu"] as const;
export type Region = (typeof REGIONS)[number];

/** A database of users. `region` is undefined if the setting is empty. Only an open shard accepts new users. */
export type Home = { number: number; binding: string; region: Region | undefined; isOpen: boolean };

export const bindingOf = (shard: number) => (shard === FIRST_HOME ? "DB" : `DB_${shard}`);

const ENTRY = /^(DB(?:_([2-9]|[1-9]\d{1,3}))?)=([a-z]+):(open|closed)$/;
const FORM =
  "HOMES must list databases such as DB=weur:open, DB_2=enam:closed, starting with DB and without duplicates; a region is one of ";

export const isRegion = (name: string): name is Region => (REGIONS as readonly string[]).includes(name);

function parseShard(entry: string): Home {
  const [, binding, number = FIRST_HOME, region = "", state] = ENTRY.exec(entry.trim()) ?? [];
  if (!binding || !isRegion(region)) throw new Error(FORM + REGIONS.join(", "));
  return { number: Number(number), binding, region, isOpen: state === "open" };
}

const ONLY: Home = { number: FIRST_HOME, binding: "DB", region: undefined, isOpen: true };

/** The shards in the setting; one if it is empty. Throws if it is malformed: a typo must not hide a database. */
export function parseHomes(setting: string): [Home, ...Home[]] {
  if (!setting) return [ONLY];
  const [first, ...others] = setting.split(",").map(parseShard);
  const numbers = new Set([first, ...others].map((shard) => shard?.number));
  if (first?.number !== FIRST_HOME || numbers.size !== others.length + 1)
    throw new Error(FORM + REGIONS.join(", "));
  return [first, ...others];
}

export const writeHomes = (shards: Home[]): string =>
  shards
    .map(({ binding, region, isOpen }) => `${binding}=${region}:${isOpen ? "open" : "closed"}`)
    .join(", ");
