import { and, eq, gte, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { Timestamp, truncateText } from "../../contract/fields.ts";
import type { LifeCycleStatus } from "../../contract/life-cycle.ts";
import { Day, Id, type Memory, type MemoryList, type MemoryListQuery } from "../../contract/memory.ts";
import { FILTER_NAMES, type FilterName } from "../../contract/memory-fields.ts";
import { nameKey } from "../../contract/name-key.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { readWithDaysAsInstants } from "../../platform/core/days-as-instants.ts";
import { cutPage, isAfterCursor, type Keyset } from "../../platform/db/keyset.ts";
import { nameKeySql } from "../../platform/db/name-sql.ts";
import { taggedWithAll } from "../../platform/db/spellings.ts";
import { memories } from "../../platform/db/tables.ts";
import { type Clock, staleBefore } from "./ages.ts";
import {
  batchForSpellings,
  hasMemoryType,
  type ItemPage,
  inProject,
  type MemoryFilters,
  readTotals,
  sumOfCounts,
  totalsStatement,
  unionAll,
} from "./filter-store.ts";
import {
  assertOwnDocument,
  attendedAtSql,
  currentColumns,
  isAwakeSql,
  type MemoryRow,
  NOT_TRASHED,
  presentMemory,
  readWithSettings,
  userClock,
} from "./row-store.ts";

/** Further words of `q` are ignored. */
const MAX_WORDS = 10;
/** Limit of letter replacements per word; each one scans all texts. */
const MAX_FOLDED = 20;

function hasStatus(ctx: Ctx, status: LifeCycleStatus): SQL {
  if (status === "active") return sql`(status = 'active' OR ${isAwakeSql(ctx)})`;
  if (status === "deferred") return sql`(status = 'deferred' AND NOT ${isAwakeSql(ctx)})`;
  return sql`status = ${status}`;
}

const MEMORY_TAGS = { table: "memory_tags", record: "memory_id" } as const;

const SEARCHED_TEXT =
  "topic || ' ' || content || ' ' || ifnull(resolution_note, '') || ' ' || ifnull(note, '')";

/** SQL: topic, content or note contains each of the words, ignoring case. */
function containsWords(q: string): SQL[] {
  const words = nameKey(q).split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  return words.map((word) => sql`instr(${sql.raw(nameKeySql(SEARCHED_TEXT, word, MAX_FOLDED))}, ${word})`);
}

/** The API's query plus what tools use: `closed` excludes active records, `attended_after` those that were only filed. */
export type MemoryListOptions = Omit<MemoryListQuery, "sort" | "project" | "content_length"> & {
  project?: MemoryFilters["project"];
  content_length?: number;
  sort: MemoryListQuery["sort"] | "closed_at" | "attended_at";
  closed?: boolean;
  attended_after?: string | undefined;
};

const resolvedBound = ({ resolved_after, resolved_before }: MemoryListOptions) =>
  resolved_after ?? resolved_before;

const sinceConditions = (ctx: Ctx, query: MemoryListOptions, clock: Clock) => [
  query.attended_after && sql`${attendedAtSql(ctx)} >= ${query.attended_after}`,
  query.created_after && gte(memories.created_at, query.created_after),
  query.created_before && lt(memories.created_at, query.created_before),
  query.updated_after && gte(memories.updated_at, query.updated_after),
  query.resolved_after && sql`status = 'resolved' AND closed_at >= ${query.resolved_after}`,
  query.resolved_before && sql`status = 'resolved' AND closed_at < ${query.resolved_before}`,
  query.untouched_days && lt(memories.touched_at, staleBefore(query.untouched_days, clock)),
];

const equals = (query: MemoryListOptions, name: FilterName) =>
  query[name] !== undefined && eq(memories[name], query[name]);

/** `totalsStatement` counts by scope; with another filter the records are counted. */
const COUNTED_FILTERS = FILTER_NAMES.filter((name) => name !== "scope");

const plannedConditions = (query: MemoryListOptions) => [
  query.due && isNull(memories.due_date),
  query.due_after && gte(memories.due_date, query.due_after),
  query.due_before && lt(memories.due_date, query.due_before),
  query.repeats && isNotNull(memories.repeat),
  query.series_id && eq(memories.series_id, query.series_id),
];

function listConditions(ctx: Ctx, query: MemoryListOptions, clock: Clock) {
  const { status, memory_type, project } = query;
  const counted = [
    status && hasStatus(ctx, status),
    memory_type && hasMemoryType(memory_type),
    equals(query, "scope"),
    project && inProject({ project }),
  ];
  const others = [
    ...COUNTED_FILTERS.map((name) => equals(query, name)),
    query.closed && sql`NOT ${hasStatus(ctx, "active")}`,
    ...sinceConditions(ctx, query, clock),
    ...plannedConditions(query),
    query.tag?.length && sql`${memories.id} IN ${taggedWithAll(ctx, query.tag, MEMORY_TAGS)}`,
    ...(query.q === undefined ? [] : containsWords(query.q)),
  ];
  const isGiven = (condition: SQL | "" | 0 | false | undefined) => Boolean(condition);
  return { counted: counted.filter(isGiven) as SQL[], others: others.filter(isGiven) as SQL[] };
}

const ALL_RECORDS = sql`memories WHERE true`;
const CLOSED_RECORDS = sql`memories INDEXED BY memories_closed_idx WHERE closed_at IS NOT NULL`;

/** SQL: the due date with the time; NULL for none. */
const DUE_AT = sql`due_date || coalesce('T' || due_time, '')`;

function sortKeySql(ctx: Ctx, sort: MemoryListOptions["sort"]): SQL {
  if (sort === "due_date") return DUE_AT;
  return sort === "attended_at" ? attendedAtSql(ctx) : sql`${memories[sort]}`;
}

const dueAt = ({ due_date, due_time }: MemoryRow) =>
  due_date !== null && due_time !== null ? `${due_date}T${due_time}` : due_date;

/**
 * The index ranges to read, each with its sort key. A record that was never changed has one index entry for both
 * timestamps: see migrations/0018_memory_lists.sql.
 */
function indexParts(ctx: Ctx, query: MemoryListOptions): { from: SQL; key: SQL }[] {
  const { sort, document_id, created_after, updated_after } = query;
  const key = sortKeySql(ctx, sort);
  if (document_id) return [{ from: sql`memories INDEXED BY memories_document_id_idx WHERE true`, key }];
  if (resolvedBound(query)) return [{ from: CLOSED_RECORDS, key }];
  const since = created_after ? "created_at" : updated_after ? "updated_at" : undefined;
  if (query.closed && !since) return [{ from: CLOSED_RECORDS, key }];
  const by = since ?? sort;
  if (by !== "created_at" && by !== "updated_at") return [{ from: ALL_RECORDS, key }];
  const bound = updated_after ? sql`AND created_at >= ${updated_after}` : sql``;
  const unchanged = sql`memories INDEXED BY memories_unchanged_idx WHERE updated_at = created_at ${bound}`;
  const changed = sql`memories INDEXED BY ${sql.raw(`memories_changed_${by}_idx`)} WHERE updated_at <> created_at`;
  return [
    { from: unchanged, key: sort === "updated_at" ? sql`created_at` : key },
    { from: changed, key },
  ];
}

const sortedSelects = (ctx: Ctx, query: MemoryListOptions, where: SQL): SQL[] =>
  indexParts(ctx, query).map(({ from, key }) => sql`SELECT id, ${key} AS sort_key FROM ${from} AND ${where}`);

/** Without a filter that an index serves, counting the table is cheaper: it reads no index. */
function countSql(ctx: Ctx, query: MemoryListOptions, where: SQL): SQL {
  const { document_id, created_after, updated_after, closed } = query;
  const isServed = document_id ?? resolvedBound(query) ?? created_after ?? updated_after ?? closed;
  const parts = isServed ? indexParts(ctx, query).map(({ from }) => from) : [ALL_RECORDS];
  const counts = unionAll(parts.map((from) => sql`SELECT count(*) AS total FROM ${from} AND ${where}`));
  return sql`SELECT sum(total) AS total FROM (${counts})`;
}

const DueKey = z.union([Day, z.iso.datetime({ local: true, precision: -1 })]);

const listKeyset = ({ sort, order }: MemoryListOptions): Keyset => ({
  name: `memories ${sort}`,
  direction: order ?? (sort === "due_date" ? "asc" : "desc"),
  key: sort === "due_date" ? DueKey.nullable() : Timestamp,
  id: Id,
});

function orderBySql(query: MemoryListOptions): SQL {
  const direction = listKeyset(query).direction.toUpperCase();
  const undatedLast = query.sort === "due_date" ? "NULLS LAST" : "";
  return sql.raw(`page.sort_key ${direction} ${undatedLast}, page.id ${direction}`);
}

type ListedRow = MemoryRow & { attended_at: string };

function pageStatements(ctx: Ctx, query: MemoryListOptions, clock: Clock) {
  const { counted, others } = listConditions(ctx, query, clock);
  const where = sql.join([eq(memories.owner, ctx.owner), NOT_TRASHED, ...counted, ...others], sql` AND `);
  const order = orderBySql(query);
  const keyset = listKeyset(query);
  const after = isAfterCursor(keyset, query, { key: sortKeySql(ctx, query.sort), id: sql`${memories.id}` });
  const requested = after ? sql`${where} AND ${after}` : where;
  const page = sql`(SELECT * FROM (${unionAll(sortedSelects(ctx, query, requested))}) AS page
    ORDER BY ${order} LIMIT ${query.limit + 1} OFFSET ${query.offset}) AS page`;
  return [
    ctx.db
      .select({ ...currentColumns(ctx), attended_at: sql<string>`${attendedAtSql(ctx)}` })
      .from(page)
      .crossJoin(memories)
      .where(and(eq(memories.owner, ctx.owner), sql`${memories.id} = page.id`))
      .orderBy(order),
    totalsStatement(ctx, query),
    ctx.db.all<{ total: number }>(
      others.length > 0 ? countSql(ctx, query, where) : sql`SELECT NULL AS total`,
    ),
    ...assertOwnDocument(ctx, query.document_id),
  ] as const;
}

async function readPage(ctx: Ctx, query: MemoryListOptions, clock: Clock) {
  const [found, sums, [count]] = await batchForSpellings(ctx, query, (spelled) =>
    pageStatements(ctx, spelled, clock),
  );
  const keyset = listKeyset(query);
  const keyed = {
    rows: found as ListedRow[],
    keyOf: (row: ListedRow) => (query.sort === "due_date" ? dueAt(row) : row[query.sort]),
  };
  const totals = readTotals(sums);
  const total = count?.total ?? (query.status ? totals[query.status] : sumOfCounts(totals));
  return { ...cutPage(keyset, query, keyed), total, clock: await userClock(ctx) };
}

export const SINCE_FIELDS = [
  "created_after",
  "created_before",
  "updated_after",
  "resolved_after",
  "resolved_before",
] as const;

/** Only days and `untouched_days` depend on the time zone. */
const readList = (ctx: Ctx, query: MemoryListOptions) =>
  readWithDaysAsInstants(ctx, query, SINCE_FIELDS, (requested) =>
    requested.untouched_days
      ? readWithSettings(ctx, (clock) => readPage(ctx, requested, clock))
      : readPage(ctx, requested, { now: ctx.now, timezone: "UTC" }),
  );

/** The caller's records that match all filters. Throws 404 for a document that is not the caller's. */
export async function listMemories(
  ctx: Ctx,
  query: Omit<MemoryListQuery, "content_length"> & { content_length?: number },
): Promise<MemoryList> {
  const { rows, clock, ...rest } = await readList(ctx, query);
  const items = rows.map((row) => ({
    ...presentMemory(row, clock),
    content: truncateText(row.content, query.content_length),
  }));
  return { items, ...rest };
}

export async function listMemoriesForTools(
  ctx: Ctx,
  query: MemoryListOptions,
): Promise<ItemPage<Memory & { touched_at: string }>> {
  const { rows, clock, total } = await readList(ctx, query);
  const items = rows.map((row) => ({ ...presentMemory(row, clock), touched_at: row.attended_at }));
  return { items, total };
}
