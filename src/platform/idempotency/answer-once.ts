import { sql } from "drizzle-orm";
import type { Context, MiddlewareHandler } from "hono";
import { v7 as uuid } from "uuid";
import type { AppEnv, Ctx } from "../core/ctx.ts";
import { conflict, invalid } from "../core/errors.ts";
import { unless } from "../db/call.ts";
import { MAX_KEY } from "../../idempotency/schema.ts";
import { keyedDigest, seal, unseal } from "./sealing.ts";
import { cutoff, type Idempotency, idempotencyOf, keptAnswer, keptStatement, rowOf } from "../../idempotency/store.ts";

/** A request without an answer for this long is presumed abandoned: no request of the service runs for a minute. */
const GIVEN_UP_SECONDS = 60;
const RUNNING = "running:";

/** Claims the key, unless it has an answer or a request that is still running; returns what is stored under it now. */
async function claimKey(ctx: Ctx, once: Idempotency, mark: string): Promise<string | undefined> {
  const now = ctx.now.toISOString();
  const givenUp = new Date(ctx.now.getTime() - GIVEN_UP_SECONDS * 1000).toISOString();
  const [, kept] = await ctx.db.batch([
    ctx.db.run(sql`
      INSERT INTO idempotency_keys (owner, route, key, request_hash, answer, created_at)
      VALUES (${ctx.owner}, ${once.route}, ${once.key}, ${once.requestHash}, ${mark}, ${now})
      ON CONFLICT (owner, route, key) DO UPDATE
      SET request_hash = excluded.request_hash, answer = excluded.answer, created_at = excluded.created_at
      WHERE created_at < ${cutoff(ctx.now)}
        OR (substr(answer, 1, ${RUNNING.length}) = ${RUNNING} AND created_at < ${givenUp})`),
    keptStatement(ctx, once),
  ]);
  return keptAnswer(once, kept);
}

type RememberedAnswer = { status: number; headers: Record<string, string>; body: string };

const KEPT_HEADERS = ["Content-Type", "ETag", "Location"];

/** A stored answer. */
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

/** How a middleware stores answers: as plain text, or sealed. */
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

/** The request under its key, or undefined when it has no key. Throws 422 for a malformed key. */
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
    const found = await claimKey(ctx, once, mark);
    if (found !== mark) {
      if (found === undefined || found.startsWith(RUNNING)) {
        throw conflict("A request with this Idempotency-Key is still running: try again in a moment");
      }
      return replay(await keeping.read(c, found));
    }
    await next();
    // After an internal error it is unknown what was written: the key stays claimed until it is presumed abandoned.
    if (c.res.status >= 500) return;
    const mine = sql`${rowOf(ctx, once)} AND answer = ${mark}`;
    const stored = ctx.db.run(
      c.res.ok
        ? sql`UPDATE idempotency_keys SET answer = ${await keeping.keep(c, await remembered(c.res))} WHERE ${mine}`
        : sql`DELETE FROM idempotency_keys WHERE ${mine}`,
    );
    // What was done before a move to another home has been done: whoever got a 503 for it would do it again.
    await unless(Promise.resolve(stored), "moving");
  };

/**
 * Middleware for a private POST whose store does not handle the key itself: the same key and body get the same
 * status and body for 24 hours. Throws 422 for a different body and 409 while the first request is running.
 * Refusals are not stored, because nothing was written: a repetition tries again.
 */
export const answerOnce = answeringOnce(OPEN);

/**
 * The same for a body or answer that contains a secret: stores the answer encrypted, and the body as a keyed digest.
 */
export const answerSecretOnce = answeringOnce(SEALED);
