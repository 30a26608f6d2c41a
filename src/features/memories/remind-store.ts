import { type SQL, sql } from "drizzle-orm";
import { pickFields } from "../../contract/field-spec.ts";
import { reminderInNewZone } from "../../contract/next-reminder.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { groupBySize } from "../../platform/core/group-by-size.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { assertInBatch } from "../../platform/db/call.ts";
import { memories } from "../../platform/db/tables.ts";
import { REMINDER_DEPENDENCIES } from "./remind-at.ts";
import { currentColumns } from "./row-store.ts";

// `remind_at` of a record is the next reminder that has not been sent.

/** D1 parameters have at most 2 MB. */
const RECORDS_PER_STATEMENT = 500;

/** Moves future reminders to another time zone. Fails as stale if reminders have changed in the meantime. */
export async function moveRemindAtStatements(
  ctx: Ctx,
  { from, to }: { from: string; to: string },
): Promise<BatchItem[]> {
  const now = ctx.now.toISOString();
  const isFuture = sql`memories.owner = ${ctx.owner} AND remind_at > ${now}`;
  const columns = pickFields(currentColumns(ctx), ["id", ...REMINDER_DEPENDENCIES]);
  const rows = await ctx.db
    .select({ ...columns, remind_at: sql<string>`${memories.remind_at}` })
    .from(memories)
    .where(isFuture);
  if (rows.length === 0) return [];
  const moves = rows.map(
    (row) => [row.id, row.remind_at, reminderInNewZone(to, row, { from, now })] as const,
  );
  const parts = groupBySize(moves, () => 1, RECORDS_PER_STATEMENT);
  // Without MATERIALIZED, all rows are read again for each record of the account.
  const movedCte = (part: typeof moves) =>
    sql`moved AS MATERIALIZED (SELECT value ->> 0 AS id, value ->> 1 AS was, value ->> 2 AS next
      FROM json_each(${JSON.stringify(part)}))`;
  const isMoved = sql`memories.owner = ${ctx.owner} AND memories.id = moved.id AND memories.remind_at = moved.was`;
  const assertCount = (counting: SQL, count: number) =>
    assertInBatch(ctx, sql`(${counting}) = ${count}`, "stale");
  return [
    assertCount(
      sql`SELECT count(*) FROM memories INDEXED BY memories_remind_idx WHERE ${isFuture}`,
      moves.length,
    ),
    ...parts.map((part) =>
      assertCount(
        sql`WITH ${movedCte(part)} SELECT count(*) FROM moved CROSS JOIN memories ON ${isMoved}`,
        part.length,
      ),
    ),
    ...parts.map((part) =>
      ctx.db.run(
        sql`WITH ${movedCte(part)} UPDATE memories SET remind_at = moved.next FROM moved WHERE ${isMoved}`,
      ),
    ),
  ];
}
