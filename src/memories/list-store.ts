import { and, asc, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { memories } from "../db/tables.ts";
import type { Status } from "./life-cycle.ts";
import { clockOf, columnsOf, isAwake, present } from "./row-store.ts";
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

const filtersOf = (ctx: Ctx, query: MemoryListQuery) =>
  [
    query.status && hasStatus(ctx, query.status),
    query.memory_type && eq(memories.memory_type, query.memory_type),
    query.scope && eq(memories.scope, query.scope),
    query.project && eq(memories.project, query.project),
    query.due_after && gte(memories.due_date, query.due_after),
    query.due_before && lt(memories.due_date, query.due_before),
    ...(query.tag ?? []).map((tag) => hasTag(ctx, tag)),
    ...(query.q?.split(/\s+/).filter(Boolean).slice(0, MAX_WORDS).map(holdsWord) ?? []),
  ].filter((filter) => filter !== undefined && filter !== "");

function orderOf({ sort, order }: MemoryListQuery) {
  const direction = (order ?? (sort === "due_date" ? "asc" : "desc")) === "asc" ? asc : desc;
  const undatedLast = sort === "due_date" ? [sql`${memories.due_date} IS NULL`] : [];
  return [...undatedLast, direction(memories[sort]), direction(memories.id)];
}

/** Counts the caller's records from their totals, which are a few rows. */
const countAll = (ctx: Ctx) =>
  ctx.db.all<{ total: number }>(sql`
    SELECT coalesce(sum(active + deferred + resolved + archived), 0) AS total FROM memory_totals
    WHERE owner = ${ctx.owner} AND project = ''`);

/** The caller's records; all filters must hold. */
export async function listMemories(ctx: Ctx, query: MemoryListQuery): Promise<MemoryList> {
  const filters = filtersOf(ctx, query);
  const where = and(eq(memories.owner, ctx.owner), ...filters);
  const [rows, [count]] = await ctx.db.batch([
    ctx.db
      .select(columnsOf(ctx))
      .from(memories)
      .where(where)
      .orderBy(...orderOf(query))
      .limit(query.limit)
      .offset(query.offset),
    filters.length === 0
      ? countAll(ctx)
      : ctx.db.all<{ total: number }>(sql`SELECT count(*) AS total FROM memories WHERE ${where}`),
  ]);
  const clock = await clockOf(ctx);
  return { items: rows.map((row) => present(row, clock)), total: count?.total ?? 0 };
}
