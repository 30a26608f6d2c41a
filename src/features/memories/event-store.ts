import { type SQL, sql } from "drizzle-orm";
import type { LifeCycleStatus } from "../../contract/life-cycle.ts";
import type { MemoryEvent, MemoryEventList, MemoryEventName } from "../../contract/memory-event.ts";
import { DEFERRED_AGAIN, lastActivityNumber, recordActivity } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { memories } from "../../platform/db/tables.ts";
import type { PageRange } from "./filter-store.ts";
import { isAwakeSql, type MemoryWriter, memoryStateJson, NOT_TRASHED, ownedMemory } from "./row-store.ts";

type NewEvent = {
  event: MemoryEventName;
  from_status: LifeCycleStatus | null;
  to_status: LifeCycleStatus;
  note?: string | null | undefined;
  topic: string;
  version: number;
};

/** SQL: the id of a record's next event. Events are numbered per record. */
export const nextEventId = (owner: SQL, memory: SQL) =>
  sql`(SELECT coalesce(max(e.id), 0) + 1 FROM memory_events AS e WHERE e.owner = ${owner} AND e.memory_id = ${memory})`;

/** Records an event and an activity entry, before the change. A trigger (migration 0027) keeps the last 50 states. */
export function eventStatements(
  ctx: Ctx,
  id: SQL,
  { event, from_status, to_status, note, topic, version }: NewEvent,
  writer: MemoryWriter,
) {
  const next = nextEventId(sql`${ctx.owner}`, id);
  const isNew = from_status === null;
  const state = isNew
    ? null
    : sql`(SELECT ${memoryStateJson} FROM memories WHERE owner = ${ctx.owner} AND id = ${id})`;
  return [
    ...recordActivity(
      ctx,
      {
        verb: event === "updated" ? "changed" : event,
        kind: "memory",
        record: sql`CAST(CAST(${id} AS INTEGER) AS TEXT)`,
        title: topic,
        version_before: from_status && version - 1,
        version_after: version,
        has_event: true,
        state: event === "deferred" && from_status === "deferred" ? DEFERRED_AGAIN : null,
      },
      writer,
    ),
    ctx.db.run(sql`
      INSERT INTO memory_events
        (owner, memory_id, id, event, from_status, to_status, note, source_type, client_name, at, state, activity)
      SELECT ${ctx.owner}, ${id}, ${next}, ${event}, ${from_status}, ${to_status}, ${note ?? null},
        ${writer.source_type}, ${writer.client_name ?? null}, ${ctx.now.toISOString()}, ${state}, ${lastActivityNumber(ctx)}`),
  ];
}

/** The events of a record, oldest first, including a waking that is not stored yet. Throws 404. */
export async function listMemoryEvents(ctx: Ctx, id: number, page: PageRange): Promise<MemoryEventList> {
  const owned = sql`owner = ${ctx.owner} AND memory_id = ${id}`;
  const awake = sql`owner = ${ctx.owner} AND id = ${id} AND ${NOT_TRASHED} AND ${isAwakeSql(ctx)}`;
  const [items, [count], [row]] = await ctx.db.batch([
    ctx.db.all<MemoryEvent>(sql`
      SELECT id, memory_id, event, from_status, to_status, note, source_type, client_name, at
      FROM memory_events WHERE ${owned}
      UNION ALL
      SELECT ${nextEventId(sql`memories.owner`, sql`memories.id`)}, id, 'woke', 'deferred', 'active', NULL, NULL, NULL,
        touched_at
      FROM memories WHERE ${awake}
      ORDER BY id LIMIT ${page.limit} OFFSET ${page.offset}`),
    ctx.db.all<{ total: number }>(sql`SELECT (SELECT count(*) FROM memory_events WHERE ${owned})
      + (SELECT count(*) FROM memories WHERE ${awake}) AS total`),
    ctx.db.select({ id: memories.id }).from(memories).where(ownedMemory(ctx, id)),
  ]);
  if (!row) throw notFound();
  return { items, total: count?.total ?? 0 };
}
