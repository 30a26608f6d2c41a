import type { Context } from "hono";
import { emptiestShard, hasRoom, nearestShard } from "../../contract/placement.ts";
import { FIRST_SHARD } from "../../contract/shard.ts";
import type { Shard } from "../../contract/shards.ts";
import type { Env } from "../../env.ts";
import type { AppEnv } from "../core/ctx.ts";
import { badRequest, forbidden } from "../core/errors.ts";
import { readPlacement } from "./address-directory-store.ts";
import { baseCtxIn, configuredShards } from "./router.ts";

export type RegionChoice = "eu";

type Sizes = ReadonlyMap<number, number>;

/** The shard that the operator has set for new accounts; undefined while it is full. Throws if it does not exist. */
function homeForNew(env: Env, bytes: Sizes): number | undefined {
  const home = configuredShards(env).find(({ binding }) => binding === env.HOME_FOR_NEW);
  if (!home) throw new Error("HOME_FOR_NEW must be one of the databases in HOMES, such as DB_2");
  return hasRoom(home, bytes) ? home.number : undefined;
}

const continentOf = ({ req }: Context<AppEnv>): string | undefined =>
  (req.raw as { cf?: { continent?: string } }).cf?.continent;

export function requireRegion(env: Env, home: number | undefined, wish: RegionChoice | undefined): void {
  const isMatch = ({ number, region }: Shard) => number === home && region === wish;
  if (wish === undefined || configuredShards(env).some(isMatch)) return;
  throw badRequest(
    "This service cannot store this account in the European Union: register without `region`, or ask its operator",
  );
}

export const offersEu = (env: Env): boolean => {
  const homes = configuredShards(env);
  return homes.length > 1 && homes.some(({ region, isOpen }) => region === "eu" && isOpen);
};

/** The claimed shard, or the nearest open one. Throws 403 if no shard is open, 400 if none is in the requested region. */
export async function chooseShard(
  c: Context<AppEnv>,
  email: string,
  wish: RegionChoice | undefined,
): Promise<number> {
  const homes = configuredShards(c.env);
  if (homes.length === 1) return FIRST_SHARD;
  const { claimed, bytes } = await readPlacement(baseCtxIn(c, FIRST_SHARD), email);
  const choose = () => {
    if (wish !== undefined) return emptiestShard(wish, homes, bytes);
    return c.env.HOME_FOR_NEW ? homeForNew(c.env, bytes) : nearestShard(homes, bytes, continentOf(c));
  };
  const chosen = claimed ?? choose();
  requireRegion(c.env, chosen, wish);
  if (chosen === undefined)
    throw forbidden("This service does not accept new accounts at the moment: ask its operator");
  return chosen;
}
