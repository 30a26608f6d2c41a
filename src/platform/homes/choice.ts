import type { Context } from "hono";
import type { AppEnv } from "../core/ctx.ts";
import { badRequest, forbidden } from "../core/errors.ts";
import { FIRST_HOME } from "../../contract/home.ts";
import type { Env } from "../../env.ts";
import { placement } from "./address-book-store.ts";
import { emptiestIn, hasRoom, nearestHome } from "../../contract/placement.ts";
import { baseIn, homesOf } from "./router.ts";

/** The jurisdiction in which somebody wants to have their data. */
export type Wish = "eu";

type Sizes = ReadonlyMap<number, number>;

/**
 * The home that the operator has set for all new users; undefined while it is full. Throws for one that does not exist.
 */
function homeForNew(env: Env, bytes: Sizes): number | undefined {
  const home = homesOf(env).find(({ binding }) => binding === env.HOME_FOR_NEW);
  if (!home) throw new Error("HOME_FOR_NEW must be one of the databases in HOMES, such as DB_2");
  return hasRoom(home, bytes) ? home.number : undefined;
}

const continentOf = ({ req }: Context<AppEnv>): string | undefined =>
  (req.raw as { cf?: { continent?: string } }).cf?.continent;

/** Throws 400 when somebody wants a jurisdiction in which the home is not. */
export function requireWish(env: Env, home: number | undefined, wish: Wish | undefined): void {
  if (wish === undefined || homesOf(env).some(({ number, region }) => number === home && region === wish))
    return;
  throw badRequest(
    "This service cannot keep this account in the European Union: register without `region`, or ask its operator",
  );
}

/** Whether people can choose to have their data in the European Union. */
export const offersEu = (env: Env): boolean => {
  const homes = homesOf(env);
  return homes.length > 1 && homes.some(({ region, isOpen }) => region === "eu" && isOpen);
};

/**
 * The home for a new user: the one in which an interrupted registration has claimed the address, or the nearest that takes
 * new users. With several homes, this asks the first one. Throws 403 when none takes any, and 400 when the wish cannot be
 * granted.
 */
export async function chooseHome(c: Context<AppEnv>, email: string, wish: Wish | undefined): Promise<number> {
  const homes = homesOf(c.env);
  if (homes.length === 1) return FIRST_HOME;
  const { claimed, bytes } = await placement(baseIn(c, FIRST_HOME), email);
  const choose = () => {
    if (wish !== undefined) return emptiestIn(wish, homes, bytes);
    return c.env.HOME_FOR_NEW ? homeForNew(c.env, bytes) : nearestHome(homes, bytes, continentOf(c));
  };
  const chosen = claimed ?? choose();
  requireWish(c.env, chosen, wish);
  if (chosen === undefined)
    throw forbidden("This service takes no new accounts at the moment: ask its operator");
  return chosen;
}
