import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { cutPage, type Keyset, rowsAfter } from "../db/keyset.ts";
import { memories } from "../db/tables.ts";
import { merged, type Totals, totalsOf, totalsStatement } from "./filter-store.ts";
import type { Status } from "./life-cycle.ts";
import { clockOf, isAwake, LIVING, mustOwnDocument, present, shown } from "./row-store.ts";
import type { MemoryList, MemoryListQuery } from "./schema.ts";

/** Further words of `q` are ignored. */
const MAX_WORDS = 10;

/** True in SQL for the records that are in this state now. */
function hasStatus(ctx: Ctx, status: Status): SQL {
  if (status === "active") return sql`(status = 'active' OR ${isAwake(ctx)})`;
  if (status === "deferred") return sql`(status = 'deferred' AND NOT ${isAwake(ctx)})`;
  return sql`status = ${status}`;
}

/**
 * True in SQL if topic or content contains the word, in any case. SQLite folds the case of ASCII only, so a capitalized
 * word is looked for as well.
 */
function holdsWord(word: string): SQL {
  const lower = word.toLowerCase();
  const capital = lower.replace(/^./u, (letter) => letter.toUpperCase());
  const text = sql`(topic || ' ' || content)`;
  return sql`(instr(lower(${text}), ${lower}) OR instr(${text}, ${capital}) OR instr(${text}, ${word}))`;
}

const hasTag = (ctx: Ctx, tag: string) =>
  sql`EXISTS (SELECT 1 FROM memory_tags
    WHERE owner = ${ctx.owner} AND tag = ${tag} AND memory_id = ${memories.id})`;

/** The conditions of a list: those that the counters cover, and the others. */
function conditionsOf(ctx: Ctx, query: MemoryListQuery) {
  const { status, memory_type, scope, project } = query;
  const counted = [
    status && hasStatus(ctx, status),
    memory_type && eq(memories.memory_type, memory_type),
    scope && eq(memories.scope, scope),
    project && eq(memories.project, project),
  ];
  const others = [
    query.document_id && eq(memories.document_id, query.document_id),
    query.due_after && gte(memories.due_date, query.due_after),
    query.due_before && lt(memories.due_date, query.due_before),
    ...(query.tag ?? []).map((tag) => hasTag(ctx, tag)),
    ...(query.q?.split(/\s+/).filter(Boolean).slice(0, MAX_WORDS).map(holdsWord) ?? []),
  ];
  const isGiven = (condition: SQL | "" | undefined) => Boolean(condition);
  return { counted: counted.filter(isGiven) as SQL[], others: others.filter(isGiven) as SQL[] };
}

/** The records that a condition names. Those of one document are few, and an index of their own has them. */
const sourceOf = ({ document_id }: MemoryListQuery) =>
  document_id ? sql`memories INDEXED BY memories_document_id_idx` : sql`memories`;

/**
 * SELECTs of id and sort_key, each in the order of an index where there is one. A record that was never changed has one
 * index entry for both of its instants: see migrations/0018_memory_lists.sql.
 */
function sortedSelects(query: MemoryListQuery, where: SQL): SQL[] {
  const { sort } = query;
  if (sort === "due_date" || query.document_id) {
    return [sql`SELECT id, ${memories[sort]} AS sort_key FROM ${sourceOf(query)} WHERE ${where}`];
  }
  const changed = sql.raw(`memories_changed_${sort}_idx`);
  return [
    sql`SELECT id, created_at AS sort_key FROM memories INDEXED BY memories_unchanged_idx
      WHERE ${where} AND updated_at = created_at`,
    sql`SELECT id, ${memories[sort]} AS sort_key FROM memories INDEXED BY ${changed}
      WHERE ${where} AND updated_at <> created_at`,
  ];
}

const countStatement = (ctx: Ctx, query: MemoryListQuery, where: SQL) =>
  ctx.db.all<{ total: number }>(sql`SELECT count(*) AS total FROM ${sourceOf(query)} WHERE ${where}`);

const keysetOf = ({ sort, order }: MemoryListQuery): Keyset => ({
  name: `memories ${sort}`,
  direction: order ?? (sort === "due_date" ? "asc" : "desc"),
  isNullable: sort === "due_date",
});

function orderOf(query: MemoryListQuery): SQL {
  const direction = keysetOf(query).direction.toUpperCase();
  const undatedLast = query.sort === "due_date" ? "NULLS LAST" : "";
  return sql.raw(`page.sort_key ${direction} ${undatedLast}, page.id ${direction}`);
}

/** The caller's records; all filters must hold. Throws 404 for a document that is not the caller's. */
export async function listMemories(ctx: Ctx, query: MemoryListQuery): Promise<MemoryList> {
  const { counted, others } = conditionsOf(ctx, query);
  const where = sql.join([eq(memories.owner, ctx.owner), LIVING, ...counted, ...others], sql` AND `);
  const order = orderOf(query);
  const keyset = keysetOf(query);
  const after = rowsAfter(keyset, query, { key: sql`${memories[query.sort]}`, id: sql`${memories.id}` });
  const asked = after ? sql`${where} AND ${after}` : where;
  const page = sql`(SELECT * FROM (${merged(sortedSelects(query, asked))}) AS page
    ORDER BY ${order} LIMIT ${query.limit + 1} OFFSET ${query.offset}) AS page`;
  const [found, sums, counts] = await ctx.db.batch([
    ctx.db
      .select(shown(ctx))
      .from(page)
      .crossJoin(memories)
      .where(and(eq(memories.owner, ctx.owner), sql`${memories.id} = page.id`))
      .orderBy(order),
    totalsStatement(ctx, query),
    ...(others.length > 0 ? [countStatement(ctx, query, where)] : []),
    ...mustOwnDocument(ctx, query.document_id),
  ]);
  const [count] = others.length > 0 ? (counts as { total: number }[]) : [];
  const clock = await clockOf(ctx);
  const { rows, ...rest } = cutPage(keyset, query, { rows: found, keyOf: (row) => row[query.sort] });
  return {
    items: rows.map((row) => present(row, clock)),
    ...rest,
    total: count?.total ?? totalOf(totalsOf(sums), query.status),
  };
}

const totalOf = (totals: Totals, status: Status | undefined) =>
  status ? totals[status] : totals.active + totals.deferred + totals.resolved + totals.archived;
