import { and, eq, type SQL, sql } from "drizzle-orm";
import { WEBHOOK_TEST_EVENT } from "../../contract/webhook-events.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { sendBatch } from "../../platform/db/call.ts";
import { deleteInSteps, ROWS_PER_STEP } from "../../platform/db/delete-in-steps.ts";
import { notFenced } from "../../platform/db/fence.ts";
import { webhook_deliveries, webhooks } from "../../platform/db/tables.ts";
import type { DeliveryOutcome, WebhookMessage } from "./attempt.ts";
import { MAX_FAILURES, restTimes, retryTimes } from "./retry-schedule.ts";

const MAX_CONTENT_BYTES = 256 * 1024;
const HTTP_GONE = 410;
/** While this many deliveries are pending, no further ones are created. */
export const MAX_PENDING = 100;

export type WebhookRow = typeof webhooks.$inferSelect;

const IS_OPEN = sql`users.deleted_at IS NULL AND users.closed_at IS NULL AND ${notFenced("users.number")}`;

export const listActiveWebhooks = (ctx: Ctx): Promise<WebhookRow[]> =>
  ctx.db
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.owner, ctx.owner), eq(webhooks.status, "active")));

type DeliveryRow = typeof webhook_deliveries.$inferSelect;

export type PendingDelivery = Pick<DeliveryRow, "id" | "event" | "occurred_at" | "webhook_id"> &
  Pick<WebhookRow, "url" | "secret" | "previous_secret" | "previous_until"> & {
    data: string;
    include_content: number;
  };

async function findPending(ctx: Ctx, condition: SQL): Promise<PendingDelivery | undefined> {
  const [found] = await ctx.db.all<PendingDelivery>(sql`
    SELECT d.id, d.event, d.data, d.occurred_at, d.webhook_id, w.url, w.secret, w.previous_secret, w.previous_until,
      w.include_content
    FROM webhooks AS w JOIN webhook_deliveries AS d ON d.webhook_id = w.id
    WHERE w.owner = ${ctx.owner} AND d.status = 'pending' AND ${condition}
      AND EXISTS (SELECT 1 FROM users WHERE number = ${ctx.owner} AND ${IS_OPEN})
    ORDER BY d.next_attempt_at, d.id LIMIT 1`);
  return found;
}

/** The due delivery of a webhook that has waited longest; undefined if there is none. */
export function findDueDelivery(ctx: Ctx, webhookId: string): Promise<PendingDelivery | undefined> {
  const now = ctx.now.toISOString();
  const isDue = sql`w.status = 'active' AND coalesce(w.resume_at, '') <= ${now} AND d.next_attempt_at <= ${now}`;
  return findPending(ctx, sql`w.id = ${webhookId} AND ${isDue}`);
}

/** A delivery without attempts, even if its webhook is paused; undefined if it has been attempted. */
export const findUntriedDelivery = (ctx: Ctx, id: string): Promise<PendingDelivery | undefined> =>
  findPending(ctx, sql`d.id = ${id} AND d.attempts = 0`);

type Subject = { document_id?: string; memory_id?: number };

/** The current content of the document or record; null if it no longer exists or is too large. */
async function readContent(ctx: Ctx, { document_id, memory_id }: Subject): Promise<unknown> {
  const fits = sql`octet_length(content) <= ${MAX_CONTENT_BYTES}`;
  const [row] = document_id
    ? await ctx.db.all<{ content: string }>(sql`SELECT content FROM documents
        WHERE id = ${document_id} AND owner = ${ctx.owner} AND trashed_at IS NULL AND ${fits}`)
    : await ctx.db.all<{ content: string }>(sql`SELECT json_quote(content) AS content FROM memories
        WHERE id = ${memory_id} AND owner = ${ctx.owner} AND trashed_at IS NULL AND ${fits}`);
  return row ? JSON.parse(row.content) : null;
}

export async function buildMessage(ctx: Ctx, delivery: PendingDelivery): Promise<WebhookMessage> {
  const { id, event, occurred_at, url, secret, previous_secret, previous_until } = delivery;
  const data = JSON.parse(delivery.data) as Subject;
  const hasContent = delivery.include_content && event !== WEBHOOK_TEST_EVENT;
  const content = hasContent ? { content: await readContent(ctx, data) } : {};
  const overlaps = previous_secret !== null && (previous_until ?? "") > ctx.now.toISOString();
  return {
    id,
    url,
    secrets: overlaps ? [secret, previous_secret] : [secret],
    body: JSON.stringify({ type: event, timestamp: occurred_at, data: { ...data, ...content } }),
  };
}

