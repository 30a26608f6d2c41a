import { type SQL, sql } from "drizzle-orm";
import type { Context, MiddlewareHandler } from "hono";
import { v7 as uuid } from "uuid";
import { MAX_KEY } from "../../contract/idempotency.ts";
import type { AppEnv, Ctx } from "../core/ctx.ts";
import { AppError, conflict, hasCode, invalid } from "../core/errors.ts";
import { unless } from "../db/call.ts";
import { REPEATABLE } from "../db/effect.ts";
import { keyedDigest, seal, unseal } from "./sealing.ts";
import { cutoff, type Idempotency, idempotencyOf, rowOf, storedAnswer, storedStatement } from "./store.ts";

/** A request that has not renewed its claim for this long is presumed abandoned: it does so six times as often. */
const GIVEN_UP_SECONDS = 60;
const RENEWED_MS = 10_000;
const RUNNING = "running:";

/** Claims the key, unless it has an answer or a request that is still running; returns what is stored under it now. */
async function claimKey(ctx: Ctx, once: Idempotency, mark: string): Promise<string | undefined> {
  const now = ctx.now.toISOString();
  const givenUp = new Date(ctx.now.getTime() - GIVEN_UP_SECONDS * 1000).toISOString();
  const [, kept] = await ctx.db.batch([
    ctx.db.run(sql`${REPEATABLE}
      INSERT INTO idempotency_keys (owner, route, key, request_hash, answer, created_at)
      VALUES (${ctx.owner}, ${once.route}, ${once.key}, ${once.requestHash}, ${mark}, ${now})
      ON CONFLICT (owner, route, key) DO UPDATE
      SET request_hash = excluded.request_hash, answer = excluded.answer, created_at = excluded.created_at
      WHERE created_at < ${cutoff(ctx.now)}
        OR (substr(answer, 1, ${RUNNING.length}) = ${RUNNING} AND created_at < ${givenUp})`),
    storedStatement(ctx, once),
  ]);
  return storedAnswer(once, kept);
}

type RememberedAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string;
  changes?: number[];
};

const KEPT_HEADERS = ["Content-Type", "ETag", "Location"];

type Keeping = {
  describe: (c: Context<AppEnv>, once: { route: string; key: string; body: string }) => Promise<Idempotency>;
  keep: (c: Context<AppEnv>, answer: string) => Promise<string>;
  read: (c: Context<AppEnv>, kept: string) => Promise<string>;
  reduce: (body: string) => string;
  again: (ctx: Ctx, kept: string) => Promise<string>;
};

async function remembered({ res, var: { ctx } }: Context<AppEnv>, { reduce }: Keeping): Promise<string> {
  const headers: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = res.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  const body = reduce(await res.clone().text());
  const { status } = res;
  return JSON.stringify({ status, headers, body, changes: ctx.changes ?? [] } satisfies RememberedAnswer);
}

async function replay(ctx: Ctx, answer: string, { again }: Keeping): Promise<Response> {
  const { status, headers, body, changes = [] } = JSON.parse(answer) as RememberedAnswer;
  ctx.changes?.push(...changes);
  return new Response(body === "" ? null : await again(ctx, body), { status, headers });
}

function renewing(ctx: Ctx, once: Idempotency, mark: string): () => void {
  const renew = () => {
    const now = new Date().toISOString();
    const renewed = ctx.db.run(
      sql`${REPEATABLE} UPDATE idempotency_keys SET created_at = ${now} WHERE ${rowOf(ctx, once)} AND answer = ${mark}`,
    );
    // One that fails all the same is made up for by the next.
    Promise.resolve(renewed).catch(() => undefined);
  };
  const timer = setInterval(renew, RENEWED_MS);
  return () => clearInterval(timer);
}

const OPEN: Keeping = {
  describe: (_, { route, key, body }) => idempotencyOf(route, key, body),
  keep: async (_, answer) => answer,
  read: async (_, kept) => kept,
  reduce: (body) => body,
  again: async (_, kept) => kept,
};

const SEALED: Keeping = {
  ...OPEN,
  describe: async (c, { route, key, body }) => {
    return { route, key, requestHash: await keyedDigest(c.env.JWT_SECRET, body) };
  },
  keep: (c, answer) => seal(c.env.JWT_SECRET, answer),
  read: (c, kept) => unseal(c.env.JWT_SECRET, kept),
};

/** The request under its key, or undefined when it has no key. Throws 422 for a malformed key. */
async function idempotencyOfRequest(
  c: Context<AppEnv>,
  { describe }: Keeping,
): Promise<Idempotency | undefined> {
  const key = c.req.header("Idempotency-Key");
  if (key === undefined) return undefined;
  if (key === "" || key.length > MAX_KEY)
    throw invalid(`idempotency-key: must have 1 to ${MAX_KEY} characters`);
  const { pathname, search } = new URL(c.req.url);
  return describe(c, { route: `POST ${pathname}${search}`, key, body: await c.req.text() });
}

/** Stores an answer, or gives the key back after a refusal. `claim` is the row, in SQL. */
async function settle(c: Context<AppEnv>, keeping: Keeping, claim: SQL): Promise<void> {
  // Where it is unknown what was written, the key stays claimed until it is presumed abandoned.
  if (c.res.status >= 500 && !hasCode(c.error, "unavailable")) return;
  const stored = c.var.ctx.db.run(
    c.res.ok
      ? sql`${REPEATABLE} UPDATE idempotency_keys
          SET answer = ${await keeping.keep(c, await remembered(c, keeping))} WHERE ${claim}`
      : sql`${REPEATABLE} DELETE FROM idempotency_keys WHERE ${claim}`,
  );
  // What was done, also before a move to another home, has been done: whoever got a 503 for it would do it again.
  await unless(Promise.resolve(stored), "moving").catch((problem) => {
    if (!(problem instanceof AppError)) throw problem;
  });
}

const answeringOnce =
  (keeping: Keeping): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const once = await idempotencyOfRequest(c, keeping);
    if (!once) return next();
    const { ctx } = c.var;
    const mark = `${RUNNING}${uuid()}`;
    const found = await claimKey(ctx, once, mark);
    if (found !== mark) {
      if (found === undefined || found.startsWith(RUNNING)) {
        throw conflict("A request with this Idempotency-Key is still running: try again in a moment");
      }
      return replay(ctx, await keeping.read(c, found), keeping);
    }
    const stopRenewing = renewing(ctx, once, mark);
    await next().finally(stopRenewing);
    await settle(c, keeping, sql`${rowOf(ctx, once)} AND answer = ${mark}`);
  };

/**
 * Middleware: the same key and body get the same answer for 24 hours. Throws 422 for another body, 409 while the first
 * runs. Refusals are not stored. For an answer that says nothing of what people wrote.
 */
export const answerOnce = answeringOnce(OPEN);

/** For an answer that shows what people wrote: `reduce` is what is kept, and `again` reads the rest again. */
export const answerOnceWithout = <Answer, Kept>(
  reduce: (answer: Answer) => Kept,
  again: (ctx: Ctx, kept: Kept) => Promise<Answer>,
) =>
  answeringOnce({
    ...OPEN,
    reduce: (body) => JSON.stringify(reduce(JSON.parse(body) as Answer)),
    again: async (ctx, kept) => JSON.stringify(await again(ctx, JSON.parse(kept) as Kept)),
  });

/** For a body or answer with a secret: the answer is stored encrypted, the body as a keyed digest. */
export const answerSecretOnce = answeringOnce(SEALED);
