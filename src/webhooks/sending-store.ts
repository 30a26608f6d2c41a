import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import { type BaseCtx, type Ctx, ctxFor } from "../core/ctx.ts";
import { notFound } from "../core/errors.ts";
import { must, send, unless } from "../db/call.ts";
import { users, webhook_deliveries, webhooks } from "../db/tables.ts";
import { ctxUserColumns } from "../db/user-columns.ts";
import { activeStatement, isBetween } from "../memories/active-store.ts";
import { readActivity } from "./activity-store.ts";
import type { Message, Outcome } from "./attempt.ts";
import { announcedBy } from "./due.ts";
import { eventOf, TEST_EVENT } from "./events.ts";
import { MAX_FAILURES, nextAttempt, restUntil } from "./pauses.ts";

// What a webhook has to send. Every event becomes a row of webhook_deliveries in the same transaction that moves the
// webhook past it, so that an event is neither lost nor sent twice, wherever the Worker is stopped.

/** Entries of the activity that are read at a time; and deliveries that may wait, before more are created. */
const PAGE = 100;
/** Commitments that are announced on one morning. */
const MOST_DUE = 500;
/** The largest content that is sent, in bytes. */
const MAX_CONTENT = 256 * 1024;
/** The status with which a receiver says that it wants no more messages. */
const GONE = 410;

export type Webhook = typeof webhooks.$inferSelect;
export type Delivery = typeof webhook_deliveries.$inferSelect;

type Happened = { event: string; data: Record<string, unknown>; at: string };

/** The context of the account that owns webhooks; undefined when it no longer exists. */
export async function ctxOfOwner(base: BaseCtx, owner: number): Promise<Ctx | undefined> {
  const [user] = await base.db
    .select(ctxUserColumns)
    .from(users)
    .where(sql`${users.number} = ${owner} AND ${users.deleted_at} IS NULL`);
  return user && ctxFor(base, user);
}

/** The webhooks that send. */
export const listActiveWebhooks = (ctx: Ctx): Promise<Webhook[]> =>
  ctx.db
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.owner, ctx.owner), eq(webhooks.status, "active")));

/** The statement that creates deliveries, in this order. */
function insertStatement(ctx: Ctx, { id: webhook_id }: Webhook, happened: Happened[]) {
  const now = ctx.now.toISOString();
  const rows = happened.map(({ event, data, at }) => [uuid(), event, JSON.stringify(data), at]);
  return ctx.db.run(sql`
    INSERT INTO webhook_deliveries (id, owner, webhook_id, event, data, occurred_at, status, attempts, next_attempt_at,
      created_at)
    SELECT value ->> 0, ${ctx.owner}, ${webhook_id}, value ->> 1, value ->> 2, value ->> 3, 'pending', 0, ${now}, ${now}
    FROM json_each(${JSON.stringify(rows)})`);
}

/** Creates deliveries and moves the webhook past them, unless that has been done in the meantime. */
async function advance(
  ctx: Ctx,
  webhook: Webhook,
  { happened, isNext, moved }: { happened: Happened[]; isNext: SQL; moved: SQL },
): Promise<void> {
  const own = sql`id = ${webhook.id} AND owner = ${ctx.owner}`;
  await unless(
    send(ctx, [
      must(ctx, sql`EXISTS (SELECT 1 FROM webhooks WHERE ${own} AND ${isNext})`, "stale"),
      insertStatement(ctx, webhook, happened),
      ctx.db.run(sql`UPDATE webhooks SET ${moved} WHERE ${own}`),
    ]),
    "stale",
  );
}

const countWaiting = async (ctx: Ctx, { id }: Webhook) => {
  const [row] = await ctx.db.all<{ count: number }>(sql`SELECT count(*) AS count FROM (
    SELECT 1 FROM webhook_deliveries INDEXED BY webhook_deliveries_pending_idx
    WHERE webhook_id = ${id} AND status = 'pending' LIMIT ${PAGE})`);
  return row?.count ?? 0;
};

/**
 * Creates the deliveries of what has happened since the webhook's cursor, a page at most; the activity itself is the
 * queue of a webhook that has enough waiting. Returns whether there may be more to do at once.
 */
export async function queueActivity(ctx: Ctx, webhook: Webhook): Promise<boolean> {
  if ((await countWaiting(ctx, webhook)) >= PAGE) return false;
  const entries = await readActivity(ctx, webhook.cursor, PAGE);
  const last = entries.at(-1);
  if (!last) return false;
  const happened = entries.flatMap(({ kind, verb, data, at }) => {
    const event = eventOf(kind, verb);
    return event && webhook.events.includes(event) ? [{ event, data, at }] : [];
  });
  await advance(ctx, webhook, {
    happened,
    isNext: sql`cursor = ${webhook.cursor}`,
    moved: sql`cursor = ${last.cursor}`,
  });
  webhook.cursor = last.cursor;
  return entries.length === PAGE;
}

