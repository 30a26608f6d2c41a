import { type SQL, sql } from "drizzle-orm";
import { createdIds, undoableNumbers } from "../activity/store.ts";
import { hex, sha256 } from "../core/bytes.ts";
import type { BaseCtx, Ctx } from "../core/ctx.ts";
import { conflict, permanentlyGone, unprocessable } from "../core/errors.ts";
import type { BatchItem } from "../core/statement.ts";
import { assertInBatch, catchRefusal, sendBatch, sendRecoverable } from "../db/call.ts";
import { deleteInSteps, hasRowBefore, ROWS_PER_STEP } from "../db/delete-in-steps.ts";
import { notFenced } from "../db/fence.ts";

// `writeOnce` stores the key in the transaction of the write, so that not even a crash causes a second write. `answerOnce`
// (answer-once.ts) is for everything else. What is stored refers to records and never copies their content.

type Statements = BatchItem[];

const HOURS = 24;

export const keyCutoff = (now: Date) => new Date(now.getTime() - HOURS * 3_600_000).toISOString();

export type Idempotency = { route: string; key: string; requestHash: string };

export async function idempotencyOf(route: string, key: string, body: unknown): Promise<Idempotency> {
  return { route, key, requestHash: hex(await sha256(JSON.stringify(body))) };
}

export type IdempotencyRow = { request_hash: string; answer: string };

export const matchesKey = (ctx: Ctx, once: Idempotency) =>
  sql`owner = ${ctx.owner} AND route = ${once.route} AND key = ${once.key}`;

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

/** What an earlier request with the same key has stored, or undefined. Adds that request's changes to `ctx.changes`. */
export function readStored<Stored>(
  ctx: Ctx,
  once: Idempotency | undefined,
  rows: IdempotencyRow[],
): Stored | undefined {
  const text = once && readStoredAnswer(once, rows);
  if (text === undefined) return undefined;
  const { changes = [], ...stored } = JSON.parse(text) as { changes?: number[] };
  ctx.changes?.push(...changes);
  return stored as Stored;
}

export const erasedSinceError = () =>
  permanentlyGone(
    "A request with this Idempotency-Key was carried out before, and what it wrote has been erased since",
  );

/** The statements of a write that also claims a key, or aborts with `repeated`. */
function claimed(ctx: Ctx, once: Idempotency | undefined, stored: SQL, statements: Statements): Statements {
  if (!once) return statements;
  const numbers = undoableNumbers(ctx, statements);
  const answer = numbers ? sql`json_set(${stored}, '$.changes', json(${numbers}))` : stored;
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

/** What the first request with this key has stored. Throws 422 for a different body. */
async function firstStored<Stored>(ctx: Ctx, once: Idempotency): Promise<Stored> {
  const stored = readStored<Stored>(ctx, once, await storedRowsStatement(ctx, once));
  if (stored === undefined) throw conflict("This Idempotency-Key has just expired: try again");
  return stored;
}

export type RepeatableAnswer<Answer, Stored> = {
  answer: Answer;
  /** Refers to the answer; must not contain the content of records. */
  stored: Stored;
  /** Builds the answer from `stored`, or throws 410. */
  again: (ctx: Ctx, stored: Stored) => Promise<Answer>;
};

/** Sends one transaction. With `once`, a repetition writes nothing and gets the answer again; 422 for a different body. */
export async function writeOnce<Answer, Stored>(
  ctx: Ctx,
  once: Idempotency | undefined,
  { answer, stored, again }: RepeatableAnswer<Answer, Stored>,
  statements: Statements,
): Promise<Answer> {
  const all = claimed(ctx, once, sql`${JSON.stringify(stored)}`, statements);
  const { refusal } = await catchRefusal(sendBatch(ctx, all), "repeated");
  return refusal && once ? again(ctx, await firstStored<Stored>(ctx, once)) : answer;
}

/** `writeOnce` without statements: only stores the key, so that a repetition is recognized. */
export const recognizeOnce = async <Answer, Stored>(
  ctx: Ctx,
  once: Idempotency | undefined,
  repeatable: RepeatableAnswer<Answer, Stored>,
): Promise<Answer> => (once ? writeOnce(ctx, once, repeatable, []) : repeatable.answer);

/** Of a write that is assigned a number. */
export type NumberedRepeatableAnswer<Answer, Stored> = {
  answer: (number: number) => Answer;
  stored: Stored;
  /** The JSON paths of `stored` at which the number is inserted. */
  places: string[];
  /** The next number, in SQL: before the statements run that of the write, afterwards the one after it. */
  next: SQL;
  again: (ctx: Ctx, stored: Stored) => Promise<Answer>;
};

/** `writeOnce` for a write that is assigned a number. */
export async function writeNumberedOnce<Answer, Stored>(
  ctx: Ctx,
  once: Idempotency | undefined,
  { answer, stored, places, next, again }: NumberedRepeatableAnswer<Answer, Stored>,
  statements: Statements,
): Promise<Answer> {
  const read = ctx.db.all<{ number: number }>(sql`SELECT ${next} AS number`);
  const numbers = places.map((path) => sql`, ${path}, ${next} - 1`);
  const numbered = sql`json_set(${JSON.stringify(stored)}${sql.join(numbers)})`;
  const sent = sendRecoverable(ctx, [read, ...claimed(ctx, once, numbered, statements)]);
  const written = await catchRefusal(sent, "repeated");
  if (written.refusal && once) return again(ctx, await firstStored<Stored>(ctx, once));
  const { results, entries } = written.answer ?? {};
  const number = entries ? createdIds(entries)[0] : results?.[0]?.[0]?.number;
  if (number === undefined) throw new Error("A SELECT without a FROM has one row");
  return answer(number);
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
