import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { notFound } from "../core/errors.ts";
import { memories } from "../db/tables.ts";
import type { EventName, MemoryEvent, MemoryEventList } from "./event-schema.ts";
import type { Status } from "./life-cycle.ts";
import { isAwake, own, type Writer } from "./row-store.ts";

type Event = {
  event: EventName;
  from_status: Status | null;
  to_status: Status;
  note?: string | null | undefined;
};

/** The number of a record's next event, in SQL. Events are numbered per record. */
export const nextEvent = (owner: SQL, memory: SQL) =>
  sql`(SELECT coalesce(max(e.id), 0) + 1 FROM memory_events AS e WHERE e.owner = ${owner} AND e.memory_id = ${memory})`;

/** The statement that records what happened to one of the caller's records. */
export const eventStatement = (
  ctx: Ctx,
  id: SQL,
  { event, from_status, to_status, note }: Event,
  writer: Writer,
) =>
  ctx.db.run(sql`
    INSERT INTO memory_events (owner, memory_id, id, event, from_status, to_status, note, source_type, client_name, at)
    SELECT ${ctx.owner}, ${id}, ${nextEvent(sql`${ctx.owner}`, id)}, ${event}, ${from_status}, ${to_status},
      ${note ?? null}, ${writer.source_type}, ${writer.client_name ?? null}, ${ctx.now.toISOString()}`);

/**
 * The note of a record's last step, in SQL: what was said when it was last closed or deferred. A reopening ends that.
 *
 * @param of the alias of the records
 */
export const lastNote = (of = "memories") =>
  sql<string | null>`${sql.raw(`(SELECT e.note FROM memory_events AS e
    WHERE e.owner = ${of}.owner AND e.memory_id = ${of}.id
      AND e.event IN ('resolved', 'deferred', 'archived', 'superseded', 'reopened')
    ORDER BY e.id DESC LIMIT 1)`)}`;

/** The events of a record, oldest first, with a waking that is not stored yet. Throws 404. */
export async function listMemoryEvents(
  ctx: Ctx,
  id: number,
  page: { limit: number; offset: number },
): Promise<MemoryEventList> {
  const mine = sql`owner = ${ctx.owner} AND memory_id = ${id}`;
  const awake = sql`owner = ${ctx.owner} AND id = ${id} AND ${isAwake(ctx)}`;
  const [items, [count], [row]] = await ctx.db.batch([
    ctx.db.all<MemoryEvent>(sql`
      SELECT id, memory_id, event, from_status, to_status, note, source_type, client_name, at
      FROM memory_events WHERE ${mine}
      UNION ALL
      SELECT ${nextEvent(sql`memories.owner`, sql`memories.id`)}, id, 'woke', 'deferred', 'active', NULL, NULL, NULL,
        touched_at
      FROM memories WHERE ${awake}
      ORDER BY id LIMIT ${page.limit} OFFSET ${page.offset}`),
    ctx.db.all<{ total: number }>(sql`SELECT (SELECT count(*) FROM memory_events WHERE ${mine})
      + (SELECT count(*) FROM memories WHERE ${awake}) AS total`),
    ctx.db.select({ id: memories.id }).from(memories).where(own(ctx, id)),
  ]);
  if (!row) throw notFound();
  return { items, total: count?.total ?? 0 };
}