/** Creates the deliveries of due dates when a new day has been reached. */
export async function queueDue(ctx: Ctx, webhook: Webhook): Promise<void> {
  const { due_day } = webhook;
  const reached = announcedBy({ now: ctx.now, timezone: (await ctx.user()).timezone });
  if (reached.due_day <= due_day && reached.due_at === webhook.due_at) return;
  const isNew = reached.due_day > due_day;
  const rows = isNew
    ? await activeStatement(
        ctx,
        { memory_type: "commitment" },
        { limit: MOST_DUE, offset: 0, condition: isBetween(due_day, reached.due_day) },
      )
    : [];
  const happened = rows.flatMap(({ id, topic, project, scope, due_date }) => {
    const event = due_date === reached.due_day ? "commitment.due" : "commitment.overdue";
    const data = { memory_id: id, memory_type: "commitment", topic, project, scope, due_date };
    return webhook.events.includes(event) ? [{ event, data, at: ctx.now.toISOString() }] : [];
  });
  const day = isNew ? reached.due_day : due_day;
  await advance(ctx, webhook, {
    happened,
    isNext: sql`due_day = ${due_day}`,
    moved: sql`due_day = ${day}, due_at = ${reached.due_at}`,
  });
  Object.assign(webhook, { due_day: day, due_at: reached.due_at });
}

/** The deliveries of a webhook that are to be tried now, those that have waited longest first. */
export const listDue = (ctx: Ctx, { id }: Webhook, limit: number): Promise<Delivery[]> =>
  ctx.db
    .select()
    .from(webhook_deliveries)
    .where(
      and(
        eq(webhook_deliveries.webhook_id, id),
        eq(webhook_deliveries.status, "pending"),
        lte(webhook_deliveries.next_attempt_at, ctx.now.toISOString()),
      ),
    )
    .orderBy(asc(webhook_deliveries.next_attempt_at), asc(webhook_deliveries.id))
    .limit(limit);

/** A delivery with its webhook; undefined if either has been deleted. */
export async function findDelivery(
  ctx: Ctx,
  id: string,
): Promise<{ webhook: Webhook; delivery: Delivery } | undefined> {
  const [[delivery], [webhook]] = await ctx.db.batch([
    ctx.db
      .select()
      .from(webhook_deliveries)
      .where(and(eq(webhook_deliveries.id, id), eq(webhook_deliveries.owner, ctx.owner))),
    ctx.db
      .select()
      .from(webhooks)
      .where(
        sql`${webhooks.id} = (SELECT webhook_id FROM webhook_deliveries WHERE id = ${id} AND owner = ${ctx.owner})`,
      ),
  ]);
  return webhook && delivery && { webhook, delivery };
}

/** Creates the delivery of a test, and returns its id. Throws 404 for a webhook that is not the caller's. */
export async function createTest(ctx: Ctx, webhookId: string): Promise<string> {
  const [id, now] = [uuid(), ctx.now.toISOString()];
  const inserted = await ctx.db.all(sql`
    INSERT INTO webhook_deliveries (id, owner, webhook_id, event, data, occurred_at, status, attempts, next_attempt_at,
      created_at)
    SELECT ${id}, owner, id, ${TEST_EVENT}, json_object('name', name), ${now}, 'pending', 0, ${now}, ${now}
    FROM webhooks WHERE id = ${webhookId} AND owner = ${ctx.owner} RETURNING id`);
  if (inserted.length === 0) throw notFound();
  return id;
}

/** The content of what a delivery is about, as it is now; null if it is gone or too large. */
async function contentOf(ctx: Ctx, { document_id, memory_id }: Record<string, unknown>): Promise<unknown> {
  const fits = sql`octet_length(content) <= ${MAX_CONTENT}`;
  const [row] = document_id
    ? await ctx.db.all<{ content: string }>(sql`SELECT content FROM documents
        WHERE id = ${document_id} AND owner = ${ctx.owner} AND trashed_at IS NULL AND ${fits}`)
    : await ctx.db.all<{ content: string }>(sql`SELECT json_quote(content) AS content FROM memories
        WHERE id = ${memory_id} AND owner = ${ctx.owner} AND trashed_at IS NULL AND ${fits}`);
  return row ? JSON.parse(row.content) : null;
}

