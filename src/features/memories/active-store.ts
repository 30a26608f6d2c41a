import { type SQL, sql } from "drizzle-orm";
import { localMinute } from "../../contract/days.ts";
import type { Memory } from "../../contract/memory.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { type Clock, currentDay, daysSince } from "./ages.ts";
import {
  ALWAYS,
  batchForSpellings,
  type ItemPage,
  inProject,
  type MemoryFilters,
  type PageRange,
  readTotals,
  totalsStatement,
  typeAndScopeConditions,
  unionAll,
  wokenMemories,
} from "./filter-store.ts";
import { LISTED_COLUMNS, type ListedRecord, NOT_TRASHED, userClock } from "./row-store.ts";

export type ActiveItem = ListedRecord & Pick<Memory, "status"> & { touched_at: string; days_ago: number };

export type ActiveRow = Omit<ActiveItem, "days_ago"> & { list_key: string };

/** The due date with its time, if any, or '~', which sorts after all dates. Must match the expression in the index. */
const DUE_KEY = sql`coalesce(due_date || coalesce('T' || due_time, ''), '~')`;

/** A range because with an equality SQLite would not use the order of the index. */
export const IS_UNDATED = sql`${DUE_KEY} >= '~'`;

/** A key that sorts after all times of a day. */
const afterDay = (day: string) => `${day}U`;

export const isDueAfter = (day: string) => sql`${DUE_KEY} > ${afterDay(day)}`;
export const isDueOnOrBefore = (day: string) => sql`${DUE_KEY} < ${afterDay(day)}`;
export const isDueBetween = (from: string, to: string) =>
  sql`${DUE_KEY} >= ${from} AND ${DUE_KEY} < ${afterDay(to)}`;

const currentMinute = ({ now, timezone }: Clock) => localMinute(now.toISOString(), timezone).slice(0, 16);

/** Today as a literal: the statement has a part per kind of record, and D1 allows 100 parameters. */
const todaySql = (clock: Clock) => sql.raw(`'${currentDay(clock)}'`);

/** Due before today, or today at a time that has passed. Records due today without a time are not overdue. */
export function isOverdue(clock: Clock, key: SQL = DUE_KEY): SQL {
  return sql`${key} <= ${currentMinute(clock)} AND ${key} <> ${todaySql(clock)}`;
}

/** Due from now until the end of a day. */
export function isDueUntil(day: string, clock: Clock, key: SQL = DUE_KEY): SQL {
  const today = todaySql(clock);
  return sql`${key} >= ${today} AND ${key} < ${afterDay(day)} AND (${key} = ${today} OR ${key} > ${currentMinute(clock)})`;
}

/** The active records that match `condition`: those stored as active, by type and scope, and those that have woken. */
function activeParts(ctx: Ctx, filters: MemoryFilters, condition: SQL): SQL[] {
  const index = sql.raw(filters.project ? "memories_active_project_idx" : "memories_active_idx");
  const storedActive = typeAndScopeConditions(filters).map(
    (kind) => sql`FROM memories INDEXED BY ${index}
      WHERE owner = ${ctx.owner} AND ${inProject(filters)} AND ${kind} AND status = 'active' AND ${NOT_TRASHED}
        AND ${condition}`,
  );
  return [...storedActive, wokenMemories(ctx, filters, condition)];
}

/** Reads a page. `parts`: SELECTs of id, created_at and list_key, answered from indexes alone. `also`: further columns. */
export const activePageStatement = <Also extends object = object>(
  ctx: Ctx,
  parts: SQL[],
  { limit, offset, also = sql`` }: PageRange & { also?: SQL },
) =>
  ctx.db.all<ActiveRow & Also>(sql`
    SELECT ${LISTED_COLUMNS}, 'active' AS status, m.touched_at${also}, page.list_key
    FROM (${unionAll(parts)} ORDER BY list_key, created_at DESC, id DESC
      LIMIT ${limit} OFFSET ${offset}) AS page
      CROSS JOIN memories AS m ON m.owner = ${ctx.owner} AND m.id = page.id
    ORDER BY page.list_key, page.created_at DESC, page.id DESC`);

export const activeSelects = (ctx: Ctx, filters: MemoryFilters, condition: SQL = ALWAYS): SQL[] =>
  activeParts(ctx, filters, condition).map(
    (part) => sql`SELECT id, created_at, ${DUE_KEY} AS list_key ${part}`,
  );

export const activeStatement = <Also extends object = object>(
  ctx: Ctx,
  filters: MemoryFilters,
  { condition, ...page }: PageRange & { condition?: SQL; also?: SQL },
) => activePageStatement<Also>(ctx, activeSelects(ctx, filters, condition), page);

/** SQL: the due dates (`due`) of the active records that match `condition`. */
export const dueDates = (ctx: Ctx, filters: MemoryFilters, condition: SQL) =>
  unionAll(activeParts(ctx, filters, condition).map((part) => sql`SELECT ${DUE_KEY} AS due ${part}`));

export const activeCountStatement = (ctx: Ctx, filters: MemoryFilters, condition: SQL) =>
  ctx.db.all<{ total: number }>(sql`SELECT count(*) AS total FROM (${dueDates(ctx, filters, condition)})`);

export function activeItem({ list_key: _, ...row }: ActiveRow, clock: Clock): ActiveItem {
  return { ...row, days_ago: daysSince(row.created_at, clock) };
}

const PRIORITY_RANKS = { high: 0, normal: 1, low: 2 };

const priorityRank = ({ priority }: Pick<Memory, "priority">) => PRIORITY_RANKS[priority ?? "normal"];

/** Highest first; otherwise keeps the order. */
export const sortByPriority = <Item extends Pick<Memory, "priority">>(items: readonly Item[]): Item[] =>
  items.toSorted((one, other) => priorityRank(one) - priorityRank(other));

export async function listActive(
  ctx: Ctx,
  filters: MemoryFilters,
  page: PageRange,
): Promise<ItemPage<ActiveItem>> {
  const [rows, totals] = await batchForSpellings(ctx, filters, (spelled) => [
    activeStatement(ctx, spelled, page),
    totalsStatement(ctx, spelled),
  ]);
  const clock = await userClock(ctx);
  return { items: rows.map((row) => activeItem(row, clock)), total: readTotals(totals).active };
}

type DueRange = { due_after?: string | undefined; due_before?: string | undefined };

export async function listDue(
  ctx: Ctx,
  { due_after = "", due_before = "~", ...filters }: MemoryFilters & DueRange,
  page: PageRange,
): Promise<ItemPage<ActiveItem>> {
  const condition = sql`${DUE_KEY} >= ${due_after} AND ${DUE_KEY} < ${due_before}`;
  const [rows, [count]] = await batchForSpellings(ctx, filters, (spelled) => [
    activeStatement(ctx, spelled, { ...page, condition }),
    activeCountStatement(ctx, spelled, condition),
  ]);
  const clock = await userClock(ctx);
  return { items: rows.map((row) => activeItem(row, clock)), total: count?.total ?? 0 };
}
