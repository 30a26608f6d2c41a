import { existsSync, statSync } from "node:fs";
import { FIRST_SHARD } from "../../src/contract/shard.ts";
import { parseShards, type Shard } from "../../src/contract/shards.ts";
import type { BaseCtx } from "../../src/platform/core/ctx.ts";
import { type CloudflareClient, remoteDatabase, requireDatabaseId } from "./cloudflare.ts";
import { findRunningOperator, openRunningDatabase, openStoppedDatabase } from "./copy-databases.ts";
import { baseCtxFor } from "./d1.ts";
import { requireDatabaseFile, stateDirectory, type WritableDatabase } from "./local-database.ts";
import { readOperatorFile } from "./operator.ts";
import { requireAllLocalShards, requireAllShards } from "./require-all-shards.ts";
import { homesSetting } from "./settings.ts";

/** The databases of a service, which may be running, stopped or on Cloudflare. */
export type Databases = {
  /** The setting HOMES; empty with a single database. */
  setting: string;
  shards: [Shard, ...Shard[]];
  /** The database of a shard. `close` closes it. */
  database: (shard: number) => Promise<WritableDatabase>;
  base: (shard: number) => Promise<BaseCtx>;
  /** The size of a shard in bytes. */
  size: (shard: number) => Promise<number>;
  isRemote: boolean;
  /** The address of the copy running on this machine. */
  address?: string;
  close: () => void;
};

type DatabaseAccess = {
  setting: string;
  open: (shard: Shard) => Promise<WritableDatabase>;
  size: (shard: Shard) => Promise<number>;
};

/** Throws if the setting leaves out a shard that has users. */
async function openDatabases({ setting, open, size }: DatabaseAccess): Promise<Omit<Databases, "isRemote">> {
  const shards = parseShards(setting);
  const opened = new Map<number, Promise<WritableDatabase>>();
  const findShard = (number: number) => {
    const shard = shards.find((one) => one.number === number);
    if (!shard) throw new Error(`There is no home ${number}: HOMES is ${setting || "empty"}`);
    return shard;
  };
  const target = (number: number) => {
    const database = opened.get(number) ?? open(findShard(number));
    opened.set(number, database);
    return database;
  };
  await requireAllShards(await target(FIRST_SHARD), shards);
  return {
    setting,
    shards,
    database: target,
    base: async (shard) => baseCtxFor(await target(shard), shard),
    size: (shard) => size(findShard(shard)),
    close: () => {
      for (const one of opened.values()) void one.then((database) => database.close());
    },
  };
}

/** The number of the shard with this binding. Throws if there is none. */
export function shardNumberOf({ shards }: { shards: Shard[] }, binding: string): number {
  const shard = shards.find((one) => one.binding === binding);
  if (shard) return shard.number;
  throw new Error(
    `${binding} is not one of the service's homes: ${shards.map((one) => one.binding).join(", ")}`,
  );
}

/** The shards of the deployment on Cloudflare. */
export const remoteShards = ({ config }: CloudflareClient) => parseShards(config.vars.HOMES ?? "");

/** The shards of the copy in STATE_DIR. Throws if HOMES leaves out one that has users. */
export async function localShards(environment: NodeJS.ProcessEnv) {
  const stateDir = stateDirectory(environment);
  const shards = parseShards(readOperatorFile(stateDir)?.homes ?? homesSetting(environment));
  await requireAllLocalShards(stateDir, shards);
  return shards;
}

const fileSize = (file: string) => (existsSync(file) ? statSync(file).size : 0);

/** The databases of the copy in STATE_DIR. Throws while it is starting. */
export async function localDatabases(environment: NodeJS.ProcessEnv): Promise<Databases> {
  const stateDir = stateDirectory(environment);
  const copy = await findRunningOperator(stateDir);
  const databases = await openDatabases({
    setting: copy ? (copy.homes ?? "") : homesSetting(environment),
    open: async ({ number, binding }) =>
      copy ? openRunningDatabase(copy, binding) : openStoppedDatabase(requireDatabaseFile(stateDir, number)),
    size: async ({ number }) => {
      const file = requireDatabaseFile(stateDir, number);
      return fileSize(file) + fileSize(`${file}-wal`);
    },
  });
  return { ...databases, isRemote: false, ...(copy && { address: copy.address }) };
}

/**
 * The databases of the deployment on Cloudflare.
 *
 * @param firstDatabaseId the id of a database to use instead of the first one in wrangler.toml
 */
export async function remoteDatabases(
  cloudflare: CloudflareClient,
  firstDatabaseId?: string,
): Promise<Databases> {
  const { call, account, config } = cloudflare;
  const findId = async ({ number, binding }: Shard) =>
    (number === FIRST_SHARD && firstDatabaseId) || requireDatabaseId(cloudflare, binding);
  const databases = await openDatabases({
    setting: config.vars.HOMES ?? "",
    open: async (shard) => remoteDatabase(cloudflare, await findId(shard)),
    size: async (shard) => {
      const path = `/accounts/${account}/d1/database/${await findId(shard)}`;
      return (await call<{ file_size: number }>(path)).file_size;
    },
  });
  return { ...databases, isRemote: true };
}
