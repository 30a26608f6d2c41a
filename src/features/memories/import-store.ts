import { eq, type SQL, sql } from "drizzle-orm";
import { startOfDay } from "../../contract/days.ts";
import type { MemoryState } from "../../contract/memory.ts";
import type { NextValues } from "../../contract/memory-fields.ts";
import { unindexStatement } from "../../engine/index.ts";
import { lastActivityNumber, recordActivity } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { memories, type memory_events } from "../../platform/db/tables.ts";
import { nextEventId } from "./event-store.ts";
import { REMINDER_DEPENDENCIES } from "./remind-at.ts";
import { isOpen } from "./repetition.ts";
import { memoryStateJson, ownedMemoryOrTrashed } from "./row-store.ts";
import { indexMemoryStatements } from "./store.ts";

type ImportedMemory = Omit<typeof memories.$inferSelect, "owner" | "document_id" | "activity">;

type ImportedEvent = Omit<typeof memory_events.$inferSelect, "id" | "owner" | "activity">;

/** The caller's records with the given ids: whether they are in the trash, and the bytes of their states. */
export async function existingMemories(ctx: Ctx, ids: number[]) {
  const rows = await ctx.db.all<{ id: number; owner: number; is_trashed: number; bytes: number }>(sql`
    SELECT id, owner, trashed_at IS NOT NULL AS is_trashed, octet_length(${memoryStateJson}) AS bytes FROM memories
    WHERE owner = ${ctx.owner} AND id IN ${sqlList(ids)}`);
  return new Map<string | number, (typeof rows)[number]>(rows.map((row) => [row.id, row]));
}

/** Makes a deferred record wake when its day begins in its new owner's time zone. */
export const withWakeTime = <Line extends Pick<ImportedMemory, "status" | "deferred_until" | "touched_at">>(
  line: Line,
  timezone: string,
): Line =>
  line.status === "deferred" && line.deferred_until !== null
    ? { ...line, touched_at: startOfDay(line.deferred_until, timezone) }
    : line;

/** A record in the trash has no search entry. */
const entryStatements = (ctx: Ctx, memory: ImportedMemory) =>
  memory.trashed_at === null
    ? indexMemoryStatements(ctx, String(memory.id), { ...memory, document_id: null })
    : [unindexStatement(ctx, { kind: "memory", record: String(memory.id) })];

/** SQL: the document of a record, and that of the next record of its series. */
export type LinkedDocuments = { document: SQL; nextDocument: SQL };

/** SQL: the values of the next record as JSON, with the id that their document has in this account. */
const nextValuesJson = (values: NextValues | null, nextDocument: SQL) =>
  values?.document_id !== undefined
    ? sql`json_set(${JSON.stringify(values)}, '$.document_id', ${nextDocument})`
    : sql`${values && JSON.stringify(values)}`;

/** SQL: the series fields of an imported record; NULL while another record of the series is open. */
function inSeries(ctx: Ctx, { id, status, trashed_at, series_id, ...memory }: ImportedMemory, next: SQL) {
  const next_values = nextValuesJson(memory.next_values, next) as SQL<NextValues | null>;
  if (series_id === null || trashed_at !== null || !isOpen({ status })) return { next_values };
  const siblings = sql`SELECT 1 FROM memories AS other INDEXED BY memories_series_idx
    WHERE other.owner = ${ctx.owner} AND other.series_id = ${series_id} AND other.series_id IS NOT NULL
      AND other.id <> ${id} AND other.status IN ('active', 'deferred') AND other.trashed_at IS NULL`;
  const unless = <Value>(value: Value | SQL<Value>) =>
    sql`iif(EXISTS (${siblings}), NULL, ${value})` as SQL<Value>;
  const { repeat, repeat_from, repeat_start } = memory;
  return {
    series_id: unless<number | null>(series_id),
    repeat: unless(repeat),
    repeat_from: unless(repeat_from),
    repeat_start: unless(repeat_start),
    next_values: unless(next_values),
  };
}

/** SQL: the next reminder after an import. A due one stays due unless the import changes a field that it depends on. */
function keptReminder(imported: ImportedMemory) {
  const isSame = REMINDER_DEPENDENCIES.map(
    (name) => sql`${memories[name]} IS ${sql.param(imported[name], memories[name])}`,
  );
  return sql<string | null>`iif(${sql.join(isSame, sql` AND `)}, remind_at, ${imported.remind_at})`;
}

const IMPORT = { source_type: "import" } as const;

