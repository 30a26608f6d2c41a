import { type SQL, sql } from "drizzle-orm";
import type { Context, MiddlewareHandler } from "hono";
import { v7 as uuid } from "uuid";
import { MAX_IDEMPOTENCY_KEY_LENGTH } from "../../contract/idempotency.ts";
import { hex, sha256 } from "../core/bytes.ts";
import type { AppEnv, Ctx } from "../core/ctx.ts";
import { AppError, hasCode, unprocessable } from "../core/errors.ts";
import { catchRefusal } from "../db/call.ts";
import { keyedDigest, seal, unseal } from "./sealing.ts";
import {
  type Idempotency,
  keyCutoff,
  matchesKey,
  readStoredAnswer,
  stillRunningError,
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

type ResponseStorage<Answer, Stored> = {
  /** For requests and responses with a secret: the response is stored encrypted, the body as a keyed digest. */
  isSecret?: boolean;
  /** For responses with content of users: only what `reduce` returns is stored, and `again` reads the rest again. */
  content?: {
    reduce: (answer: Answer) => Stored;
    again: (ctx: Ctx, stored: Stored) => Promise<Answer>;
  };
};

async function storedResponse<Answer, Stored>(
  { res, env, var: { ctx } }: Context<AppEnv>,
  { isSecret, content }: ResponseStorage<Answer, Stored>,
): Promise<string> {
  const headers: Record<string, string> = {};
  for (const name of STORED_HEADERS) {
    const value = res.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  const text = await res.clone().text();
  const body = content ? JSON.stringify(content.reduce(JSON.parse(text) as Answer)) : text;
  const response: StoredResponse = { status: res.status, headers, body, changes: ctx.changes ?? [] };
  const stored = JSON.stringify(response);
  return isSecret ? seal(env.JWT_SECRET, stored) : stored;
}

async function replay<Answer, Stored>(
  { env, var: { ctx } }: Context<AppEnv>,
  answer: string,
  { isSecret, content }: ResponseStorage<Answer, Stored>,
): Promise<Response> {
  const stored = isSecret ? await unseal(env.JWT_SECRET, answer) : answer;
  const { status, headers, body, changes = [] } = JSON.parse(stored) as StoredResponse;
  ctx.changes?.push(...changes);
  const again = content ? JSON.stringify(await content.again(ctx, JSON.parse(body) as Stored)) : body;
  return new Response(again === "" ? null : again, { status, headers });
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

const hashOf = async (body: unknown) => hex(await sha256(JSON.stringify(body)));

/** The key of a request that `writeOnce` stores; undefined without one. `body`: as validated. */
export async function idempotencyOf(
  c: Context<AppEnv>,
  body: unknown = null,
): Promise<Idempotency | undefined> {
  const key = c.req.header("Idempotency-Key");
  return key ? { route: `${c.req.method} ${c.req.path}`, key, requestHash: await hashOf(body) } : undefined;
}

/** The key of a request that is not validated yet; undefined without one. Throws 422 for a malformed key. */
async function idempotencyOfRaw(c: Context<AppEnv>, isSecret = false): Promise<Idempotency | undefined> {
  const key = c.req.header("Idempotency-Key");
  if (key === undefined) return undefined;
  if (key === "" || key.length > MAX_IDEMPOTENCY_KEY_LENGTH)
    throw unprocessable(`idempotency-key: must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`);
  const { pathname, search } = new URL(c.req.url);
  const body = await c.req.text();
  const requestHash = await (isSecret ? keyedDigest(c.env.JWT_SECRET, body) : hashOf(body));
  return { route: `POST ${pathname}${search}`, key, requestHash };
}

/** Stores a successful response, or releases the key after an error. `claim` is a condition for the row, in SQL. */
async function storeOrRelease<Answer, Stored>(
  c: Context<AppEnv>,
  storage: ResponseStorage<Answer, Stored>,
  claim: SQL,
): Promise<void> {
  // If the outcome is unknown, the key stays claimed until it is presumed abandoned.
  if (c.res.status >= 500 && !hasCode(c.error, "unavailable")) return;
  const stored = c.var.ctx.db.run(
    c.res.ok
      ? sql`UPDATE idempotency_keys SET answer = ${await storedResponse(c, storage)} WHERE ${claim}`
      : sql`DELETE FROM idempotency_keys WHERE ${claim}`,
    { effect: "once" },
  );
  // The write is committed, even if the account is being migrated now. A 503 would make the client repeat it.
  await catchRefusal(Promise.resolve(stored), "moving").catch((problem) => {
    if (!(problem instanceof AppError)) throw problem;
  });
}

/**
 * Middleware: the same key and body get the same response for 24 hours. Throws 422 for another body, and 409 while the first
 * request runs. Errors are not stored.
 */
export const answerOnce =
  <Answer, Stored>(storage: ResponseStorage<Answer, Stored> = {}): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const once = await idempotencyOfRaw(c, storage.isSecret);
    if (!once) return next();
    const { ctx } = c.var;
    const mark = `${RUNNING}${uuid()}`;
    const found = await claimKey(ctx, once, mark);
    if (found !== mark) {
      if (found === undefined || found.startsWith(RUNNING)) throw stillRunningError();
      return replay(c, found, storage);
    }
    const stopRenewing = startRenewing(ctx, once, mark);
    await next().finally(stopRenewing);
    await storeOrRelease(c, storage, sql`${matchesKey(ctx, once)} AND answer = ${mark}`);
  };