const switchedOffNotice = ({ status, error }: DeliveryOutcome, now: Date) =>
  `Switched off on ${now.toISOString().slice(0, 10)} ${status === HTTP_GONE ? "because its receiver is gone" : `after ${MAX_FAILURES} failures in a row`} (${error}). ` +
  'Fix the receiver, then resume the webhook with {"paused": false}';

/** The list's element at an index in SQL; NULL beyond its end. */
const elementAt = (list: string[], count: SQL) => sql`(${JSON.stringify(list)} ->> ${count})`;

function failureColumns(outcome: DeliveryOutcome, now: Date) {
  const isOver = sql`(failures + 1 >= ${MAX_FAILURES} OR ${outcome.status === HTTP_GONE})`;
  return {
    failures: sql`failures + 1`,
    resume_at: elementAt(restTimes(now), sql`failures`),
    status: sql`iif(${isOver}, 'switched_off', status)`,
    notice: sql`iif(${isOver}, ${switchedOffNotice(outcome, now)}, notice)`,
  };
}

/** Records an outcome. It counts for the webhook only if its URL is unchanged. Tests are not retried. */
export async function recordOutcome(
  ctx: Ctx,
  { id, event, webhook_id, url }: PendingDelivery,
  { delivered, ...outcome }: DeliveryOutcome,
): Promise<void> {
  const at = ctx.now.toISOString();
  const isTest = event === WEBHOOK_TEST_EVENT;
  const retry = elementAt(delivered || isTest ? [] : retryTimes(ctx.now), sql`attempts`);
  const recorded = ctx.db
    .update(webhook_deliveries)
    .set({
      status: delivered ? "delivered" : sql`iif(${retry} IS NULL, 'failed', 'pending')`,
      attempts: sql`attempts + 1`,
      next_attempt_at: retry,
      last_attempt_at: at,
      response_status: outcome.status,
      error: outcome.error,
    })
    .where(and(eq(webhook_deliveries.id, id), eq(webhook_deliveries.status, "pending")));
  const counted = ctx.db
    .update(webhooks)
    .set(
      delivered
        ? { failures: 0, resume_at: null, last_delivered_at: at }
        : failureColumns({ delivered, ...outcome }, ctx.now),
    )
    .where(
      and(
        eq(webhooks.id, webhook_id),
        eq(webhooks.url, url),
        delivered ? undefined : eq(webhooks.status, "active"),
      ),
    );
  await sendBatch(ctx, isTest ? [recorded] : [recorded, counted]);
}

const IS_ACTIVE = sql`w.status = 'active'`;
const PENDING = sql`webhook_deliveries INDEXED BY webhook_deliveries_pending_idx WHERE webhook_id = w.id AND status = 'pending'`;
const IS_BEHIND = sql`(w.cursor < (SELECT max(number) FROM activity WHERE activity.owner = w.owner)
  AND (SELECT count(*) FROM (SELECT 1 FROM ${PENDING} LIMIT ${MAX_PENDING})) < ${MAX_PENDING})`;
const NEXT_ATTEMPT = sql`(SELECT min(next_attempt_at) FROM ${PENDING})`;
/** When a webhook has something to send; NULL if nothing. */
const SEND_AT = sql`max(coalesce(w.resume_at, ''), iif(${IS_BEHIND}, '', ${NEXT_ATTEMPT}))`;

/** When an account's webhooks next have something to do, in SQL; NULL until a new event. */
export const nextWebhookAt = (owner: SQL): SQL => sql`(
  SELECT min(min(coalesce(${SEND_AT}, w.due_at), coalesce(w.due_at, ${SEND_AT})))
  FROM webhooks AS w WHERE w.owner = ${owner} AND ${IS_ACTIVE})`;

export const ownersWithDueWebhooks = ({ now }: BaseCtx): SQL => sql`
  SELECT w.owner FROM webhooks AS w
  WHERE ${IS_ACTIVE} AND (${SEND_AT} <= ${now.toISOString()} OR w.due_at <= ${now.toISOString()})`;

const RETENTION_MS = 30 * 86_400_000;

const oldDeliveries = ({ now }: BaseCtx) => sql`FROM webhook_deliveries
  WHERE status <> 'pending' AND created_at < ${new Date(now.getTime() - RETENTION_MS).toISOString()}`;

export const hasOldDeliveries = (ctx: BaseCtx): SQL => sql`EXISTS (SELECT 1 ${oldDeliveries(ctx)})`;

export async function purgeDeliveries(ctx: BaseCtx): Promise<void> {
  const old = sql`SELECT id ${oldDeliveries(ctx)} AND ${notFenced("webhook_deliveries.owner")} LIMIT ${ROWS_PER_STEP}`;
  await deleteInSteps(() => ctx.db.run(sql`DELETE FROM webhook_deliveries WHERE id IN (${old})`));
}
