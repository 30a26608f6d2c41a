import { type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import { pickFields } from "../../contract/field-spec.ts";
import type { Memory } from "../../contract/memory.ts";
import { nextReminder } from "../../contract/next-reminder.ts";
import { omit } from "../../contract/omit.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { memories } from "../../platform/db/tables.ts";
import { currentColumns, NOT_TRASHED } from "../memories/row-store.ts";

// Reminders of records. `remind_at` is the next one of each record and advances once it has been delivered.

/** When an account's next reminder is due, in SQL; NULL for never. */
export const nextReminderAt = (owner: SQL): SQL =>
  sql`(SELECT min(remind_at) FROM memories INDEXED BY memories_remind_idx
    WHERE memories.owner = ${owner} AND remind_at IS NOT NULL)`;

export const ownersWithDueReminders = ({ now }: BaseCtx): SQL =>
  sql`SELECT owner FROM memories INDEXED BY memories_remind_at_idx WHERE remind_at <= ${now.toISOString()}`;

const BATCH_SIZE = 200;

const REMINDER_FIELDS = [
  ...(["id", "memory_type", "topic", "project", "scope", "due_date", "due_time"] as const),
  ...(["remind", "remind_until_done"] as const),
];
export type DueReminder = Pick<Memory, (typeof REMINDER_FIELDS)[number]> & { remind_at: string };

/** The due reminders of an account, oldest first, and the sign-in epoch for their tokens. */
export async function findDueReminders(ctx: Ctx): Promise<{ found: DueReminder[]; epoch: number }> {
  const columns = pickFields(currentColumns(ctx), REMINDER_FIELDS);
  const [found, [user]] = await ctx.db.batch([
    ctx.db
      .select({ ...columns, remind_at: sql<string>`${memories.remind_at}` })
      .from(memories)
      .where(sql`owner = ${ctx.owner} AND remind_at <= ${ctx.now.toISOString()} AND ${NOT_TRASHED}`)
      .orderBy(memories.remind_at)
      .limit(BATCH_SIZE),
    ctx.db.all<{ epoch: number }>(sql`SELECT sign_in_epoch AS epoch FROM users WHERE number = ${ctx.owner}`),
  ]);
  return { found, epoch: user?.epoch ?? 0 };
}

const EVENT = "commitment.reminder";

/**
 * Queues webhook messages about reminders that have not been advanced in the meantime. Each gets its own id: the time part
 * of a UUIDv7 with random bits from the database, because only the database knows the number of webhooks.
 */
const queueMessagesStatement = (ctx: Ctx, reminders: readonly DueReminder[]) => {
  const now = ctx.now.toISOString();
  const rows = reminders.map((reminder) => {
    const { id, ...fields } = omit(reminder, "remind", "remind_until_done");
    const data = JSON.stringify({ memory_id: id, ...fields });
    return { id: uuid(), memory_id: id, remind_at: fields.remind_at, data };
  });
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

/** Advances reminders to the next of their records and queues webhook messages, unless they have changed meanwhile. */
export async function advanceReminders(
  ctx: Ctx,
  reminders: readonly DueReminder[],
  notified: readonly DueReminder[],
): Promise<void> {
  const { timezone: zone } = await ctx.user();
  const after = ctx.now.toISOString();
  const rows = reminders.map((reminder) => ({
    id: reminder.id,
    was: reminder.remind_at,
    next: nextReminder(reminder, { zone, after }),
  }));
  await ctx.db.batch([
    queueMessagesStatement(ctx, notified),
    // Without MATERIALIZED, the list would be parsed again for each record of the account.
    ctx.db.run(sql`
      WITH delivered AS MATERIALIZED (SELECT value ->> 'id' AS id, value ->> 'was' AS was, value ->> 'next' AS next
        FROM json_each(${JSON.stringify(rows)}))
      UPDATE memories SET remind_at = delivered.next FROM delivered
      WHERE memories.owner = ${ctx.owner} AND memories.id = delivered.id AND memories.remind_at = delivered.was`),
  ]);
}
