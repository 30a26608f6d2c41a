import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { hex, sha256 } from "../platform/core/bytes.ts";
import type { BaseCtx, Ctx } from "../platform/core/ctx.ts";
import { conflict, invalid } from "../platform/core/errors.ts";
import { must, send, unless } from "../platform/db/call.ts";
import { unfenced } from "../db/fence.ts";
import { inSteps, ROWS_AT_ONCE } from "../platform/db/in-steps.ts";

// A repeated POST takes effect once. There are two ways to ensure that:
//   - writeOnce stores the key and the answer in the write's own transaction, so that not even a crash can cause a
//     second write. For a write that is one transaction and knows its answer in advance; drawOnce does the same for an
//     answer that is known except for a number.
//   - answerOnce (answer-once.ts) is a middleware that stores any answer. After a crash between the write and the storing
//     of its answer, a repetition writes again once the first request is presumed abandoned.

const HOURS = 24;

/** Keys from before this moment have expired. */
export const cutoff = (now: Date) => new Date(now.getTime() - HOURS * 3_600_000).toISOString();

/** A repeatable request: its route, its key, and a digest of its body. */
export type Idempotency = { route: string; key: string; requestHash: string };

/** Identifies a request and its repetitions. The body is the parsed one. */
export async function idempotencyOf(route: string, key: string, body: unknown): Promise<Idempotency> {
  return { route, key, requestHash: hex(await sha256(JSON.stringify(body))) };
}

/** What is stored under a key. */
export type Kept = { request_hash: string; answer: string };

/** True in SQL for the row of this key. */
export const rowOf = (ctx: Ctx, once: Idempotency) =>
  sql`owner = ${ctx.owner} AND route = ${once.route} AND key = ${once.key}`;

/** The statement that reads what is stored under the key. Its rows go to `keptAnswer`. */
export const keptStatement = (ctx: Ctx, once: Idempotency) =>
  ctx.db.all<Kept>(sql`SELECT request_hash, answer FROM idempotency_keys
    WHERE ${rowOf(ctx, once)} AND created_at >= ${cutoff(ctx.now)}`);

/** The answer stored under the key, or undefined. Throws 422 when the key was used for a different body. */
export function keptAnswer(once: Idempotency, [kept]: Kept[]): string | undefined {
  if (kept && kept.request_hash !== once.requestHash) {
    throw invalid("Idempotency-Key: was used for another request body: use a new key for a new request");
  }
  return kept?.answer;
}

/** The statements that claim a key with its answer, or refuse as `repeated`. */
const claimStatements = (ctx: Ctx, once: Idempotency, answer: SQL) => [
  must(
    ctx,
    sql`NOT EXISTS (SELECT 1 FROM idempotency_keys WHERE ${rowOf(ctx, once)} AND created_at >= ${cutoff(ctx.now)})`,
    "repeated",
  ),
  ctx.db.run(sql`
    INSERT OR REPLACE INTO idempotency_keys (owner, route, key, request_hash, answer, created_at)
    VALUES (${ctx.owner}, ${once.route}, ${once.key}, ${once.requestHash}, ${answer}, ${ctx.now.toISOString()})`),
];

/** The first answer for this key. Throws 422 for a different body. */
async function firstAnswer<Answer>(ctx: Ctx, once: Idempotency): Promise<Answer> {
  const kept = keptAnswer(once, await keptStatement(ctx, once));
  if (kept === undefined) throw conflict("This Idempotency-Key has just expired: try again");
  return JSON.parse(kept) as Answer;
}

/**
 * Sends a write as one transaction and returns `answer`. With `once`, a repetition writes nothing and returns the first
 * request's answer; throws 422 for a different body.
 */
export async function writeOnce<Answer>(
  ctx: Ctx,
  once: Idempotency | undefined,
  answer: Answer,
  statements: BatchItem<"sqlite">[],
): Promise<Answer> {
  const claim = once ? claimStatements(ctx, once, sql`${JSON.stringify(answer)}`) : [];
  const { refusal } = await unless(send(ctx, [...claim, ...statements]), "repeated");
  return refusal && once ? firstAnswer(ctx, once) : answer;
}

/** Like `writeOnce`, but without anything to write: a repetition still gets the same answer. */
export const keepOnce = async <Answer>(
  ctx: Ctx,
  once: Idempotency | undefined,
  answer: Answer,
): Promise<Answer> => (once ? writeOnce(ctx, once, answer, []) : answer);

/** An answer without a number that the transaction assigns: the JSON paths where it belongs, and its SQL. */
export type Drawn<Answer> = { draft: Answer; number: SQL; places: string[] };

/** Like `writeOnce`, for an answer with a number that the transaction assigns before the statements run. */
export async function drawOnce<Answer>(
  ctx: Ctx,
  once: Idempotency | undefined,
  { draft, number, places }: Drawn<Answer>,
  statements: BatchItem<"sqlite">[],
): Promise<Answer> {
  const numbers = places.map((place) => sql`, ${place}, ${number}`);
  const answer = sql`json_set(${JSON.stringify(draft)}${sql.join(numbers)})`;
  const read = ctx.db.all<{ answer: string }>(sql`SELECT ${answer} AS answer`);
  const claim = once ? claimStatements(ctx, once, answer) : [];
  const written = await unless(ctx.db.batch([read, ...claim, ...statements]), "repeated");
  if (written.refusal && once) return firstAnswer(ctx, once);
  const [row] = written.answer?.[0] ?? [];
  if (!row) throw new Error("A SELECT without a FROM has one row");
  return JSON.parse(row.answer) as Answer;
}

/** Deletes keys older than 24 hours. */
export async function purgeIdempotencyKeys({ db, now }: BaseCtx): Promise<void> {
  const expired = sql`SELECT owner, route, key FROM idempotency_keys
    WHERE created_at < ${cutoff(now)} AND ${unfenced("idempotency_keys.owner")} LIMIT ${ROWS_AT_ONCE}`;
  await inSteps(() => db.run(sql`DELETE FROM idempotency_keys WHERE (owner, route, key) IN (${expired})`));
}
