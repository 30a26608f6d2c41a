import type { Context, Hono, MiddlewareHandler } from "hono";
import { cloneRawRequest } from "hono/request";
import { FIRST_SHARD, globalAccountId, SHARD_PATTERN, shardInSecret } from "../../contract/shard.ts";
import { parseShards, type Shard } from "../../contract/shards.ts";
import type { Env } from "../../env.ts";
import {
  type AccountLocation,
  AccountMovedError,
  rememberMigration,
  withCurrentLocation,
} from "../core/account-location.ts";
import { hmac } from "../core/bytes.ts";
import type { AppEnv, BaseCtx } from "../core/ctx.ts";
import { AppError, serviceUpdating, unauthorized } from "../core/errors.ts";
import { hashSecret } from "../core/secret.ts";
import { openBaseCtx, openSession } from "../db/session.ts";
import { requestProgram } from "../http/client-program.ts";
import { isRead, operationRules } from "../http/rules.ts";
import { deleteAddresses, findShardOfAddress, findShardOfUser } from "./address-directory-store.ts";
import { deleteStoredCustomer } from "./customer-directory-store.ts";
import { findNewLocation, findNewLocationOfSecret, forgetMigratedAccount } from "./migration-store.ts";
import { isSchemaCurrent } from "./schema-store.ts";

export type Bookmark = { home: number; bookmark: string };

/** A D1 bookmark (hexadecimal groups of 8, 8, 8 and 32 digits), preceded by its shard. */
const BOOKMARK = new RegExp(`^(?:(${SHARD_PATTERN}):)?([0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32})$`);

/** Undefined for a malformed bookmark. One without a shard belongs to the first. */
export function parseBookmark(header: string | undefined): Bookmark | undefined {
  const [, home = FIRST_SHARD, bookmark] = BOOKMARK.exec(header ?? "") ?? [];
  return bookmark === undefined ? undefined : { home: Number(home), bookmark };
}

export const formatBookmark = ({ home, bookmark }: Bookmark): string => `${home}:${bookmark}`;

let parsed = { setting: "", homes: parseShards("") };

/** The service's shards, the first one first. Throws for a malformed HOMES. */
export function configuredShards({ HOMES: setting }: Env): [Shard, ...Shard[]] {
  if (parsed.setting !== setting) parsed = { setting, homes: parseShards(setting) };
  return parsed.homes;
}

export const isShard = (env: Env, number: number): boolean =>
  number === FIRST_SHARD || configuredShards(env).some((home) => home.number === number);

/** The database of a shard. Throws 401 for an unknown shard, because no valid credential names one. */
export function shardDatabase(env: Env, number: number): D1Database {
  if (number === FIRST_SHARD) return env.DB;
  const home = configuredShards(env).find((one) => one.number === number);
  if (!home) throw unauthorized();
  const database = (env as unknown as Record<string, D1Database | undefined>)[home.binding];
  if (!database) throw new Error(`HOMES names ${home.binding}, which is not among the D1 bindings`);
  return database;
}

export const openShard = (env: Env, number: number): BaseCtx =>
  openBaseCtx(shardDatabase(env, number), number);

/** Only reads may use a replica, and only if their route allows it: the primary alone knows every sign-out. */
function bookmarkOf(c: Context<AppEnv>): Bookmark | undefined {
  const mayUseReplica = isRead(c.req.method) && !operationRules(c)?.primary;
  return mayUseReplica ? parseBookmark(c.req.header("X-D1-Bookmark")) : undefined;
}

/** Whether the answer may come from a replica that lags behind the primary. */
export const mayUseReplica = (c: Context<AppEnv>): boolean => bookmarkOf(c)?.home === c.var.base.shard;

/** Uses a shard for the rest of the request. Throws 401 for an unknown one. */
export function enterShard(c: Context<AppEnv>, home: number): void {
  if (c.var.base?.shard === home) return;
  const bookmark = bookmarkOf(c);
  const d1 = shardDatabase(c.env, home);
  const session = openSession(d1, bookmark?.home === home ? bookmark.bookmark : undefined);
  const base = openBaseCtx(d1, home, session);
  c.set("session", session);
  c.set("base", {
    ...base,
    now: c.var.base?.now ?? base.now,
    program: requestProgram(c.req.raw.headers),
    plan_limits: c.env.PLAN_LIMITS,
    sells_plans: Boolean(c.env.STRIPE_SECRET_KEY),
    bucket: c.env.FILES,
  });
}

const UNKNOWN_STATUSES = [400, 401, 404];

const isUnknown = (outcome: PromiseSettledResult<unknown>): boolean =>
  outcome.status === "fulfilled"
    ? outcome.value === false
    : outcome.reason instanceof AppError && UNKNOWN_STATUSES.includes(outcome.reason.status);

function resultOf<Answer>(outcome: PromiseSettledResult<Answer>): Answer {
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}

/** Acts in the shard that a secret names, or in the one its account has moved to. `act` throws or returns false if unknown. */
export async function inShardOfSecret<Answer>(
  c: Context<AppEnv>,
  secret: string,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const named = shardInSecret(secret);
  enterShard(c, isShard(c.env, named) ? named : FIRST_SHARD);
  const visited: string[] = [];
  for (;;) {
    const [outcome] = await Promise.allSettled([act()]);
    const location = isUnknown(outcome) ? await locationOfSecret(c, secret) : undefined;
    if (!location || visited.includes(globalAccountId(location))) return resultOf(outcome);
    visited.push(globalAccountId(location));
    enterShard(c, location.shard);
  }
}

