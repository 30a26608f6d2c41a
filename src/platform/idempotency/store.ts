import { is, SQL, sql } from "drizzle-orm";
import { undoableNumbers } from "../activity/store.ts";
import type { BaseCtx, Ctx } from "../core/ctx.ts";
import { conflict, permanentlyGone, unprocessable } from "../core/errors.ts";
import type { BatchItem, BatchResults, WrittenEntry } from "../core/statement.ts";
import { assertInBatch, catchRefusal, sendRecoverable } from "../db/call.ts";
import { deleteInSteps, hasRowBefore, ROWS_PER_STEP } from "../db/delete-in-steps.ts";
import { notFenced } from "../db/fence.ts";

// `writeOnce` stores the key in the transaction of the write, so that not even a crash causes a second write. `answerOnce`
// (answer-once.ts) is for everything else. What is stored refers to records and never copies their content.

const HOURS = 24;

export const keyCutoff = (now: Date) => new Date(now.getTime() - HOURS * 3_600_000).toISOString();

export type Idempotency = { route: string; key: string; requestHash: string };

export const matchesKey = (ctx: Ctx, once: Idempotency) =>
  sql`owner = ${ctx.owner} AND route = ${once.route} AND key = ${once.key}`;

type IdempotencyRow = { request_hash: string; answer: string };

export const storedRowsStatement = (ctx: Ctx, once: Idempotency) =>
  ctx.db.all<IdempotencyRow>(sql`SELECT request_hash, answer FROM idempotency_keys
    WHERE ${matchesKey(ctx, once)} AND created_at >= ${keyCutoff(ctx.now)}`);

/** The response stored under the key, or undefined. Throws 422 if the key was used for a different body. */
export function readStoredAnswer(once: Idempotency, [stored]: IdempotencyRow[]): string | undefined {
  if (stored && stored.request_hash !== once.requestHash) {
    const detail = "Idempotency-Key: was used with another request body: use a new key for a new request";
    throw unprocessable(detail, "key_used");
  }
  return stored?.answer;
}

/** What an earlier request with this key has stored, or undefined. Adds that request's changes to `ctx.changes`. */
function parseEarlier(ctx: Ctx, once: Idempotency, rows: IdempotencyRow[]): unknown {
  const text = readStoredAnswer(once, rows);
  if (text === undefined) return undefined;
  const { changes = [], ...earlier } = JSON.parse(text) as { changes?: number[] };
  ctx.changes?.push(...changes);
  return earlier;
}

/** Sends reads as one call. `earlier`: what an earlier request with the same key has stored. Throws 422 for a different body. */
export async function readWithKey<const Reads extends readonly BatchItem[]>(
  ctx: Ctx,
  once: Idempotency | undefined,
  reads: Reads,
): Promise<{ results: BatchResults<Reads>; earlier?: unknown }> {
  if (!once) return { results: await ctx.db.batch(reads) };
  const [rows, ...results] = await ctx.db.batch([storedRowsStatement(ctx, once), ...reads]);
  return { results: results as BatchResults<Reads>, earlier: parseEarlier(ctx, once, rows) };
}

export const stillRunningError = () =>
  conflict("A request with this Idempotency-Key is still running: try again in a moment");

export const erasedSinceError = () =>
  permanentlyGone(
    "A request with this Idempotency-Key was carried out before, and what it wrote has been erased since",
  );

export type RepeatableAnswer<Answer, Stored> = {
  /** `entries`: of the activity, those that the write has added. */
  answer: (entries: readonly WrittenEntry[]) => Answer;
  /** Refers to the answer; must not contain the content of records. As SQL, it is evaluated after the statements. */
  stored: Stored | SQL;
  /** Builds the answer from `stored`, or throws 410. */
  again: (ctx: Ctx, stored: Stored) => Promise<Answer>;
};

/** The statements of a write that also claims a key, or aborts with `repeated`. */
function claimed(
  ctx: Ctx,
  once: Idempotency,
  stored: unknown,
  statements: readonly BatchItem[],
): BatchItem[] {
  const numbers = undoableNumbers(ctx, statements);
  const reference = is(stored, SQL) ? stored : sql`${JSON.stringify(stored)}`;
  const answer = numbers ? sql`json_set(${reference}, '$.changes', json(${numbers}))` : reference;
  return [
    assertInBatch(
      ctx,
      sql`NOT EXISTS (SELECT 1 FROM idempotency_keys WHERE ${matchesKey(ctx, once)} AND created_at >= ${keyCutoff(ctx.now)})`,
      "repeated",
    ),
    ...statements,
    ctx.db.run(sql`
      INSERT OR REPLACE INTO idempotency_keys (owner, route, key, request_hash, answer, created_at)
      VALUES (${ctx.owner}, ${once.route}, ${once.key}, ${once.requestHash}, ${answer}, ${ctx.now.toISOString()})`),
  ];
}

/** Sends a transaction, unless it is empty. With `once`, a repetition only gets the answer again; 422 for a different body. */
export async function writeOnce<Answer, Stored>(
  ctx: Ctx,
  once: Idempotency | undefined,
  { answer, stored, again }: RepeatableAnswer<Answer, Stored>,
  statements: readonly BatchItem[] = [],
): Promise<Answer> {
  const all = once ? claimed(ctx, once, stored, statements) : statements;
  if (all.length === 0) return answer([]);
  const written = await catchRefusal(sendRecoverable(ctx, all), "repeated");
  if (!(written.refusal && once)) return answer(written.answer?.entries ?? []);
  const earlier = parseEarlier(ctx, once, await storedRowsStatement(ctx, once));
  if (earlier === undefined) throw conflict("This Idempotency-Key has just expired: try again");
  return again(ctx, earlier as Stored);
}

export const hasOldIdempotencyKeys = ({ now }: BaseCtx): SQL =>
  hasRowBefore("idempotency_keys", "created_at", keyCutoff(now));

export async function purgeIdempotencyKeys({ db, now }: BaseCtx): Promise<void> {
  const expired = sql`SELECT owner, route, key FROM idempotency_keys
    WHERE created_at < ${keyCutoff(now)} AND ${notFenced("idempotency_keys.owner")} LIMIT ${ROWS_PER_STEP}`;
  await deleteInSteps(() =>
    db.run(sql`DELETE FROM idempotency_keys WHERE (owner, route, key) IN (${expired})`),
  );
}
