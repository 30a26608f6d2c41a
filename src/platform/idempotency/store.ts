import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { hex, sha256 } from "../core/bytes.ts";
import type { BaseCtx, Ctx } from "../core/ctx.ts";
import { conflict, gone, invalid } from "../core/errors.ts";
import { assertInBatch, send, sendRecorded, unless } from "../db/call.ts";
import { unfenced } from "../db/fence.ts";
import { hasBefore, inSteps, ROWS_AT_ONCE } from "../db/in-steps.ts";
import { createdIn, numbersOf } from "../ledger/store.ts";

// `writeOnce` stores the key in the transaction of the write, so that not even a crash causes a second write. `answerOnce`
// (answer-once.ts) is for everything else. What is stored refers to records and never copies their content.

type Statements = BatchItem<"sqlite">[];

const HOURS = 24;

export const cutoff = (now: Date) => new Date(now.getTime() - HOURS * 3_600_000).toISOString();

export type Idempotency = { route: string; key: string; requestHash: string };

export async function idempotencyOf(route: string, key: string, body: unknown): Promise<Idempotency> {
  return { route, key, requestHash: hex(await sha256(JSON.stringify(body))) };
}

export type Row = { request_hash: string; answer: string };

export const rowOf = (ctx: Ctx, once: Idempotency) =>
  sql`owner = ${ctx.owner} AND route = ${once.route} AND key = ${once.key}`;

export const storedStatement = (ctx: Ctx, once: Idempotency) =>
  ctx.db.all<Row>(sql`SELECT request_hash, answer FROM idempotency_keys
    WHERE ${rowOf(ctx, once)} AND created_at >= ${cutoff(ctx.now)}`);

/** The response stored under the key, or undefined. Throws 422 if the key was used for a different body. */
export function storedAnswer(once: Idempotency, [stored]: Row[]): string | undefined {
  if (stored && stored.request_hash !== once.requestHash) {
    const detail = "Idempotency-Key: was used with another request body: use a new key for a new request";
    throw invalid(detail, "key_used");
  }
  return stored?.answer;
}

/** What an earlier request with the same key has stored, or undefined. Adds that request's changes to `ctx.changes`. */
export function storedOf<Stored>(ctx: Ctx, once: Idempotency | undefined, rows: Row[]): Stored | undefined {
  const text = once && storedAnswer(once, rows);
  if (text === undefined) return undefined;
  const { changes = [], ...stored } = JSON.parse(text) as { changes?: number[] };
  ctx.changes?.push(...changes);
  return stored as Stored;
}

export const erasedSince = () =>
  gone("A request with this Idempotency-Key was carried out before, and what it wrote has been erased since");

/** The statements of a write that also claims a key, or aborts with `repeated`. */
function claimed(ctx: Ctx, once: Idempotency | undefined, stored: SQL, statements: Statements): Statements {
  if (!once) return statements;
  const numbers = numbersOf(ctx, statements);
  const answer = numbers ? sql`json_set(${stored}, '$.changes', json(${numbers}))` : stored;
  return [
    assertInBatch(
      ctx,
      sql`NOT EXISTS (SELECT 1 FROM idempotency_keys WHERE ${rowOf(ctx, once)} AND created_at >= ${cutoff(ctx.now)})`,
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
  const stored = storedOf<Stored>(ctx, once, await storedStatement(ctx, once));
  if (stored === undefined) throw conflict("This Idempotency-Key has just expired: try again");
  return stored;
}

export type Repeatable<Answer, Stored> = {
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
  { answer, stored, again }: Repeatable<Answer, Stored>,
  statements: Statements,
): Promise<Answer> {
  const all = claimed(ctx, once, sql`${JSON.stringify(stored)}`, statements);
  const { refusal } = await unless(send(ctx, all), "repeated");
  return refusal && once ? again(ctx, await firstStored<Stored>(ctx, once)) : answer;
}

/** `writeOnce` without statements: only stores the key, so that a repetition is recognized. */
export const recognizeOnce = async <Answer, Stored>(
  ctx: Ctx,
  once: Idempotency | undefined,
  repeatable: Repeatable<Answer, Stored>,
): Promise<Answer> => (once ? writeOnce(ctx, once, repeatable, []) : repeatable.answer);

/** Of a write that is assigned a number. */
export type NumberedRepeatable<Answer, Stored> = {
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
  { answer, stored, places, next, again }: NumberedRepeatable<Answer, Stored>,
  statements: Statements,
): Promise<Answer> {
  const read = ctx.db.all<{ number: number }>(sql`SELECT ${next} AS number`);
  const numbers = places.map((path) => sql`, ${path}, ${next} - 1`);
  const numbered = sql`json_set(${JSON.stringify(stored)}${sql.join(numbers)})`;
  const sent = sendRecorded(ctx, [read, ...claimed(ctx, once, numbered, statements)]);
  const written = await unless(sent, "repeated");
  if (written.refusal && once) return again(ctx, await firstStored<Stored>(ctx, once));
  const { results, entries } = written.answer ?? {};
  const number = entries ? createdIn(entries)[0] : results?.[0]?.[0]?.number;
  if (number === undefined) throw new Error("A SELECT without a FROM has one row");
  return answer(number);
}

export const hasOldKeys = ({ now }: BaseCtx): SQL => hasBefore("idempotency_keys", "created_at", cutoff(now));

export async function purgeIdempotencyKeys({ db, now }: BaseCtx): Promise<void> {
  const expired = sql`SELECT owner, route, key FROM idempotency_keys
    WHERE created_at < ${cutoff(now)} AND ${unfenced("idempotency_keys.owner")} LIMIT ${ROWS_AT_ONCE}`;
  await inSteps(() => db.run(sql`DELETE FROM idempotency_keys WHERE (owner, route, key) IN (${expired})`));
}
