import { type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import { pickFields } from "../../contract/field-spec.ts";
import { webhookEventFor } from "../../contract/webhook-events.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { groupBySize } from "../../platform/core/group-by-size.ts";
import { assertInBatch, catchRefusal, sendBatch } from "../../platform/db/call.ts";
import { yieldToOthers } from "../../platform/queue/yield.ts";
import { activeStatement, isDueBetween } from "../memories/active-store.ts";
import { readActivity } from "./activity-store.ts";
import { lastAnnouncedDay } from "./announced-day.ts";
import { MAX_PENDING, type WebhookRow } from "./delivery-store.ts";

// A delivery is created in the transaction that advances the webhook past its event, so none is lost or duplicated.

const PAGE = 100;
const MAX_DUE = 5000;

type QueuedEvent = { event: string; data: Record<string, unknown>; at: string };

function insertStatement(ctx: Ctx, { id: webhook_id }: WebhookRow, events: QueuedEvent[]) {
  const now = ctx.now.toISOString();
  const rows = events.map(({ event, data, at }) => [uuid(), event, JSON.stringify(data), at]);
  return ctx.db.run(sql`
    INSERT INTO webhook_deliveries (id, owner, webhook_id, event, data, occurred_at, status, attempts, next_attempt_at,
      created_at)
    SELECT value ->> 0, ${ctx.owner}, ${webhook_id}, value ->> 1, value ->> 2, value ->> 3, 'pending', 0, ${now}, ${now}
    FROM json_each(${JSON.stringify(rows)})`);
}

/** Creates deliveries and advances the webhook past their events, unless that was done in the meantime. */
async function advance(
  ctx: Ctx,
  webhook: WebhookRow,
  { events, isNext, advanced }: { events: QueuedEvent[]; isNext: SQL; advanced: SQL },
): Promise<void> {
  const isOwned = sql`id = ${webhook.id} AND owner = ${ctx.owner}`;
  await catchRefusal(
    sendBatch(ctx, [
      assertInBatch(ctx, sql`EXISTS (SELECT 1 FROM webhooks WHERE ${isOwned} AND ${isNext})`, "stale"),
      ...groupBySize(events, () => 1, PAGE).map((batch) => insertStatement(ctx, webhook, batch)),
      ctx.db.run(sql`UPDATE webhooks SET ${advanced} WHERE ${isOwned}`),
    ]),
    "stale",
  );
}

const countPending = async (ctx: Ctx, { id }: WebhookRow) => {
  const [row] = await ctx.db.all<{ count: number }>(sql`SELECT count(*) AS count FROM (
    SELECT 1 FROM webhook_deliveries INDEXED BY webhook_deliveries_pending_idx
    WHERE webhook_id = ${id} AND status = 'pending' LIMIT ${MAX_PENDING})`);
  return row?.count ?? 0;
};

/** Creates the deliveries of a page of activity. Returns whether there may be more. */
export async function queueActivityEvents(ctx: Ctx, webhook: WebhookRow): Promise<boolean> {
  if ((await countPending(ctx, webhook)) >= MAX_PENDING) return false;
  const entries = await readActivity(ctx, webhook.cursor, PAGE);
  const last = entries.at(-1);
  if (!last) return false;
  const events = entries.flatMap(({ kind, verb, data, at, in_trash }) => {
    const event = in_trash ? undefined : webhookEventFor(kind, verb);
    return event && webhook.events.includes(event) ? [{ event, data, at }] : [];
  });
  await advance(ctx, webhook, {
    events,
    isNext: sql`cursor = ${webhook.cursor}`,
    advanced: sql`cursor = ${last.cursor}`,
  });
  webhook.cursor = last.cursor;
  return entries.length === PAGE;
}

/** The commitments due in a range of days, read in pages because each comes with its content. */
async function readDueCommitments(ctx: Ctx, { from, to }: { from: string; to: string }) {
  const due = [];
  for (let offset = 0; offset < MAX_DUE; offset += PAGE) {
    const page = { limit: PAGE, offset, condition: isDueBetween(from, to) };
    const rows = await activeStatement(ctx, { memory_type: ["commitment"] }, page);
    due.push(...rows.map((row) => pickFields(row, ["id", "topic", "project", "scope", "due_date"])));
    if (rows.length < PAGE) break;
    await yieldToOthers();
  }
  return due;
}

export async function queueDueEvents(ctx: Ctx, webhook: WebhookRow): Promise<void> {
  const { due_day } = webhook;
  const announced = lastAnnouncedDay({ now: ctx.now, timezone: (await ctx.user()).timezone });
  if (announced.due_day <= due_day && announced.due_at === webhook.due_at) return;
  const isNew = announced.due_day > due_day;
  const rows = isNew ? await readDueCommitments(ctx, { from: due_day, to: announced.due_day }) : [];
  const events = rows.flatMap(({ id, topic, project, scope, due_date }) => {
    const event = due_date === announced.due_day ? "commitment.due" : "commitment.overdue";
    const data = { memory_id: id, memory_type: "commitment", topic, project, scope, due_date };
    return webhook.events.includes(event) ? [{ event, data, at: ctx.now.toISOString() }] : [];
  });
  const day = isNew ? announced.due_day : due_day;
  await advance(ctx, webhook, {
    events,
    isNext: sql`due_day = ${due_day}`,
    advanced: sql`due_day = ${day}, due_at = ${announced.due_at}`,
  });
  Object.assign(webhook, { due_day: day, due_at: announced.due_at });
}
