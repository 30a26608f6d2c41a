import { existsSync, statSync } from "node:fs";
import { FIRST_HOME } from "../../src/contract/home.ts";
import { type Home, parseHomes } from "../../src/contract/homes.ts";
import type { BaseCtx } from "../../src/platform/core/ctx.ts";
import { type Cloudflare, databaseId, remoteDatabase } from "./cloudflare.ts";
import { baseOf } from "./d1.ts";
import { refuseLeftOut } from "./left-out.ts";
import { operatorOf } from "./operator.ts";
import { homesSetting } from "./settings.ts";
import { localFile, localPath, localSource, stateDirOf, type Target } from "./source.ts";
import { runningCopy, runningTarget, stoppedTarget } from "./targets.ts";

/** The databases of a service, which may be running, stopped or on Cloudflare. */
export type Databases = {
  /** The setting HOMES; empty with a single database. */
  setting: string;
  homes: [Home, ...Home[]];
  /** The database of a shard. `close` closes it. */
  target: (home: number) => Promise<Target>;
  /** The context for the service's own functions on a shard. */
  base: (home: number) => Promise<BaseCtx>;
  /** The size of a shard in bytes. */
  size: (home: number) => Promise<number>;
  /** Whether the databases are on Cloudflare. */
  isRemote: boolean;
  /** The address of the copy running on this machine. */
  address?: string;
  close: () => void;
};

type Access = {
  setting: string;
  open: (home: Home) => Promise<Target>;
  size: (home: Home) => Promise<number>;
};

/** Throws if the setting leaves out a shard that has users. */
async function databasesOf({ setting, open, size }: Access): Promise<Omit<Databases, "isRemote">> {
  const homes = parseHomes(setting);
  const opened = new Map<number, Promise<Target>>();
  const homeOf = (number: number) => {
    const home = homes.find((one) => one.number === number);
    if (!home) throw new Error(`There is no home ${number}: HOMES is ${setting || "empty"}`);
    return home;
  };
  const target = (number: number) => {
    const database = opened.get(number) ?? open(homeOf(number));
    opened.set(number, database);
    return database;
  };
  await refuseLeftOut(await target(FIRST_HOME), homes);
  return {
    setting,
    homes,
    target,
    base: async (home) => baseOf(await target(home), home),
    size: (home) => size(homeOf(home)),
    close: () => {
      for (const one of opened.values()) void one.then((database) => database.close());
    },
  };
}

/** The number of the shard with this binding. Throws if there is none. */
export function homeNamed({ homes }: { homes: Home[] }, binding: string): number {
  const home = homes.find((one) => one.binding === binding);
  if (home) return home.number;
  throw new Error(
    `${binding} is not one of the service's homes: ${homes.map((one) => one.binding).join(", ")}`,
  );
}

/** The shards of the deployment on Cloudflare. */
export const remoteHomes = ({ config }: Cloudflare) => parseHomes(config.vars.HOMES ?? "");

/** The shards of the copy in STATE_DIR. Throws if HOMES leaves out one that has users. */
export async function localHomes(environment: NodeJS.ProcessEnv) {
  const stateDir = stateDirOf(environment);
  const homes = parseHomes(operatorOf(stateDir)?.homes ?? homesSetting(environment));
  if (!existsSync(localPath(stateDir, FIRST_HOME))) return homes;
  const first = localSource(localFile(stateDir));
  await refuseLeftOut(first, homes).finally(first.close);
  return homes;
}

const bytesOf = (file: string) => (existsSync(file) ? statSync(file).size : 0);

/** The databases of the copy in STATE_DIR. Throws while it is starting. */
export async function localDatabases(environment: NodeJS.ProcessEnv): Promise<Databases> {
  const stateDir = stateDirOf(environment);
  const copy = await runningCopy(stateDir);
  const databases = await databasesOf({
    setting: copy ? (copy.homes ?? "") : homesSetting(environment),
    open: async ({ number, binding }) =>
      copy ? runningTarget(copy, binding) : stoppedTarget(localFile(stateDir, number)),
    size: async ({ number }) => {
      const file = localFile(stateDir, number);
      return bytesOf(file) + bytesOf(`${file}-wal`);
    },
  });
  return { ...databases, isRemote: false, ...(copy && { address: copy.address }) };
}

/**
 * The databases of the deployment on Cloudflare.
 *
 * @param named the id of a database to use instead of the first one in wrangler.toml
 */
export async function remoteDatabases(cloudflare: Cloudflare, named?: string): Promise<Databases> {
  const { call, account, config } = cloudflare;
  const idOf = async ({ number, binding }: Home) =>
    (number === FIRST_HOME && named) || databaseId(cloudflare, binding);
  const databases = await databasesOf({
    setting: config.vars.HOMES ?? "",
    open: async (home) => remoteDatabase(cloudflare, await idOf(home)),
    size: async (home) => {
      const path = `/accounts/${account}/d1/database/${await idOf(home)}`;
      return (await call<{ file_size: number }>(path)).result.file_size;
    },
  });
  return { ...databases, isRemote: true };
}