export const importMemoryStatements = (
  ctx: Ctx,
  memory: ImportedMemory,
  { document, nextDocument }: LinkedDocuments,
) => [
  ...recordActivity(
    ctx,
    {
      verb: "created",
      kind: "memory",
      record: String(memory.id),
      title: memory.topic,
      version_after: memory.version,
    },
    IMPORT,
  ),
  ctx.db.insert(memories).values({
    ...memory,
    ...inSeries(ctx, memory, nextDocument),
    owner: ctx.owner,
    document_id: document as SQL<string | null>,
    activity: lastActivityNumber(ctx),
  }),
  ...entryStatements(ctx, memory),
];

/** Overwrites one of the caller's records with an exported one, including its trashed state, and adds an event. */
export function overwriteMemoryStatements(
  ctx: Ctx,
  imported: ImportedMemory,
  { document, nextDocument }: LinkedDocuments,
) {
  const { id, ...memory } = imported;
  const version = sql<number>`version + 1`;
  const verb =
    memory.trashed_at === null
      ? sql`iif(trashed_at IS NULL, 'changed', 'restored')`
      : sql`iif(trashed_at IS NULL, 'deleted', 'changed')`;
  return [
    ...recordActivity(
      ctx,
      {
        verb,
        kind: "memory",
        record: String(id),
        title: memory.topic,
        version_before: sql`version`,
        version_after: version,
        has_event: true,
        from: sql`FROM memories WHERE ${ownedMemoryOrTrashed(ctx, id)}`,
      },
      IMPORT,
    ),
    ctx.db.run(sql`
      INSERT INTO memory_events (owner, memory_id, id, event, from_status, to_status, source_type, at, state, activity)
      SELECT owner, id, ${nextEventId(sql`memories.owner`, sql`memories.id`)}, 'updated', status, ${memory.status},
        'import', ${ctx.now.toISOString()}, ${memoryStateJson}, ${lastActivityNumber(ctx)}
      FROM memories WHERE ${ownedMemoryOrTrashed(ctx, id)}`),
    ctx.db
      .update(memories)
      .set({
        ...memory,
        ...inSeries(ctx, imported, nextDocument),
        remind_at: keptReminder(imported),
        version,
        document_id: document as SQL<string | null>,
      })
      .where(ownedMemoryOrTrashed(ctx, id)),
    ...entryStatements(ctx, imported),
  ];
}

const eventStateSql = (state: Partial<MemoryState> | null, { document, nextDocument }: LinkedDocuments) => {
  const json = sql`json_set(${state && JSON.stringify(state)}, '$.document_id', ${document})`;
  return state?.next_values?.document_id !== undefined
    ? sql`json_set(${json}, '$.next_values.document_id', ${nextDocument})`
    : json;
};

export const importEventStatement = (
  ctx: Ctx,
  { state, ...entry }: ImportedEvent,
  documents: LinkedDocuments,
) =>
  ctx.db.run(sql`
    INSERT INTO memory_events
      (owner, memory_id, id, event, from_status, to_status, note, source_type, client_name, at, state)
    SELECT owner, id, ${nextEventId(sql`memories.owner`, sql`memories.id`)}, ${entry.event}, ${entry.from_status},
      ${entry.to_status}, ${entry.note}, ${entry.source_type}, ${entry.client_name}, ${entry.at},
      ${eventStateSql(state, documents)}
    FROM memories WHERE id = ${entry.memory_id} AND owner = ${ctx.owner}`);

/** Clears links to records that do not exist, which an imported file can contain. */
export const clearBrokenLinksStatement = (ctx: Ctx) => {
  const isThere = (column: SQL) =>
    sql`EXISTS (SELECT 1 FROM memories AS other WHERE other.owner = memories.owner AND other.id = ${column})`;
  const [older, newer] = [sql`memories.supersedes_id`, sql`memories.superseded_by_id`];
  return ctx.db.run(sql`UPDATE memories SET
      supersedes_id = iif(${isThere(older)}, supersedes_id, NULL),
      superseded_by_id = iif(${isThere(newer)}, superseded_by_id, NULL)
    WHERE owner = ${ctx.owner}
      AND (supersedes_id IS NOT NULL AND NOT ${isThere(older)}
        OR superseded_by_id IS NOT NULL AND NOT ${isThere(newer)})`);
};

const ERASED_PER_STEP = 50;

/** Erases some of the caller's records with their events and search entries. Returns false if there are none. */
export async function eraseSomeMemories(ctx: Ctx): Promise<boolean> {
  const rows = await ctx.db
    .select({ id: memories.id })
    .from(memories)
    .where(eq(memories.owner, ctx.owner))
    .limit(ERASED_PER_STEP);
  const statements = rows.flatMap(({ id }) => [
    unindexStatement(ctx, { kind: "memory", record: String(id) }),
    ctx.db.run(sql`DELETE FROM memories WHERE owner = ${ctx.owner} AND id = ${id}`),
  ]);
  if (rows.length > 0) await ctx.db.batch(statements);
  return rows.length > 0;
}
