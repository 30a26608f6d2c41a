import type { Context, Hono, MiddlewareHandler } from "hono";
import { cloneRawRequest } from "hono/request";
import { accountName, FIRST_HOME, homeIn } from "../../contract/home.ts";
import { type Home, parseHomes } from "../../contract/homes.ts";
import type { Env } from "../../env.ts";
import { hmac } from "../core/bytes.ts";
import type { AppEnv, BaseCtx } from "../core/ctx.ts";
import { AppError, unauthorized, updating } from "../core/errors.ts";
import { followed, Moved, type Place, rememberMove } from "../core/moved.ts";
import { hashSecret } from "../core/secret.ts";
import { openBase, openSession } from "../db/session.ts";
import { programOf } from "../http/program.ts";
import { rulesOf } from "../http/rules.ts";
import { findHome, findHomeOfUser, release } from "./address-book-store.ts";
import { type Bookmark, readBookmark, writeBookmark } from "./bookmark.ts";
import { forgetNoted } from "./customer-book-store.ts";
import { findPlace, findPlaceOfSecret, forgetAccount } from "./move-store.ts";
import { isCurrent } from "./schema-store.ts";

let parsed = { setting: "", homes: parseHomes("") };

/** The service's shards, the first one first. Throws for a malformed HOMES. */
export function homesOf({ HOMES: setting }: Env): [Home, ...Home[]] {
  if (parsed.setting !== setting) parsed = { setting, homes: parseHomes(setting) };
  return parsed.homes;
}

export const isHome = (env: Env, number: number): boolean =>
  number === FIRST_HOME || homesOf(env).some((home) => home.number === number);

/** The database of a shard. Throws 401 for an unknown shard, because no valid credential names one. */
export function databaseOf(env: Env, number: number): D1Database {
  if (number === FIRST_HOME) return env.DB;
  const home = homesOf(env).find((one) => one.number === number);
  if (!home) throw unauthorized();
  const database = (env as unknown as Record<string, D1Database | undefined>)[home.binding];
  if (!database) throw new Error(`HOMES names ${home.binding}, which is not among the D1 bindings`);
  return database;
}

export const openHome = (env: Env, number: number): BaseCtx => openBase(databaseOf(env, number), number);

const READS = ["GET", "HEAD"];

/** Only reads may use a replica, and only if their route allows it: the primary alone knows every sign-out. */
function bookmarkOf(c: Context<AppEnv>): Bookmark | undefined {
  const mayUseReplica = READS.includes(c.req.method) && !rulesOf(c)?.primary;
  return mayUseReplica ? readBookmark(c.req.header("X-D1-Bookmark")) : undefined;
}

/** Whether the answer may come from a replica that lags behind the primary. */
export const mayLag = (c: Context<AppEnv>): boolean => bookmarkOf(c)?.home === c.var.base.home;

/** Uses a shard for the rest of the request. Throws 401 for an unknown one. */
export function enterHome(c: Context<AppEnv>, home: number): void {
  if (c.var.base?.home === home) return;
  const bookmark = bookmarkOf(c);
  const d1 = databaseOf(c.env, home);
  const session = openSession(d1, bookmark?.home === home ? bookmark.bookmark : undefined);
  const base = openBase(d1, home, session);
  c.set("session", session);
  c.set("base", {
    ...base,
    now: c.var.base?.now ?? base.now,
    program: programOf(c.req.raw.headers),
    plan_limits: c.env.PLAN_LIMITS,
    sells_plans: Boolean(c.env.STRIPE_SECRET_KEY),
    bucket: c.env.FILES,
  });
}

/** Statuses of errors for an unknown secret. */
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
export async function inHomeOf<Answer>(
  c: Context<AppEnv>,
  secret: string,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const named = homeIn(secret);
  enterHome(c, isHome(c.env, named) ? named : FIRST_HOME);
  const visited: string[] = [];
  for (;;) {
    const [outcome] = await Promise.allSettled([act()]);
    const location = isUnknown(outcome) ? await locationOfSecret(c, secret) : undefined;
    if (!location || visited.includes(accountName(location))) return resultOf(outcome);
    visited.push(accountName(location));
    enterHome(c, location.home);
  }
}

async function locationOfSecret(c: Context<AppEnv>, secret: string): Promise<Place | undefined> {
  if (homesOf(c.env).length === 1) return undefined;
  return findPlaceOfSecret(c.var.base, await hashSecret(secret));
}

/** Where an account has been migrated to; undefined if it has not been. */
export async function movedFrom(c: Context<AppEnv>, from: Place): Promise<Place | undefined> {
  if (homesOf(c.env).length === 1) return undefined;
  const to = await findPlace(baseIn(c, from.home), from.owner);
  if (to) rememberMove(from, to);
  return to;
}

