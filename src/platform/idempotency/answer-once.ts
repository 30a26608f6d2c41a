import { type SQL, sql } from "drizzle-orm";
import type { Context, MiddlewareHandler } from "hono";
import { v7 as uuid } from "uuid";
import { MAX_IDEMPOTENCY_KEY_LENGTH } from "../../contract/idempotency.ts";
import type { AppEnv, Ctx } from "../core/ctx.ts";
import { AppError, conflict, hasCode, unprocessable } from "../core/errors.ts";
import { catchRefusal } from "../db/call.ts";
import { keyedDigest, seal, unseal } from "./sealing.ts";
import {
  type Idempotency,
  idempotencyOf,
  keyCutoff,
  matchesKey,
  readStoredAnswer,
  storedRowsStatement,
} from "./store.ts";

/** A request that has not renewed its claim for this long is presumed abandoned. */
const ABANDONED_SECONDS = 60;
const RENEW_MS = 10_000;
/** Prefix of the `answer` of a request that is still running. */
const RUNNING = "running:";

/** Claims the key unless it has a response or a request that is still running. Returns what is stored under it now. */
async function claimKey(ctx: Ctx, once: Idempotency, mark: string): Promise<string | undefined> {
  const now = ctx.now.toISOString();
  const abandonedBefore = new Date(ctx.now.getTime() - ABANDONED_SECONDS * 1000).toISOString();
  const [, rows] = await ctx.db.batch([
    ctx.db.run(
      sql`INSERT INTO idempotency_keys (owner, route, key, request_hash, answer, created_at)
      VALUES (${ctx.owner}, ${once.route}, ${once.key}, ${once.requestHash}, ${mark}, ${now})
      ON CONFLICT (owner, route, key) DO UPDATE
      SET request_hash = excluded.request_hash, answer = excluded.answer, created_at = excluded.created_at
      WHERE created_at < ${keyCutoff(ctx.now)}
        OR (substr(answer, 1, ${RUNNING.length}) = ${RUNNING} AND created_at < ${abandonedBefore})`,
      { effect: "once" },
    ),
    storedRowsStatement(ctx, once),
  ]);
  return readStoredAnswer(once, rows);
}

type StoredResponse = {
  status: number;
  headers: Record<string, string>;
  body: string;
  changes?: number[];
};

const STORED_HEADERS = ["Content-Type", "ETag", "Location"];

type ResponseStorage = {
  identify: (c: Context<AppEnv>, once: { route: string; key: string; body: string }) => Promise<Idempotency>;
  encode: (c: Context<AppEnv>, response: string) => Promise<string>;
  decode: (c: Context<AppEnv>, stored: string) => Promise<string>;
  /** What is stored of a response's body. */
  reduce: (body: string) => string;
  /** The response's body from what was stored of it. */
  restore: (ctx: Ctx, stored: string) => Promise<string>;
};

