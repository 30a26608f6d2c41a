import { desc, eq, type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { SecurityEventName } from "../../contract/security-events.ts";
import { globalAccountId } from "../../contract/shard.ts";
import type { BaseCtx, Ctx, OwnerCtx } from "../core/ctx.ts";
import { isDiskFull } from "../core/disk.ts";
import { assertInBatch, sendBatch } from "../db/call.ts";
import { retention } from "../db/delete-in-steps.ts";
import { security_events } from "../db/tables.ts";

/** Failed sign-ins logged per hour. Strangers can cause any number of them. */
const MAX_FAILURES_PER_HOUR = 20;

export type NewSecurityEvent = { event: SecurityEventName; detail?: string | SQL | undefined };

/** Logs an event of the account that satisfies a condition on `users`, if there is one. */
export const eventStatement = (ctx: BaseCtx, { event, detail }: NewSecurityEvent, account: SQL) =>
  ctx.db.run(sql`INSERT INTO security_events (id, owner, event, detail, client_name, created_at)
    SELECT ${uuid()}, number, ${event}, ${detail ?? null}, ${ctx.program ?? null}, ${ctx.now.toISOString()}
    FROM users WHERE deleted_at IS NULL AND ${account}`);

export const callerEventStatement = (ctx: OwnerCtx, event: SecurityEventName, detail?: string | SQL) =>
  eventStatement(ctx, { event, detail }, sql`number = ${ctx.owner}`);

/** Logs an event of the caller's account. Throws 503 if the account has been migrated to another shard. */
export async function logSecurityEvent(
  ctx: OwnerCtx,
  event: SecurityEventName,
  detail?: string,
): Promise<void> {
  const isHere = sql`EXISTS (SELECT 1 FROM users WHERE number = ${ctx.owner} AND deleted_at IS NULL)`;
  await sendBatch(ctx, [assertInBatch(ctx, isHere, "moving"), callerEventStatement(ctx, event, detail)]);
}

/** Logs that something was read. While the disk is full, it is written only to the service's own log. */
export async function logSecurityRead(ctx: OwnerCtx, event: SecurityEventName): Promise<void> {
  if (!isDiskFull()) return logSecurityEvent(ctx, event);
  console.info(JSON.stringify({ event, account: globalAccountId(ctx), disk: "full" }));
}

/** Logs a failed sign-in. Takes as long for an email address without an account. */
export async function logFailedSignIn(ctx: BaseCtx, email: string): Promise<void> {
  const hourAgo = new Date(ctx.now.getTime() - 3_600_000).toISOString();
  const isFirst = sql`NOT EXISTS (SELECT 1 FROM security_events AS e INDEXED BY security_events_failed_idx
    WHERE e.owner = number AND e.event = 'sign_in_failed' AND e.created_at > ${hourAgo}
    LIMIT 1 OFFSET ${MAX_FAILURES_PER_HOUR - 1})`;
  await eventStatement(ctx, { event: "sign_in_failed" }, sql`email = ${email} AND ${isFirst}`);
}

export async function listSecurityEvents(ctx: Ctx, page: { limit: number; offset: number }) {
  const owned = eq(security_events.owner, ctx.owner);
  const { id, event, detail, client_name, created_at } = security_events;
  const [rows, total] = await ctx.db.batch([
    ctx.db
      .select({ id, event, detail, client_name, created_at })
      .from(security_events)
      .where(owned)
      .orderBy(desc(id))
      .limit(page.limit)
      .offset(page.offset),
    ctx.db.select({ count: sql<number>`count(*)` }).from(security_events).where(owned),
  ]);
  const items = rows.map((row) => ({ ...row, event: row.event as SecurityEventName }));
  return { items, total: total[0]?.count ?? 0 };
}

export const securityEventRetention = retention("security_events", {
  key: "id",
  column: "created_at",
  days: 90,
});