/** A shard for an address without an account, so that response times do not reveal which addresses exist in other shards. */
async function anyHome({ JWT_SECRET }: Env, homes: Home[], email: string): Promise<number> {
  const open = homes.filter(({ isOpen }) => isOpen);
  const [byte = 0] = await hmac(new TextEncoder().encode(JWT_SECRET), `home-of-nobody:${email}`);
  return open[byte % open.length]?.number ?? FIRST_HOME;
}

/** Acts in the shard of an address, and again if it has moved meanwhile. `act` throws 401 or returns false if unknown. */
export async function inHomeOfAddress<Answer>(
  c: Context<AppEnv>,
  email: string,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const homes = homesOf(c.env);
  if (homes.length === 1) return act();
  const find = () => findHome(baseIn(c, FIRST_HOME), email);
  const found = await find();
  enterHome(c, found ?? (await anyHome(c.env, homes, email)));
  const [outcome] = await Promise.allSettled([act()]);
  const current = isUnknown(outcome) ? await find() : undefined;
  if (current === undefined || current === found) return resultOf(outcome);
  enterHome(c, current);
  return act();
}

/** Uses the shard of the account that a passkey names. With several shards, this reads the address directory. */
export async function enterHomeOfUser(c: Context<AppEnv>, userId: string): Promise<void> {
  if (homesOf(c.env).length === 1) return;
  enterHome(c, (await findHomeOfUser(baseIn(c, FIRST_HOME), userId)) ?? FIRST_HOME);
}

const OUTDATED_SCHEMA = /no such (table|column)|has no column named/;

/** Removes a deleted account from the address directory and its former shards. Returns false if this has to be repeated. */
export async function leaveHomes(env: Env, home: number, userId: string): Promise<boolean> {
  const first = openHome(env, FIRST_HOME);
  if (home !== FIRST_HOME) await release(first, userId);
  if (env.STRIPE_SECRET_KEY) await forgetNoted(first, userId);
  const homes = homesOf(env);
  if (homes.length === 1) return true;
  const outcomes = await Promise.allSettled(
    homes.map(({ number }) => forgetAccount(openHome(env, number), userId)),
  );
  // A shard without the tables for migrations has no former accounts.
  return outcomes.every(
    (outcome) => outcome.status === "fulfilled" || OUTDATED_SCHEMA.test(String(outcome.reason)),
  );
}

/** A context in a shard, without changing the one that the request uses. */
export const baseIn = (c: Context<AppEnv>, home: number): BaseCtx =>
  c.var.base.home === home ? c.var.base : { ...openHome(c.env, home), now: c.var.base.now };

/** The current location of an account that had this one. With several shards, this queries each that the account has left. */
export async function lastPlace(env: Env, place: Place): Promise<Place> {
  let last = followed(place);
  if (homesOf(env).length === 1) return last;
  for (let next = await findPlace(openHome(env, last.home), last.owner); next; ) {
    rememberMove(last, next);
    last = next;
    next = await findPlace(openHome(env, last.home), last.owner);
  }
  return last;
}

/** Undefined if the body has been read and not cached. */
const repeatable = ({ req }: Context<AppEnv>): Promise<Request> | undefined =>
  req.raw.bodyUsed && Object.keys(req.bodyCache).length === 0 ? undefined : cloneRawRequest(req);

/** Repeats a request that was rejected because its account has been migrated. It has changed nothing. */
export function retryInNewHome(app: Hono<AppEnv>): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    await next();
    const request = c.error instanceof Moved && (await repeatable(c));
    if (!request) return;
    c.res = undefined;
    c.res = await app.fetch(request, c.env, c.executionCtx);
  };
}

/** The error for a problem that is due to a shard without the latest migrations; undefined for any other problem. */
export async function outdatedHome(env: Env, home: number, problem: unknown): Promise<AppError | undefined> {
  if (!(problem instanceof Error) || !OUTDATED_SCHEMA.test(problem.message)) return undefined;
  return (await isCurrent(openHome(env, home))) ? undefined : updating();
}

async function explainOutdated(c: Context<AppEnv>): Promise<void> {
  const outdated = await outdatedHome(c.env, c.var.base.home, c.error);
  if (!outdated) return;
  c.res = undefined;
  c.res = c.json({ detail: outdated.message }, 503, { ...outdated.headers, "Error-Code": outdated.code });
}

/** Uses the first shard, and sends the bookmark of the one that the request used last. 503 if that lacks migrations. */
export const withDatabase: MiddlewareHandler<AppEnv> = async (c, next) => {
  enterHome(c, FIRST_HOME);
  await next();
  await explainOutdated(c);
  const bookmark = c.var.session.getBookmark();
  if (bookmark) c.header("X-D1-Bookmark", writeBookmark({ home: c.var.base.home, bookmark }));
};
