import { type SQL, sql } from "drizzle-orm";
import type { BaseCtx, Ctx } from "./ctx.ts";
import { invalid } from "./errors.ts";

const HOURS = 24;
const PURGED_AT_ONCE = 1000;

const cutoff = (now: Date) => new Date(now.getTime() - HOURS * 3_600_000).toISOString();

/** A request that its client may repeat: which route, under which key, and a digest of what it asks for. */
export type Idempotency = { route: string; key: string; requestHash: string };

/** Describes a request for its later repetitions. The body is what the schema made of it. */
export async function idempotencyOf(route: string, key: string, body: unknown): Promise<Idempotency> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(body)));
  const requestHash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
  return { route, key, requestHash };
}

/**
 * The statements that make a write happen once. They belong into the write's own batch: `claim` first, then
 * the write's statements under the condition `mine`, then `stored`.
 *
 * @param answer what the write will answer, as JSON
 * @param when the condition under which the write can happen at all
 */
export function onceStatements(ctx: Ctx, once: Idempotency, answer: string, when: SQL) {
  const now = ctx.now.toISOString();
  const row = sql`owner = ${ctx.user.number} AND route = ${once.route} AND key = ${once.key}`;
  return {
    claim: ctx.db.run(sql`
      INSERT INTO idempotency_keys (owner, route, key, request_hash, answer, created_at)
      SELECT ${ctx.user.number}, ${once.route}, ${once.key}, ${once.requestHash}, ${answer}, ${now} WHERE ${when}
      ON CONFLICT (owner, route, key) DO UPDATE
      SET request_hash = excluded.request_hash, answer = excluded.answer, created_at = excluded.created_at
      WHERE created_at < ${cutoff(ctx.now)}`),
    mine: sql`EXISTS (SELECT 1 FROM idempotency_keys WHERE ${row} AND answer = ${answer})`,
    stored: ctx.db.all<{ request_hash: string; answer: string }>(
      sql`SELECT request_hash, answer FROM idempotency_keys WHERE ${row}`,
    ),
  };
}

/** The answer that stands under the key, or undefined when nothing could be written. Throws 422 for another body. */
export function storedAnswer(
  once: Idempotency,
  stored: { request_hash: string; answer: string } | undefined,
): string | undefined {
  if (stored && stored.request_hash !== once.requestHash) {
    throw invalid("Idempotency-Key: was used for another request body: take a new key for a new request");
  }
  return stored?.answer;
}

/** Deletes keys older than 24 hours. */
export async function purgeIdempotencyKeys(ctx: BaseCtx): Promise<void> {
  const expired = sql`SELECT owner, route, key FROM idempotency_keys
    WHERE created_at < ${cutoff(ctx.now)} LIMIT ${PURGED_AT_ONCE}`;
  await ctx.db.run(sql`DELETE FROM idempotency_keys WHERE (owner, route, key) IN (${expired})`);
}
