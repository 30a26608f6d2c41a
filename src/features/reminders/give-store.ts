import { type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { Memory } from "../../contract/memory.ts";
import { nextReminder } from "../../contract/next-reminder.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { memories } from "../../platform/db/tables.ts";
import { columns, NOT_TRASHED } from "../memories/row-store.ts";

// Reminders of records: `remind_at` is the next one of each. It moves on when that has been given.

/** When an account has a reminder to give next, in SQL; NULL for never. */
export const reminderMoment = (owner: SQL): SQL =>
  sql`(SELECT min(remind_at) FROM memories INDEXED BY memories_remind_idx
    WHERE memories.owner = ${owner} AND remind_at IS NOT NULL)`;

/** The accounts with a reminder whose time has come, in SQL. */
export const ownersToRemind = ({ now }: BaseCtx): SQL =>
  sql`SELECT owner FROM memories INDEXED BY memories_remind_at_idx WHERE remind_at <= ${now.toISOString()}`;

const AT_ONCE = 200;

export type Reminder = Pick<
  Memory,
  | ("id" | "memory_type" | "topic" | "project" | "scope" | "due_date" | "due_time")
  | ("remind" | "remind_until_done")
> & { remind_at: string };

/** The reminders of an account whose time has come, the oldest first, and the epoch that its tokens carry. */
export async function findReminders(ctx: Ctx): Promise<{ found: Reminder[]; epoch: number }> {
  const { id, memory_type, topic, project, scope, due_date, due_time } = columns(ctx);
  const { remind, remind_until_done, remind_at } = columns(ctx);
  const [found, [user]] = await ctx.db.batch([
    ctx.db
      .select({
        ...{ id, memory_type, topic, project, scope, due_date, due_time, remind, remind_until_done },
        remind_at: sql<string>`${remind_at}`,
      })
      .from(memories)
      .where(sql`owner = ${ctx.owner} AND remind_at <= ${ctx.now.toISOString()} AND ${NOT_TRASHED}`)
      .orderBy(memories.remind_at)
      .limit(AT_ONCE),
    ctx.db.all<{ epoch: number }>(sql`SELECT sign_in_epoch AS epoch FROM users WHERE number = ${ctx.owner}`),
  ]);
  return { found, epoch: user?.epoch ?? 0 };
}

const EVENT = "commitment.reminder";

/**
 * The messages to webhooks about reminders, unless those have been moved on in the meantime. Each has an id of its own: the
 * time of a UUID of version 7, with random bits from the database, because it alone knows how many webhooks there are.
 */
const deliveryStatement = (ctx: Ctx, given: readonly Reminder[]) => {
  const now = ctx.now.toISOString();
  const rows = given.map(({ remind: _, remind_until_done: __, id, ...said }) => ({
    id: uuid(),
    memory_id: id,
    remind_at: said.remind_at,
    data: JSON.stringify({ memory_id: id, ...said }),
  }));
  return ctx.db.run(sql`
    INSERT INTO webhook_deliveries (id, owner, webhook_id, event, data, occurred_at, status, attempts, next_attempt_at,
      created_at)
    SELECT substr(value ->> 'id', 1, 20) || substr(lower(hex(randomblob(2))), 2) || '-' || lower(hex(randomblob(6))),
      w.owner, w.id, ${EVENT}, value ->> 'data', ${now}, 'pending', 0, ${now}, ${now}
    FROM json_each(${JSON.stringify(rows)}) AS given CROSS JOIN webhooks AS w INDEXED BY webhooks_active_idx
      ON w.owner = ${ctx.owner} AND w.status = 'active'
    WHERE EXISTS (SELECT 1 FROM json_each(w.events) AS e WHERE e.value = ${EVENT})
      AND EXISTS (SELECT 1 FROM memories WHERE memories.owner = ${ctx.owner}
        AND memories.id = given.value ->> 'memory_id' AND memories.remind_at = given.value ->> 'remind_at')`);
};

/**
 * Moves reminders that have been given on to the next of their records, in the transaction that queues their messages to
 * webhooks. One that has changed in the meantime stays as it is.
 */
export async function moveOn(
  ctx: Ctx,
  reminders: readonly Reminder[],
  told: readonly Reminder[],
): Promise<void> {
  const { timezone: zone } = await ctx.user();
  const after = ctx.now.toISOString();
  const rows = reminders.map((reminder) => ({
    id: reminder.id,
    was: reminder.remind_at,
    next: nextReminder(reminder, { zone, after }),
  }));
  await ctx.db.batch([
    deliveryStatement(ctx, told),
    // Without MATERIALIZED, all rows are read again for each record of the account.
    ctx.db.run(sql`
      WITH given AS MATERIALIZED (SELECT value ->> 'id' AS id, value ->> 'was' AS was, value ->> 'next' AS next
        FROM json_each(${JSON.stringify(rows)}))
      UPDATE memories SET remind_at = given.next FROM given
      WHERE memories.owner = ${ctx.owner} AND memories.id = given.id AND memories.remind_at = given.was`),
  ]);
}
