import { z } from "@hono/zod-openapi";
import { type SQL, sql } from "drizzle-orm";
import type { Context, MiddlewareHandler } from "hono";
import { v7 as uuid } from "uuid";
import { hex, sha256 } from "./bytes.ts";
import type { AppEnv, BaseCtx, Ctx } from "./ctx.ts";
import { conflict, invalid } from "./errors.ts";
import { keyedDigest, seal, unseal } from "./sealing.ts";

// The same POST twice is one POST. There are two ways to keep that promise:
//   - onceStatements: the key and the answer stand in the write's own transaction, so that not even a kill
//     between two steps can write twice. For a write that knows its answer beforehand and is one transaction.
//   - answerOnce: a middleware that remembers any answer. A kill after the write and before its answer is
//     remembered lets a repetition write again, once the running request is given up.

const HOURS = 24;
const PURGED_AT_ONCE = 1000;
/** After so long without an answer a request counts as dead: no request of the service runs for a minute. */
const GIVEN_UP_SECONDS = 60;
const MAX_KEY = 255;
const RUNNING = "running:";

const cutoff = (now: Date) => new Date(now.getTime() - HOURS * 3_600_000).toISOString();

/** The header of every POST that may be repeated. */
export const IdempotencyHeaders = z.object({
  "idempotency-key": z.string().min(1).max(MAX_KEY).optional().meta({
    description: "The same key and body give the same answer for 24 hours; another body is refused",
  }),
});

/** A request that its client may repeat: which route, under which key, and a digest of what it asks for. */
export type Idempotency = { route: string; key: string; requestHash: string };

/** Describes a request for its later repetitions. The body is what the schema made of it. */
export async function idempotencyOf(route: string, key: string, body: unknown): Promise<Idempotency> {
  const requestHash = hex(await sha256(JSON.stringify(body)));
  return { route, key, requestHash };
}

type Stored = { request_hash: string; answer: string };

const rowOf = (ctx: Ctx, once: Idempotency) =>
  sql`owner = ${ctx.user.number} AND route = ${once.route} AND key = ${once.key}`;

/** The statement that reads what stands under the key. Its row goes to `storedAnswer`. */
export const storedStatement = (ctx: Ctx, once: Idempotency) =>
  ctx.db.all<Stored>(sql`SELECT request_hash, answer FROM idempotency_keys
    WHERE ${rowOf(ctx, once)} AND created_at >= ${cutoff(ctx.now)}`);

/**
 * The statements that make a write happen once. They belong into the write's own batch: `claim` first, then
 * the write's statements under the condition `mine`, then `stored`.
 *
 * @param answer what the write will answer, as JSON
 * @param when the condition under which the write can happen at all
 */
export function onceStatements(ctx: Ctx, once: Idempotency, answer: string, when: SQL) {
  const now = ctx.now.toISOString();
  return {
    claim: ctx.db.run(sql`
      INSERT INTO idempotency_keys (owner, route, key, request_hash, answer, created_at)
      SELECT ${ctx.user.number}, ${once.route}, ${once.key}, ${once.requestHash}, ${answer}, ${now} WHERE ${when}
      ON CONFLICT (owner, route, key) DO UPDATE
      SET request_hash = excluded.request_hash, answer = excluded.answer, created_at = excluded.created_at
      WHERE created_at < ${cutoff(ctx.now)}`),
    mine: sql`EXISTS (SELECT 1 FROM idempotency_keys WHERE ${rowOf(ctx, once)} AND answer = ${answer})`,
    stored: storedStatement(ctx, once),
  };
}

/** The answer that stands under the key, or undefined when nothing could be written. Throws 422 for another body. */
export function storedAnswer(once: Idempotency, stored: Stored | undefined): string | undefined {
  if (stored && stored.request_hash !== once.requestHash) {
    throw invalid("Idempotency-Key: was used for another request body: take a new key for a new request");
  }
  return stored?.answer;
}

/** Marks the key as being worked on, unless an answer or a living request stands under it; says what stands there now. */
async function claimKey(ctx: Ctx, once: Idempotency, mark: string): Promise<string | undefined> {
  const now = ctx.now.toISOString();
  const givenUp = new Date(ctx.now.getTime() - GIVEN_UP_SECONDS * 1000).toISOString();
  const [, [stored]] = await ctx.db.batch([
    ctx.db.run(sql`
      INSERT INTO idempotency_keys (owner, route, key, request_hash, answer, created_at)
      VALUES (${ctx.user.number}, ${once.route}, ${once.key}, ${once.requestHash}, ${mark}, ${now})
      ON CONFLICT (owner, route, key) DO UPDATE
      SET request_hash = excluded.request_hash, answer = excluded.answer, created_at = excluded.created_at
      WHERE created_at < ${cutoff(ctx.now)}
        OR (substr(answer, 1, ${RUNNING.length}) = ${RUNNING} AND created_at < ${givenUp})`),
    storedStatement(ctx, once),
  ]);
  return storedAnswer(once, stored);
}

