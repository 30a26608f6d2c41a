import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../../platform/core/ctx.ts";
import { Timestamp } from "../../contract/fields.ts";
import { cutPage, type Keyset, rowsAfter } from "../../platform/db/keyset.ts";
import { memories } from "../../db/tables.ts";
import { type Clock, staleBefore } from "./ages.ts";
import { isOneOf, type List, merged, type Totals, totalsOf, totalsStatement } from "./filter-store.ts";
import type { Status } from "../../contract/life-cycle.ts";
import {
  attendedAt,
  clockOf,
  isAwake,
  LIVING,
  mustOwnDocument,
  present,
  type Row,
  readWithSettings,
  shown,
} from "./row-store.ts";
import { Day, Id, type Memory, type MemoryList, type MemoryListQuery } from "../../contract/memory.ts";

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

/**
 * A list's query. For tools, `closed` leaves out active records, `attended_after` those that were only filed since, and
 * there are two more orders, which read all that match: by when a record was closed, or attended to.
 */
export type ListQuery = Omit<MemoryListQuery, "sort"> & {
  sort: MemoryListQuery["sort"] | "closed_at" | "attended_at";
  closed?: boolean;
  attended_after?: string | undefined;
};

const resolvedBound = ({ resolved_after, resolved_before }: ListQuery) => resolved_after ?? resolved_before;

/** The conditions on when something happened to a record, or did not. */
const sinceConditions = (ctx: Ctx, query: ListQuery, clock: Clock) => [
  query.attended_after && sql`${attendedAt(ctx)} >= ${query.attended_after}`,
  query.created_after && gte(memories.created_at, query.created_after),
  query.updated_after && gte(memories.updated_at, query.updated_after),
  query.resolved_after && sql`status = 'resolved' AND closed_at >= ${query.resolved_after}`,
  query.resolved_before && sql`status = 'resolved' AND closed_at < ${query.resolved_before}`,
  query.untouched_days && lt(memories.touched_at, staleBefore(query.untouched_days, clock)),
];

/** The conditions of a list: those that the counters cover, and the others. */
function conditionsOf(ctx: Ctx, query: ListQuery, clock: Clock) {
  const { status, memory_type, scope, project } = query;
  const counted = [
    status && hasStatus(ctx, status),
    memory_type && isOneOf(memory_type),
    scope && eq(memories.scope, scope),
    project && eq(memories.project, project),
  ];
  const others = [
    query.document_id && eq(memories.document_id, query.document_id),
    query.closed && sql`NOT ${hasStatus(ctx, "active")}`,
    ...sinceConditions(ctx, query, clock),
    query.due_after && gte(memories.due_date, query.due_after),
    query.due_before && lt(memories.due_date, query.due_before),
    ...(query.tag ?? []).map((tag) => hasTag(ctx, tag)),
    ...(query.q?.split(/\s+/).filter(Boolean).slice(0, MAX_WORDS).map(holdsWord) ?? []),
  ];
  const isGiven = (condition: SQL | "" | 0 | false | undefined) => Boolean(condition);
  return { counted: counted.filter(isGiven) as SQL[], others: others.filter(isGiven) as SQL[] };
}

const EVERY = sql`memories WHERE true`;
const CLOSED = sql`memories INDEXED BY memories_closed_idx WHERE closed_at IS NOT NULL`;

/** What a list is sorted by, in SQL. */
const keyOf = (ctx: Ctx, sort: ListQuery["sort"]): SQL =>
  sort === "attended_at" ? attendedAt(ctx) : sql`${memories[sort]}`;

/**
 * The records to read, in parts that an index has: those of one document, those resolved, created or changed since an
 * instant, those closed, or else all in the order of the list; `key` is what each is sorted by. A record that was never
 * changed has one index entry for both of its instants: see migrations/0018_memory_lists.sql.
 */
function partsOf(ctx: Ctx, query: ListQuery): { from: SQL; key: SQL }[] {
  const { sort, document_id, created_after, updated_after } = query;
  const key = keyOf(ctx, sort);
  if (document_id) return [{ from: sql`memories INDEXED BY memories_document_id_idx WHERE true`, key }];
  if (resolvedBound(query)) return [{ from: CLOSED, key }];
  const since = created_after ? "created_at" : updated_after ? "updated_at" : undefined;
  if (query.closed && !since) return [{ from: CLOSED, key }];
  const by = since ?? sort;
  if (by !== "created_at" && by !== "updated_at") return [{ from: EVERY, key }];
  const bound = updated_after ? sql`AND created_at >= ${updated_after}` : sql``;
  const unchanged = sql`memories INDEXED BY memories_unchanged_idx WHERE updated_at = created_at ${bound}`;
  const changed = sql`memories INDEXED BY ${sql.raw(`memories_changed_${by}_idx`)} WHERE updated_at <> created_at`;
  return [
    { from: unchanged, key: sort === "updated_at" ? sql`created_at` : key },
    { from: changed, key },
  ];
}

