import { type SQL, sql } from "drizzle-orm";
import { startOfDay } from "../../contract/days.ts";
import { hasWakeDaySql } from "../../contract/life-cycle.ts";
import {
  type BulkActivityEntry,
  numberedEntries,
  recordServiceActivity,
} from "../../platform/activity/store.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { assertInBatch, sendBatch } from "../../platform/db/call.ts";
import { notFenced } from "../../platform/db/fence.ts";
import { nextEventId } from "./event-store.ts";
import { isAwakeSql, memoryStateJson, NOT_TRASHED } from "./row-store.ts";

// Queries treat a deferred record as active from its day on (`isAwakeSql`). These statements store the change.

const WOKEN_PER_RUN = 1000;

/** The statements that store wakings, each with an event dated to when the record woke. */
export const wakeStatements = (ctx: BaseCtx, which: SQL) => {
  const due = sql`${isAwakeSql(ctx)} AND ${NOT_TRASHED} AND ${which}`;
  const owner = sql`memories.owner`;
  const entry: BulkActivityEntry = {
    verb: "woke",
    kind: "memory",
    record: sql`CAST(id AS TEXT)`,
    title: sql`topic`,
    has_event: true,
    version_before: sql`version`,
    version_after: sql`version + 1`,
    from: sql`FROM memories WHERE ${due}`,
  };
  return [
    recordServiceActivity(ctx, owner, entry),
    ctx.db.run(sql`
      INSERT INTO memory_events (owner, memory_id, id, event, from_status, to_status, at, state, activity)
      SELECT owner, id, ${nextEventId(owner, sql`memories.id`)}, 'woke', 'deferred', 'active', touched_at,
        ${memoryStateJson}, entry.number
      FROM (${numberedEntries(owner, entry)}) AS entry CROSS JOIN memories
        ON memories.owner = entry.of_owner AND memories.id = entry.record`),
    ctx.db.run(sql`
      UPDATE memories SET status = 'active', closed_at = NULL, deferred_until = NULL, version = version + 1
      WHERE ${due}`),
  ] as const;
};

/** SQL: there are records whose waking is not stored yet. */
export const hasUnstoredWakings = (ctx: BaseCtx): SQL =>
  sql`EXISTS (SELECT 1 FROM memories INDEXED BY memories_wake_idx WHERE ${isAwakeSql(ctx)} AND ${NOT_TRASHED})`;

/** Stores wakings, a bounded number per run. For the cron handler. */
export const wakeMemories = (ctx: BaseCtx): Promise<void> =>
  sendBatch(ctx, [
    ...wakeStatements(
      ctx,
      sql`(owner, id) IN (SELECT owner, id FROM memories INDEXED BY memories_wake_idx
        WHERE ${isAwakeSql(ctx)} AND ${NOT_TRASHED} AND ${notFenced("memories.owner")} ORDER BY touched_at LIMIT ${WOKEN_PER_RUN})`,
    ),
  ]);

const IS_DEFERRED_UNTIL_DAY = sql.raw(hasWakeDaySql());

/** Moves wake-up times to another time zone; woken records stay active. Fails as stale if a record was deferred meanwhile. */
export async function moveToZoneStatements(ctx: Ctx, timezone: string): Promise<BatchItem[]> {
  const owned = sql`owner = ${ctx.owner} AND ${IS_DEFERRED_UNTIL_DAY}`;
  const days = await ctx.db.all<{ day: string }>(
    sql`SELECT DISTINCT deferred_until AS day FROM memories WHERE ${owned}`,
  );
  const starts = JSON.stringify(Object.fromEntries(days.map(({ day }) => [day, startOfDay(day, timezone)])));
  const start = sql`(SELECT value FROM json_each(${starts}) WHERE key = deferred_until)`;
  return [
    assertInBatch(ctx, sql`NOT EXISTS (SELECT 1 FROM memories WHERE ${owned} AND ${start} IS NULL)`, "stale"),
    ...wakeStatements(ctx, sql`owner = ${ctx.owner}`),
    ctx.db.run(sql`UPDATE memories SET touched_at = ${start} WHERE ${owned}`),
  ];
}