async function storedResponse(
  { res, var: { ctx } }: Context<AppEnv>,
  { reduce }: ResponseStorage,
): Promise<string> {
  const headers: Record<string, string> = {};
  for (const name of STORED_HEADERS) {
    const value = res.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  const body = reduce(await res.clone().text());
  const { status } = res;
  return JSON.stringify({ status, headers, body, changes: ctx.changes ?? [] } satisfies StoredResponse);
}

async function replay(ctx: Ctx, answer: string, { restore }: ResponseStorage): Promise<Response> {
  const { status, headers, body, changes = [] } = JSON.parse(answer) as StoredResponse;
  ctx.changes?.push(...changes);
  return new Response(body === "" ? null : await restore(ctx, body), { status, headers });
}

/** Returns a function that stops the renewal. */
function startRenewing(ctx: Ctx, once: Idempotency, mark: string): () => void {
  const renew = () => {
    const now = new Date().toISOString();
    const renewed = ctx.db.run(
      sql`UPDATE idempotency_keys SET created_at = ${now} WHERE ${matchesKey(ctx, once)} AND answer = ${mark}`,
      { effect: "once" },
    );
    // The next renewal makes up for a failed one.
    Promise.resolve(renewed).catch(() => undefined);
  };
  const timer = setInterval(renew, RENEW_MS);
  return () => clearInterval(timer);
}

const PLAIN: ResponseStorage = {
  identify: (_, { route, key, body }) => idempotencyOf(route, key, body),
  encode: async (_, response) => response,
  decode: async (_, stored) => stored,
  reduce: (body) => body,
  restore: async (_, stored) => stored,
};

const SEALED: ResponseStorage = {
  ...PLAIN,
  identify: async (c, { route, key, body }) => {
    return { route, key, requestHash: await keyedDigest(c.env.JWT_SECRET, body) };
  },
  encode: (c, response) => seal(c.env.JWT_SECRET, response),
  decode: (c, stored) => unseal(c.env.JWT_SECRET, stored),
};

/** Undefined for a request without a key. Throws 422 for a malformed key. */
async function idempotencyOfRequest(
  c: Context<AppEnv>,
  { identify }: ResponseStorage,
): Promise<Idempotency | undefined> {
  const key = c.req.header("Idempotency-Key");
  if (key === undefined) return undefined;
  if (key === "" || key.length > MAX_IDEMPOTENCY_KEY_LENGTH)
    throw unprocessable(`idempotency-key: must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`);
  const { pathname, search } = new URL(c.req.url);
  return identify(c, { route: `POST ${pathname}${search}`, key, body: await c.req.text() });
}

/** Stores a successful response, or releases the key after an error. `claim` is a condition for the row, in SQL. */
async function storeOrRelease(c: Context<AppEnv>, storage: ResponseStorage, claim: SQL): Promise<void> {
  // If the outcome is unknown, the key stays claimed until it is presumed abandoned.
  if (c.res.status >= 500 && !hasCode(c.error, "unavailable")) return;
  const stored = c.var.ctx.db.run(
    c.res.ok
      ? sql`UPDATE idempotency_keys
          SET answer = ${await storage.encode(c, await storedResponse(c, storage))} WHERE ${claim}`
      : sql`DELETE FROM idempotency_keys WHERE ${claim}`,
    { effect: "once" },
  );
  // The write is committed, even if the account is being migrated now. A 503 would make the client repeat it.
  await catchRefusal(Promise.resolve(stored), "moving").catch((problem) => {
    if (!(problem instanceof AppError)) throw problem;
  });
}

const answeringOnce =
  (storage: ResponseStorage): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const once = await idempotencyOfRequest(c, storage);
    if (!once) return next();
    const { ctx } = c.var;
    const mark = `${RUNNING}${uuid()}`;
    const found = await claimKey(ctx, once, mark);
    if (found !== mark) {
      if (found === undefined || found.startsWith(RUNNING)) {
        throw conflict("A request with this Idempotency-Key is still running: try again in a moment");
      }
      return replay(ctx, await storage.decode(c, found), storage);
    }
    const stopRenewing = startRenewing(ctx, once, mark);
    await next().finally(stopRenewing);
    await storeOrRelease(c, storage, sql`${matchesKey(ctx, once)} AND answer = ${mark}`);
  };

/**
 * Middleware: the same key and body get the same response for 24 hours. Throws 422 for another body, and 409 while the first
 * request runs. Errors are not stored. For responses without content of users.
 */
export const answerOnce = answeringOnce(PLAIN);

/** For responses with content of users: only what `reduce` returns is stored, and `again` reads the rest again. */
export const answerOnceWithout = <Answer, Stored>(
  reduce: (answer: Answer) => Stored,
  again: (ctx: Ctx, stored: Stored) => Promise<Answer>,
) =>
  answeringOnce({
    ...PLAIN,
    reduce: (body) => JSON.stringify(reduce(JSON.parse(body) as Answer)),
    restore: async (ctx, stored) => JSON.stringify(await again(ctx, JSON.parse(stored) as Stored)),
  });

/** For requests and responses with a secret: the response is stored encrypted, the body as a keyed digest. */
export const answerSecretOnce = answeringOnce(SEALED);