async function locationOfSecret(c: Context<AppEnv>, secret: string): Promise<AccountLocation | undefined> {
  if (configuredShards(c.env).length === 1) return undefined;
  return findNewLocationOfSecret(c.var.base, await hashSecret(secret));
}

export async function findMigrationTarget(
  c: Context<AppEnv>,
  from: AccountLocation,
): Promise<AccountLocation | undefined> {
  if (configuredShards(c.env).length === 1) return undefined;
  const to = await findNewLocation(baseCtxIn(c, from.shard), from.owner);
  if (to) rememberMigration(from, to);
  return to;
}

/** A shard for an address without an account, so that response times do not reveal which addresses exist in other shards. */
async function anyHome({ JWT_SECRET }: Env, homes: Shard[], email: string): Promise<number> {
  const open = homes.filter(({ isOpen }) => isOpen);
  const [byte = 0] = await hmac(new TextEncoder().encode(JWT_SECRET), `home-of-nobody:${email}`);
  return open[byte % open.length]?.number ?? FIRST_SHARD;
}

/** Acts in the shard of an address, and again if it has moved meanwhile. `act` throws 401 or returns false if unknown. */
export async function inShardOfAddress<Answer>(
  c: Context<AppEnv>,
  email: string,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const homes = configuredShards(c.env);
  if (homes.length === 1) return act();
  const find = () => findShardOfAddress(baseCtxIn(c, FIRST_SHARD), email);
  const found = await find();
  enterShard(c, found ?? (await anyHome(c.env, homes, email)));
  const [outcome] = await Promise.allSettled([act()]);
  const current = isUnknown(outcome) ? await find() : undefined;
  if (current === undefined || current === found) return resultOf(outcome);
  enterShard(c, current);
  return act();
}

/** Uses the shard of the account that a passkey names. With several shards, this reads the address directory. */
export async function enterShardOfUser(c: Context<AppEnv>, userId: string): Promise<void> {
  if (configuredShards(c.env).length === 1) return;
  enterShard(c, (await findShardOfUser(baseCtxIn(c, FIRST_SHARD), userId)) ?? FIRST_SHARD);
}

const OUTDATED_SCHEMA = /no such (table|column)|has no column named/;

/** Removes a deleted account from the address directory and its former shards. Returns false if this has to be repeated. */
export async function forgetInAllShards(env: Env, home: number, userId: string): Promise<boolean> {
  const first = openShard(env, FIRST_SHARD);
  if (home !== FIRST_SHARD) await deleteAddresses(first, userId);
  if (env.STRIPE_SECRET_KEY) await deleteStoredCustomer(first, userId);
  const homes = configuredShards(env);
  if (homes.length === 1) return true;
  const outcomes = await Promise.allSettled(
    homes.map(({ number }) => forgetMigratedAccount(openShard(env, number), userId)),
  );
  // A shard without the tables for migrations has no former accounts.
  return outcomes.every(
    (outcome) => outcome.status === "fulfilled" || OUTDATED_SCHEMA.test(String(outcome.reason)),
  );
}

/** A context in a shard, without changing the one that the request uses. */
export const baseCtxIn = (c: Context<AppEnv>, home: number): BaseCtx =>
  c.var.base.shard === home ? c.var.base : { ...openShard(c.env, home), now: c.var.base.now };

/** The current location of an account that had this one. With several shards, this queries each that the account has left. */
export async function findCurrentLocation(env: Env, place: AccountLocation): Promise<AccountLocation> {
  let last = withCurrentLocation(place);
  if (configuredShards(env).length === 1) return last;
  for (let next = await findNewLocation(openShard(env, last.shard), last.owner); next; ) {
    rememberMigration(last, next);
    last = next;
    next = await findNewLocation(openShard(env, last.shard), last.owner);
  }
  return last;
}

/** Undefined if the body has been read and not cached. */
const repeatable = ({ req }: Context<AppEnv>): Promise<Request> | undefined =>
  req.raw.bodyUsed && Object.keys(req.bodyCache).length === 0 ? undefined : cloneRawRequest(req);

/** Repeats a request that was rejected because its account has been migrated. It has changed nothing. */
export function retryInNewShard(app: Hono<AppEnv>): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    await next();
    const request = c.error instanceof AccountMovedError && (await repeatable(c));
    if (!request) return;
    c.res = undefined;
    c.res = await app.fetch(request, c.env, c.executionCtx);
  };
}

/** The error for a problem that is due to a shard without the latest migrations; undefined for any other problem. */
export async function outdatedShardError(
  env: Env,
  home: number,
  problem: unknown,
): Promise<AppError | undefined> {
  if (!(problem instanceof Error) || !OUTDATED_SCHEMA.test(problem.message)) return undefined;
  return (await isSchemaCurrent(openShard(env, home))) ? undefined : serviceUpdating();
}

async function explainOutdated(c: Context<AppEnv>): Promise<void> {
  const outdated = await outdatedShardError(c.env, c.var.base.shard, c.error);
  if (!outdated) return;
  c.res = undefined;
  c.res = c.json({ detail: outdated.message }, 503, { ...outdated.headers, "Error-Code": outdated.code });
}

/** Uses the first shard, and sends the bookmark of the one that the request used last. 503 if that lacks migrations. */
export const withDatabase: MiddlewareHandler<AppEnv> = async (c, next) => {
  enterShard(c, FIRST_SHARD);
  await next();
  await explainOutdated(c);
  const bookmark = c.var.session.getBookmark();
  if (bookmark) c.header("X-D1-Bookmark", formatBookmark({ home: c.var.base.shard, bookmark }));
};
