import { type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import { eventOf } from "../../contract/webhook-events.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { assertInBatch, send, unless } from "../../platform/db/call.ts";
import { yieldToOthers } from "../../platform/turns/yield.ts";
import { activeStatement, isBetween } from "../memories/active-store.ts";
import { readActivity } from "./activity-store.ts";
import { announcedBy } from "./due.ts";
import { MOST_WAITING, type Webhook } from "./sending-store.ts";

// An event becomes a row in the transaction that moves the webhook past it, so it is neither lost nor created twice.

const PAGE = 100;
const MOST_DUE = 5000;

type Happened = { event: string; data: Record<string, unknown>; at: string };

function insertStatement(ctx: Ctx, { id: webhook_id }: Webhook, happened: Happened[]) {
  const now = ctx.now.toISOString();
  const rows = happened.map(({ event, data, at }) => [uuid(), event, JSON.stringify(data), at]);
  return ctx.db.run(sql`
    INSERT INTO webhook_deliveries (id, owner, webhook_id, event, data, occurred_at, status, attempts, next_attempt_at,
      created_at)
    SELECT value ->> 0, ${ctx.owner}, ${webhook_id}, value ->> 1, value ->> 2, value ->> 3, 'pending', 0, ${now}, ${now}
    FROM json_each(${JSON.stringify(rows)})`);
}

const slicesOf = (happened: Happened[]) =>
  Array.from({ length: Math.ceil(happened.length / PAGE) }, (_, index) =>
    happened.slice(index * PAGE, (index + 1) * PAGE),
  );

/** Creates deliveries and moves the webhook past them, unless that has been done in the meantime. */
async function advance(
  ctx: Ctx,
  webhook: Webhook,
  { happened, isNext, moved }: { happened: Happened[]; isNext: SQL; moved: SQL },
): Promise<void> {
  const own = sql`id = ${webhook.id} AND owner = ${ctx.owner}`;
  await unless(
    send(ctx, [
      assertInBatch(ctx, sql`EXISTS (SELECT 1 FROM webhooks WHERE ${own} AND ${isNext})`, "stale"),
      ...slicesOf(happened).map((some) => insertStatement(ctx, webhook, some)),
      ctx.db.run(sql`UPDATE webhooks SET ${moved} WHERE ${own}`),
    ]),
    "stale",
  );
}

const countWaiting = async (ctx: Ctx, { id }: Webhook) => {
  const [row] = await ctx.db.all<{ count: number }>(sql`SELECT count(*) AS count FROM (
    SELECT 1 FROM webhook_deliveries INDEXED BY webhook_deliveries_pending_idx
    WHERE webhook_id = ${id} AND status = 'pending' LIMIT ${MOST_WAITING})`);
  return row?.count ?? 0;
};

/** Creates the deliveries of what has happened, a page at most. Returns whether there may be more to do at once. */
export async function queueActivity(ctx: Ctx, webhook: Webhook): Promise<boolean> {
  if ((await countWaiting(ctx, webhook)) >= MOST_WAITING) return false;
  const entries = await readActivity(ctx, webhook.cursor, PAGE);
  const last = entries.at(-1);
  if (!last) return false;
  const happened = entries.flatMap(({ kind, verb, data, at, in_trash }) => {
    const event = in_trash ? undefined : eventOf(kind, verb);
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

/** The commitments that are due in a range of days, a page at a time: each is read with its content. */
async function readDue(ctx: Ctx, { from, to }: { from: string; to: string }) {
  const due = [];
  for (let offset = 0; offset < MOST_DUE; offset += PAGE) {
    const page = { limit: PAGE, offset, condition: isBetween(from, to) };
    const rows = await activeStatement(ctx, { memory_type: ["commitment"] }, page);
    for (const { id, topic, project, scope, due_date } of rows)
      due.push({ id, topic, project, scope, due_date });
    if (rows.length < PAGE) break;
    await yieldToOthers();
  }
  return due;
}

export async function queueDue(ctx: Ctx, webhook: Webhook): Promise<void> {
  const { due_day } = webhook;
  const reached = announcedBy({ now: ctx.now, timezone: (await ctx.user()).timezone });
  if (reached.due_day <= due_day && reached.due_at === webhook.due_at) return;
  const isNew = reached.due_day > due_day;
  const rows = isNew ? await readDue(ctx, { from: due_day, to: reached.due_day }) : [];
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
