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

/** The service's homes, the first one first. Throws for a malformed HOMES. */
export function homesOf({ HOMES: setting }: Env): [Home, ...Home[]] {
  if (parsed.setting !== setting) parsed = { setting, homes: parseHomes(setting) };
  return parsed.homes;
}

export const isHome = (env: Env, number: number): boolean =>
  number === FIRST_HOME || homesOf(env).some((home) => home.number === number);

/** The database of a home. Throws 401 for a home that the service does not have: no credential of ours names one. */
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

/** A replica may answer only a read that does not state otherwise: the primary knows of every logout. */
function bookmarkOf(c: Context<AppEnv>): Bookmark | undefined {
  const mayLag = READS.includes(c.req.method) && !rulesOf(c)?.primary;
  return mayLag ? readBookmark(c.req.header("X-D1-Bookmark")) : undefined;
}

export const mayLag = (c: Context<AppEnv>): boolean => bookmarkOf(c)?.home === c.var.base.home;

/** Opens the database of a home for the rest of the request. Throws 401 for an unknown one. */
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

/** Statuses that say that a secret is unknown. */
const UNKNOWN = [400, 401, 404];

const isUnknown = (outcome: PromiseSettledResult<unknown>): boolean =>
  outcome.status === "fulfilled"
    ? outcome.value === false
    : outcome.reason instanceof AppError && UNKNOWN.includes(outcome.reason.status);

function resultOf<Answer>(outcome: PromiseSettledResult<Answer>): Answer {
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}

/** Acts in the home that a secret names, or where its account is. `act` throws, or returns false, if unknown. */
export async function inHomeOf<Answer>(
  c: Context<AppEnv>,
  secret: string,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const named = homeIn(secret);
  enterHome(c, isHome(c.env, named) ? named : FIRST_HOME);
  const been: string[] = [];
  for (;;) {
    const [outcome] = await Promise.allSettled([act()]);
    const place = isUnknown(outcome) ? await placeOfSecret(c, secret) : undefined;
    if (!place || been.includes(accountName(place))) return resultOf(outcome);
    been.push(accountName(place));
    enterHome(c, place.home);
  }
}

async function placeOfSecret(c: Context<AppEnv>, secret: string): Promise<Place | undefined> {
  if (homesOf(c.env).length === 1) return undefined;
  return findPlaceOfSecret(c.var.base, await hashSecret(secret));
}

export async function movedFrom(c: Context<AppEnv>, from: Place): Promise<Place | undefined> {
  if (homesOf(c.env).length === 1) return undefined;
  const to = await findPlace(baseIn(c, from.home), from.owner);
  if (to) rememberMove(from, to);
  return to;
}

/** Any home, for an address that nobody has: the time of an answer must not tell which addresses are elsewhere. */
async function anyHome({ JWT_SECRET }: Env, homes: Home[], email: string): Promise<number> {
  const open = homes.filter(({ isOpen }) => isOpen);
  const [byte = 0] = await hmac(new TextEncoder().encode(JWT_SECRET), `home-of-nobody:${email}`);
  return open[byte % open.length]?.number ?? FIRST_HOME;
}

/** Acts in the home of an address, again where it is if moved. `act` throws 401, or returns false, if unknown. */
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
  const place = isUnknown(outcome) ? await find() : undefined;
  if (place === undefined || place === found) return resultOf(outcome);
  enterHome(c, place);
  return act();
}

/** Enters the home of an account that a passkey names. With several homes, this asks the address book. */
export async function enterHomeOfUser(c: Context<AppEnv>, userId: string): Promise<void> {
  if (homesOf(c.env).length === 1) return;
  enterHome(c, (await findHomeOfUser(baseIn(c, FIRST_HOME), userId)) ?? FIRST_HOME);
}

const LACKS = /no such (table|column)|has no column named/;

/** Takes a deleted account out of the address book and its former homes. False when this has to be repeated. */
export async function leaveHomes(env: Env, home: number, userId: string): Promise<boolean> {
  const first = openHome(env, FIRST_HOME);
  if (home !== FIRST_HOME) await release(first, userId);
  if (env.STRIPE_SECRET_KEY) await forgetNoted(first, userId);
  const homes = homesOf(env);
  if (homes.length === 1) return true;
  const left = await Promise.allSettled(
    homes.map(({ number }) => forgetAccount(openHome(env, number), userId)),
  );
  // Nobody has been moved from a home that lacks the tables for it.
  return left.every((one) => one.status === "fulfilled" || LACKS.test(String(one.reason)));
}

export const baseIn = (c: Context<AppEnv>, home: number): BaseCtx =>
  c.var.base.home === home ? c.var.base : { ...openHome(c.env, home), now: c.var.base.now };

/** Where the account that had this place is now. With several homes, this asks each that the account has left. */
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

const repeated = ({ req }: Context<AppEnv>): Promise<Request> | undefined =>
  req.raw.bodyUsed && Object.keys(req.bodyCache).length === 0 ? undefined : cloneRawRequest(req);

/** Repeats a request that was refused because its account was moved: nothing of it has been carried out. */
export function retryInNewHome(app: Hono<AppEnv>): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    await next();
    const request = c.error instanceof Moved && (await repeated(c));
    if (!request) return;
    c.res = undefined;
    c.res = await app.fetch(request, c.env, c.executionCtx);
  };
}

/** The error for a problem of a home that lacks what this version of the service needs; undefined for any other. */
export async function outdatedHome(env: Env, home: number, problem: unknown): Promise<AppError | undefined> {
  if (!(problem instanceof Error) || !LACKS.test(problem.message)) return undefined;
  return (await isCurrent(openHome(env, home))) ? undefined : updating();
}

async function explainOutdated(c: Context<AppEnv>): Promise<void> {
  const outdated = await outdatedHome(c.env, c.var.base.home, c.error);
  if (!outdated) return;
  c.res = undefined;
  c.res = c.json({ detail: outdated.message }, 503, { ...outdated.headers, "Error-Code": outdated.code });
}

/** Middleware: opens the first home, and returns the bookmark of the one asked in the end. 503 if not migrated. */
export const withDatabase: MiddlewareHandler<AppEnv> = async (c, next) => {
  enterHome(c, FIRST_HOME);
  await next();
  await explainOutdated(c);
  const reached = c.var.session.getBookmark();
  if (reached) c.header("X-D1-Bookmark", writeBookmark({ home: c.var.base.home, bookmark: reached }));
};