type RememberedAnswer = { status: number; headers: Record<string, string>; body: string };

const KEPT_HEADERS = ["Content-Type", "ETag", "Location"];

/** An answer as it is remembered. */
async function remembered(answer: Response): Promise<string> {
  const headers: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = answer.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  const body = await answer.clone().text();
  return JSON.stringify({ status: answer.status, headers, body } satisfies RememberedAnswer);
}

function replay(answer: string): Response {
  const { status, headers, body } = JSON.parse(answer) as RememberedAnswer;
  return new Response(body === "" ? null : body, { status, headers });
}

/** How a middleware keeps what it remembers: as it is, or sealed. */
type Keeping = {
  describe: (c: Context<AppEnv>, once: { route: string; key: string; body: string }) => Promise<Idempotency>;
  keep: (c: Context<AppEnv>, answer: string) => Promise<string>;
  read: (c: Context<AppEnv>, kept: string) => Promise<string>;
};

const OPEN: Keeping = {
  describe: (_, { route, key, body }) => idempotencyOf(route, key, body),
  keep: async (_, answer) => answer,
  read: async (_, kept) => kept,
};

const SEALED: Keeping = {
  describe: async (c, { route, key, body }) => {
    return { route, key, requestHash: await keyedDigest(c.env.JWT_SECRET, body) };
  },
  keep: (c, answer) => seal(c.env.JWT_SECRET, answer),
  read: (c, kept) => unseal(c.env.JWT_SECRET, kept),
};

/** What a request asks for under its key, or undefined when it has none. Throws 422 for a key that is none. */
async function askedOnce(c: Context<AppEnv>, { describe }: Keeping): Promise<Idempotency | undefined> {
  const key = c.req.header("Idempotency-Key");
  if (key === undefined) return undefined;
  if (key === "" || key.length > MAX_KEY)
    throw invalid(`idempotency-key: must have 1 to ${MAX_KEY} characters`);
  const { pathname, search } = new URL(c.req.url);
  return describe(c, { route: `POST ${pathname}${search}`, key, body: await c.req.text() });
}

const answeringOnce =
  (keeping: Keeping): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const once = await askedOnce(c, keeping);
    if (!once) return next();
    const { ctx } = c.var;
    const mark = `${RUNNING}${uuid()}`;
    const stands = await claimKey(ctx, once, mark);
    if (stands !== mark) {
      if (stands === undefined || stands.startsWith(RUNNING)) {
        throw conflict("A request with this Idempotency-Key is still running: try again in a moment");
      }
      return replay(await keeping.read(c, stands));
    }
    await next();
    // After an error of ours nobody knows what was written: the key stays taken until the request is given up.
    if (c.res.status >= 500) return;
    const mine = sql`${rowOf(ctx, once)} AND answer = ${mark}`;
    await ctx.db.run(
      c.res.ok
        ? sql`UPDATE idempotency_keys SET answer = ${await keeping.keep(c, await remembered(c.res))} WHERE ${mine}`
        : sql`DELETE FROM idempotency_keys WHERE ${mine}`,
    );
  };

/**
 * Middleware of a private POST whose store does not carry the key itself: the same key and body give the same
 * status and body for 24 hours. Throws 422 for another body and 409 while the first request is running.
 * A refusal is not remembered, since nothing was written: a repetition tries again.
 */
export const answerOnce = answeringOnce(OPEN);

/** The same where the body or the answer has a secret in it: the answer is kept encrypted, and of the body a keyed digest. */
export const answerSecretOnce = answeringOnce(SEALED);

/**
 * The answer that `answerSecretOnce` has kept for a repeated request, or undefined when there is none.
 * Throws 422 for another body.
 */
export async function keptSecretAnswer(c: Context<AppEnv>, ctx: Ctx): Promise<Response | undefined> {
  const once = await askedOnce(c, SEALED);
  if (!once) return undefined;
  const [row] = await storedStatement(ctx, once);
  const kept = storedAnswer(once, row);
  return kept === undefined || kept.startsWith(RUNNING) ? undefined : replay(await SEALED.read(c, kept));
}

/** Deletes keys older than 24 hours. */
export async function purgeIdempotencyKeys(ctx: BaseCtx): Promise<void> {
  const expired = sql`SELECT owner, route, key FROM idempotency_keys
    WHERE created_at < ${cutoff(ctx.now)} LIMIT ${PURGED_AT_ONCE}`;
  await ctx.db.run(sql`DELETE FROM idempotency_keys WHERE (owner, route, key) IN (${expired})`);
}
