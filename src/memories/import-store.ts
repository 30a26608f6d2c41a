import { eq, type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { memories, type memory_events } from "../db/tables.ts";
import { indexStatements, unindexStatement } from "../text-index/store.ts";
import { nextEvent } from "./store.ts";

// Records as an export has them, and the end of all of an account's records.

/** A record of an export; its document is told in SQL. */
export type ImportedMemory = Omit<typeof memories.$inferSelect, "owner" | "document_id">;

/** An event of an export, under the id that its record has here. */
export type ImportedEvent = Omit<typeof memory_events.$inferSelect, "id" | "owner">;

/** Numbers up to this one are kept by an import, and its user's counter goes on behind them. */
const LAST_KEPT_ID = 2 ** 32;
/** Numbers from here on are made by imports, and no counter ever comes so far. */
export const FIRST_IMPORTED_ID = 2 ** 40;

/** Whether a record may keep its number: those in between are left to the counters, so that no import ends them. */
export const keepsNumber = (id: number): boolean => id <= LAST_KEPT_ID || id >= FIRST_IMPORTED_ID;

/** Whether a number is one of those that a counter gives. */
const isCounted = (id: number): boolean => id <= LAST_KEPT_ID;

const COLUMNS = sql`memory_type, topic, content, status, scope, project, tags, due_date, deferred_until, document_id,
  supersedes_id, superseded_by_id, resolved_at, resolution_note, last_confirmed_at, source_type, client_name,
  created_at, updated_at, closed_at, touched_at`;

const valuesOf = (memory: ImportedMemory, document: SQL) => sql`${memory.memory_type}, ${memory.topic},
  ${memory.content}, ${memory.status}, ${memory.scope}, ${memory.project}, ${JSON.stringify(memory.tags)},
  ${memory.due_date}, ${memory.deferred_until}, ${document}, ${memory.supersedes_id}, ${memory.superseded_by_id},
  ${memory.resolved_at}, ${memory.resolution_note}, ${memory.last_confirmed_at}, ${memory.source_type},
  ${memory.client_name}, ${memory.created_at}, ${memory.updated_at}, ${memory.closed_at}, ${memory.touched_at}`;

const indexed = (ctx: Ctx, { id, topic, tags, content }: ImportedMemory) =>
  indexStatements(ctx, { kind: "memory", record: String(id), title: topic, tags, text: content });

/** The statements that make a record as it was exported. Its number is never drawn again. */
export const importMemoryStatements = (ctx: Ctx, memory: ImportedMemory, document: SQL) => [
  ctx.db.run(sql`UPDATE users SET last_memory_id = ${memory.id}
    WHERE number = ${ctx.owner} AND last_memory_id < ${isCounted(memory.id) ? memory.id : 0}`),
  ctx.db.run(sql`INSERT INTO memories (id, owner, version, ${COLUMNS})
    SELECT ${memory.id}, ${ctx.owner}, ${memory.version}, ${valuesOf(memory, document)}`),
  ...indexed(ctx, memory),
];

/** The statements that replace a record of the caller's by an exported one, with an event that says so. */
export const overwriteMemoryStatements = (ctx: Ctx, memory: ImportedMemory, document: SQL) => [
  ctx.db.run(sql`
    INSERT INTO memory_events (owner, memory_id, id, event, from_status, to_status, source_type, at)
    SELECT owner, id, ${nextEvent(sql`memories.owner`, sql`memories.id`)}, 'updated', status, ${memory.status}, 'import', ${ctx.now.toISOString()}
    FROM memories WHERE id = ${memory.id} AND owner = ${ctx.owner}`),
  ctx.db.run(sql`UPDATE memories SET version = version + 1, (${COLUMNS}) = (SELECT ${valuesOf(memory, document)})
    WHERE id = ${memory.id} AND owner = ${ctx.owner}`),
  ...indexed(ctx, memory),
];

/** The statement that adds an event to a record that was made by the same import. */
export const importEventStatement = (ctx: Ctx, entry: ImportedEvent) =>
  ctx.db.run(sql`
    INSERT INTO memory_events (owner, memory_id, id, event, from_status, to_status, note, source_type, client_name, at)
    SELECT owner, id, ${nextEvent(sql`memories.owner`, sql`memories.id`)}, ${entry.event}, ${entry.from_status},
      ${entry.to_status}, ${entry.note}, ${entry.source_type}, ${entry.client_name}, ${entry.at}
    FROM memories WHERE id = ${entry.memory_id} AND owner = ${ctx.owner}`);

/** The statement that ends links of the caller's records to records that are not there: those of a file may have been. */
export const endLostLinksStatement = (ctx: Ctx) => {
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

/** How many records one step of an account's erasure takes. */
const ERASED_AT_ONCE = 50;

/** Erases some of the caller's records with all that hangs on them; says whether there were any. */
export async function eraseSomeMemories(ctx: Ctx): Promise<boolean> {
  const rows = await ctx.db
    .select({ id: memories.id })
    .from(memories)
    .where(eq(memories.owner, ctx.owner))
    .limit(ERASED_AT_ONCE);
  const [first, ...others] = rows.map(({ id }) => [
    unindexStatement(ctx, { kind: "memory", record: String(id) }, sql`true`),
    ctx.db.run(sql`DELETE FROM memory_events WHERE owner = ${ctx.owner} AND memory_id = ${id}`),
    ctx.db.run(sql`DELETE FROM memories WHERE owner = ${ctx.owner} AND id = ${id}`),
  ]);
  if (!first) return false;
  await ctx.db.batch([ctx.db.run(sql`SELECT 1`), ...first, ...others.flat()]);
  return true;
}