/** What to send for a delivery. */
export async function messageOf(ctx: Ctx, webhook: Webhook, delivery: Delivery): Promise<Message> {
  const { id, event, data, occurred_at } = delivery;
  const isTest = event === TEST_EVENT;
  const content = webhook.include_content && !isTest ? { content: await contentOf(ctx, data) } : {};
  const { secret, previous_secret, previous_until } = webhook;
  const overlaps = previous_secret !== null && (previous_until ?? "") > ctx.now.toISOString();
  return {
    id,
    url: webhook.url,
    secrets: overlaps ? [secret, previous_secret] : [secret],
    body: JSON.stringify({ type: event, timestamp: occurred_at, data: { ...data, ...content } }),
  };
}

const noticeOf = (failures: number, { status, error }: Outcome, now: Date) =>
  `Switched off on ${now.toISOString().slice(0, 10)} ${status === GONE ? "because its receiver is gone" : `after ${failures} failures in a row`} (${error}). ` +
  'Mend the receiver, then make it active again with {"paused": false}';

/** The columns of a webhook after a failure. */
function failureOf(webhook: Webhook, outcome: Outcome, now: Date) {
  const failures = webhook.failures + 1;
  const isOver = failures >= MAX_FAILURES || outcome.status === GONE;
  const off = isOver && { status: "switched_off" as const, notice: noticeOf(failures, outcome, now) };
  return { failures, resume_at: restUntil(failures, now), ...off };
}

/** Records the outcome of an attempt. A test is not tried again, and says nothing about the webhook. */
export async function recordOutcome(
  ctx: Ctx,
  { webhook, delivery }: { webhook: Webhook; delivery: Delivery },
  outcome: Outcome,
): Promise<void> {
  const at = ctx.now.toISOString();
  const isTest = delivery.event === TEST_EVENT;
  const attempts = delivery.attempts + 1;
  const next = outcome.delivered || isTest ? null : nextAttempt(attempts, ctx.now);
  const change = outcome.delivered
    ? { failures: 0, resume_at: null, last_delivered_at: at }
    : failureOf(webhook, outcome, ctx.now);
  const status = outcome.delivered ? "delivered" : next === null ? "failed" : "pending";
  const recorded = ctx.db
    .update(webhook_deliveries)
    .set({
      status,
      attempts,
      next_attempt_at: next,
      last_attempt_at: at,
      response_status: outcome.status,
      error: outcome.error,
    })
    .where(eq(webhook_deliveries.id, delivery.id));
  const counted = ctx.db.update(webhooks).set(change).where(eq(webhooks.id, webhook.id));
  await send(ctx, isTest ? [recorded] : [recorded, counted]);
  if (!isTest) Object.assign(webhook, change);
}

/** When a webhook next has something to do: null when only a new event can give it something. */
export async function nextMoment(ctx: Ctx, webhook: Webhook): Promise<string | null> {
  const [row] = await ctx.db.all<{ next: string | null }>(sql`
    SELECT min(next_attempt_at) AS next FROM webhook_deliveries INDEXED BY webhook_deliveries_pending_idx
    WHERE webhook_id = ${webhook.id} AND status = 'pending'`);
  const rested = [row?.next, webhook.resume_at].filter((at) => at !== null && at !== undefined);
  const attemptAt = row?.next ? rested.sort().at(-1) : undefined;
  return [attemptAt, webhook.due_at].filter((at) => at !== null && at !== undefined).sort()[0] ?? null;
}

/** The owners whose webhooks have something to do, in case nobody has told their senders. */
export async function ownersWithWork(base: BaseCtx, limit: number): Promise<number[]> {
  const now = base.now.toISOString();
  const rows = await base.db.all<{ owner: number }>(sql`
    SELECT DISTINCT owner FROM webhooks AS w WHERE status = 'active' AND coalesce(resume_at, '') <= ${now} AND (
      due_at <= ${now}
      OR cursor < (SELECT max(number) FROM activity WHERE owner = w.owner)
      OR EXISTS (SELECT 1 FROM webhook_deliveries
        WHERE webhook_id = w.id AND status = 'pending' AND next_attempt_at <= ${now}))
    LIMIT ${limit}`);
  return rows.map(({ owner }) => owner);
}

/** How long deliveries are kept once they are done. */
const KEPT_MS = 30 * 86_400_000;

/** Deletes old deliveries, a bounded number per run. */
export async function purgeDeliveries(ctx: BaseCtx): Promise<void> {
  const before = new Date(ctx.now.getTime() - KEPT_MS).toISOString();
  await ctx.db.run(sql`DELETE FROM webhook_deliveries WHERE id IN (
    SELECT id FROM webhook_deliveries WHERE status <> 'pending' AND created_at < ${before} LIMIT 1000)`);
}
