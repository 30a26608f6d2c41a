import { eq, type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { memories, type memory_events } from "../db/tables.ts";
import { indexStatements, unindexStatement } from "../text-index/store.ts";

// Records as an export has them, and the end of all of an account's records.

/** A record of an export; its document is told in SQL. */
export type ImportedMemory = Omit<typeof memories.$inferSelect, "owner" | "document_id">;

/** An event of an export, under the id that its record has here. */
export type ImportedEvent = Omit<typeof memory_events.$inferSelect, "id" | "owner">;

/** Ids from here on are made by an import where a record's own was taken; no other is drawn from them. */
export const FIRST_REMAPPED_ID = 2 ** 40;

const COLUMNS = sql`memory_type, topic, content, status, scope, project, tags, due_date, deferred_until, document_id,
  supersedes_id, superseded_by_id, resolved_at, resolution_note, last_confirmed_at, source_type, client_name,
  created_at, updated_at, closed_at, touched_at`;

const valuesOf = (memory: ImportedMemory, document: SQL) => sql`${memory.memory_type}, ${memory.topic},
  ${memory.content}, ${memory.status}, ${memory.scope}, ${memory.project}, ${JSON.stringify(memory.tags)},
  ${memory.due_date}, ${memory.deferred_until}, ${document}, ${memory.supersedes_id}, ${memory.superseded_by_id},
  ${memory.resolved_at}, ${memory.resolution_note}, ${memory.last_confirmed_at}, ${memory.source_type},
  ${memory.client_name}, ${memory.created_at}, ${memory.updated_at}, ${memory.closed_at}, ${memory.touched_at}`;

const indexed = (ctx: Ctx, { id, topic, tags, content }: ImportedMemory, when: SQL) =>
  indexStatements(ctx, { kind: "memory", record: String(id), title: topic, tags, text: content }, when);

/** The statements that make a record as it was exported, where `when` holds. Its id is never drawn again. */
export const importMemoryStatements = (ctx: Ctx, memory: ImportedMemory, document: SQL, when: SQL) => [
  ctx.db.run(sql`UPDATE memory_ids SET next = max(next, ${memory.id < FIRST_REMAPPED_ID ? memory.id + 1 : 0})
    WHERE ${when}`),
  ctx.db.run(sql`INSERT INTO memories (id, owner, version, ${COLUMNS})
    SELECT ${memory.id}, ${ctx.user.number}, ${memory.version}, ${valuesOf(memory, document)} WHERE ${when}`),
  ...indexed(ctx, memory, when),
];

/** The statements that replace a record of the caller's by an exported one, with an event that says so. */
export const overwriteMemoryStatements = (ctx: Ctx, memory: ImportedMemory, document: SQL, when: SQL) => [
  ctx.db.run(sql`
    INSERT INTO memory_events (owner, memory_id, event, from_status, to_status, source_type, at)
    SELECT owner, id, 'updated', status, ${memory.status}, 'import', ${ctx.now.toISOString()}
    FROM memories WHERE id = ${memory.id} AND owner = ${ctx.user.number} AND ${when}`),
  ctx.db.run(sql`UPDATE memories SET version = version + 1, (${COLUMNS}) = (SELECT ${valuesOf(memory, document)})
    WHERE id = ${memory.id} AND owner = ${ctx.user.number} AND ${when}`),
  ...indexed(ctx, memory, when),
];

/** The statement that adds an event to a record that was made by the same import, where `when` holds. */
export const importEventStatement = (ctx: Ctx, entry: ImportedEvent, when: SQL) =>
  ctx.db.run(sql`
    INSERT INTO memory_events (owner, memory_id, event, from_status, to_status, note, source_type, client_name, at)
    SELECT owner, id, ${entry.event}, ${entry.from_status}, ${entry.to_status}, ${entry.note}, ${entry.source_type},
      ${entry.client_name}, ${entry.at}
    FROM memories WHERE id = ${entry.memory_id} AND owner = ${ctx.user.number} AND ${when}`);

/** How many records one step of an account's erasure takes. */
const ERASED_AT_ONCE = 50;

/** Erases some of the caller's records with all that hangs on them; says whether there were any. */
export async function eraseSomeMemories(ctx: Ctx): Promise<boolean> {
  const rows = await ctx.db
    .select({ id: memories.id })
    .from(memories)
    .where(eq(memories.owner, ctx.user.number))
    .limit(ERASED_AT_ONCE);
  const [first, ...others] = rows.map(({ id }) => [
    unindexStatement(ctx, { kind: "memory", record: String(id) }, sql`true`),
    ctx.db.run(sql`DELETE FROM memory_events WHERE memory_id = ${id}`),
    ctx.db.run(sql`DELETE FROM memories WHERE id = ${id}`),
  ]);
  if (!first) return false;
  await ctx.db.batch([ctx.db.run(sql`SELECT 1`), ...first, ...others.flat()]);
  return true;
}