/** SELECTs of id and sort_key of the records that match, each in the order of an index where there is one. */
const sortedSelects = (ctx: Ctx, query: ListQuery, where: SQL): SQL[] =>
  partsOf(ctx, query).map(({ from, key }) => sql`SELECT id, ${key} AS sort_key FROM ${from} AND ${where}`);

/** Without a filter that an index serves, the table is counted: its indexes would have to be read as well. */
function countStatement(ctx: Ctx, query: ListQuery, where: SQL) {
  const { document_id, created_after, updated_after, closed } = query;
  const isServed = document_id ?? resolvedBound(query) ?? created_after ?? updated_after ?? closed;
  const parts = isServed ? partsOf(ctx, query).map(({ from }) => from) : [EVERY];
  const counts = merged(parts.map((from) => sql`SELECT count(*) AS total FROM ${from} AND ${where}`));
  return ctx.db.all<{ total: number }>(sql`SELECT sum(total) AS total FROM (${counts})`);
}

const keysetOf = ({ sort, order }: ListQuery): Keyset => ({
  name: `memories ${sort}`,
  direction: order ?? (sort === "due_date" ? "asc" : "desc"),
  key: sort === "due_date" ? Day.nullable() : Timestamp,
  id: Id,
});

function orderOf(query: ListQuery): SQL {
  const direction = keysetOf(query).direction.toUpperCase();
  const undatedLast = query.sort === "due_date" ? "NULLS LAST" : "";
  return sql.raw(`page.sort_key ${direction} ${undatedLast}, page.id ${direction}`);
}

type ListedRow = Row & { attended_at: string };

async function readPage(ctx: Ctx, query: ListQuery, clock: Clock) {
  const { counted, others } = conditionsOf(ctx, query, clock);
  const where = sql.join([eq(memories.owner, ctx.owner), LIVING, ...counted, ...others], sql` AND `);
  const order = orderOf(query);
  const keyset = keysetOf(query);
  const after = rowsAfter(keyset, query, { key: keyOf(ctx, query.sort), id: sql`${memories.id}` });
  const asked = after ? sql`${where} AND ${after}` : where;
  const page = sql`(SELECT * FROM (${merged(sortedSelects(ctx, query, asked))}) AS page
    ORDER BY ${order} LIMIT ${query.limit + 1} OFFSET ${query.offset}) AS page`;
  const [found, sums, counts] = await ctx.db.batch([
    ctx.db
      .select({ ...shown(ctx), attended_at: sql<string>`${attendedAt(ctx)}` })
      .from(page)
      .crossJoin(memories)
      .where(and(eq(memories.owner, ctx.owner), sql`${memories.id} = page.id`))
      .orderBy(order),
    totalsStatement(ctx, query),
    ...(others.length > 0 ? [countStatement(ctx, query, where)] : []),
    ...mustOwnDocument(ctx, query.document_id),
  ]);
  const [count] = others.length > 0 ? (counts as { total: number }[]) : [];
  const keyed = { rows: found as ListedRow[], keyOf: (row: ListedRow) => row[query.sort] };
  const total = count?.total ?? totalOf(totalsOf(sums), query.status);
  return { ...cutPage(keyset, query, keyed), total, clock: await clockOf(ctx) };
}

/** Only `untouched_days` depends on the time zone. */
const readList = (ctx: Ctx, query: ListQuery) =>
  query.untouched_days
    ? readWithSettings(ctx, (clock) => readPage(ctx, query, clock))
    : readPage(ctx, query, { now: ctx.now, timezone: "UTC" });

/** The caller's records; all filters must hold. Throws 404 for a document that is not the caller's. */
export async function listMemories(ctx: Ctx, query: MemoryListQuery): Promise<MemoryList> {
  const { rows, clock, ...rest } = await readList(ctx, query);
  return { items: rows.map(({ attended_at: _, ...row }) => present(row, clock)), ...rest };
}

/** The same for tools, with when each record was last attended to. */
export async function listAttended(
  ctx: Ctx,
  query: ListQuery,
): Promise<List<Memory & { touched_at: string }>> {
  const { rows, clock, total } = await readList(ctx, query);
  const items = rows.map(({ attended_at: touched_at, ...row }) => ({ ...present(row, clock), touched_at }));
  return { items, total };
}

const totalOf = (totals: Totals, status: Status | undefined) =>
  status ? totals[status] : totals.active + totals.deferred + totals.resolved + totals.archived;
