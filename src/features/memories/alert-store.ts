import { type SQL, sql } from "drizzle-orm";
import { addDays, daysBetween } from "../../contract/days.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import {
  type ActiveItem,
  type ActiveRow,
  activeItem,
  activePageStatement,
  activeSelects,
  activeStatement,
  dueDates,
  isDueOnOrBefore,
  isDueUntil,
  isOverdue,
} from "./active-store.ts";
import { type Clock, currentDay, daysSince, staleBefore } from "./ages.ts";
import {
  batchForSpellings,
  type ItemPage,
  inProject,
  type MemoryFilters,
  type PageRange,
  typeAndScopeConditions,
  unionAll,
  wokenMemories,
} from "./filter-store.ts";
import { NOT_TRASHED, readWithSettings, type SettingsClock } from "./row-store.ts";

export type TypedAlert = ActiveItem &
  ({ alert_type: "overdue"; days_overdue: number } | { alert_type: "stale"; days_stale: number });

/** Sort key of stale records, after all due dates. Must match the expression in the index. */
const STALE_KEY = sql`'~' || touched_at`;

const STALE_TYPES = ["commitment", "blocker"] as const;

/** Stale records: those stored as active, by type and scope, and those that have gone stale since they woke. */
function staleParts(ctx: Ctx, clock: SettingsClock, filters: MemoryFilters): SQL[] {
  return STALE_TYPES.flatMap((type) => {
    const stale = sql`due_date IS NULL
      AND ${STALE_KEY} < ${`~${staleBefore(clock.stale_after_days[type], clock)}`}`;
    const kinds = typeAndScopeConditions(filters, [type]);
    const storedActive = kinds.map(
      (kind) => sql`FROM memories INDEXED BY memories_stale_idx
        WHERE owner = ${ctx.owner} AND ${inProject(filters)} AND ${kind} AND status = 'active' AND ${NOT_TRASHED}
          AND ${stale}`,
    );
    return kinds.length > 0
      ? [...storedActive, wokenMemories(ctx, { ...filters, memory_type: [type] }, stale)]
      : [];
  });
}

export const overdueStatement = (ctx: Ctx, clock: SettingsClock, filters: MemoryFilters, page: PageRange) =>
  activeStatement(ctx, filters, { ...page, condition: isOverdue(clock) });

const staleIds = (ctx: Ctx, clock: SettingsClock, filters: MemoryFilters): SQL[] =>
  staleParts(ctx, clock, filters).map((part) => sql`SELECT id ${part}`);

const staleSelects = (ctx: Ctx, clock: SettingsClock, filters: MemoryFilters): SQL[] =>
  staleParts(ctx, clock, filters).map((part) => sql`SELECT id, created_at, ${STALE_KEY} AS list_key ${part}`);

/** The statement that reads stale records, longest first. The filters must allow commitments or blockers. */
export const staleStatement = (ctx: Ctx, clock: SettingsClock, filters: MemoryFilters, page: PageRange) =>
  activePageStatement(ctx, staleSelects(ctx, clock, filters), page);

export const DUE_SOON_DAYS = 7;

export function dueSoonRange(clock: Clock): [today: string, lastDay: string] {
  const today = currentDay(clock);
  return [today, addDays(today, DUE_SOON_DAYS)];
}

export function alertCountsStatement(ctx: Ctx, clock: SettingsClock, filters: MemoryFilters) {
  const [today, lastDay] = dueSoonRange(clock);
  const due = sql`due`;
  const stale = staleIds(ctx, clock, filters);
  return ctx.db.all<{ overdue: number; due_today: number; due_soon: number; stale: number }>(sql`
    SELECT count(*) FILTER (WHERE ${isOverdue(clock, due)}) AS overdue,
      count(*) FILTER (WHERE ${isDueUntil(today, clock, due)}) AS due_today,
      count(*) FILTER (WHERE due >= ${addDays(today, 1)}) AS due_soon,
      ${stale.length > 0 ? sql`(SELECT count(*) FROM (${unionAll(stale)}))` : 0} AS stale
    FROM (${dueDates(ctx, filters, isDueOnOrBefore(lastDay))})`);
}

/** The statement that counts stale records. The filters must allow commitments or blockers. */
export const staleCountStatement = (ctx: Ctx, clock: SettingsClock, filters: MemoryFilters) =>
  ctx.db.all<{ total: number }>(
    sql`SELECT count(*) AS total FROM (${unionAll(staleIds(ctx, clock, filters))})`,
  );

export function staleOrActiveItem(row: ActiveRow, type: (typeof STALE_TYPES)[number], clock: SettingsClock) {
  const days_stale = daysSince(row.touched_at, clock);
  const isStale = row.due_date === null && days_stale >= clock.stale_after_days[type];
  return isStale ? { ...activeItem(row, clock), days_stale } : activeItem(row, clock);
}

export function alertItem(row: ActiveRow, clock: Clock): TypedAlert {
  const item = activeItem(row, clock);
  if (row.list_key >= "~")
    return { ...item, alert_type: "stale", days_stale: daysSince(row.touched_at, clock) };
  const today = currentDay(clock);
  return { ...item, alert_type: "overdue", days_overdue: daysBetween(row.due_date ?? today, today) };
}

export const listTypedAlerts = (
  ctx: Ctx,
  filters: MemoryFilters,
  page: PageRange,
): Promise<ItemPage<TypedAlert>> =>
  readWithSettings(ctx, async (clock) => {
    const selects = (spelled: MemoryFilters) => [
      ...activeSelects(ctx, spelled, isOverdue(clock)),
      ...staleSelects(ctx, clock, spelled),
    ];
    const [rows, [count]] = await batchForSpellings(ctx, filters, (spelled) => [
      activePageStatement(ctx, selects(spelled), page),
      alertCountsStatement(ctx, clock, spelled),
    ]);
    const total = (count?.overdue ?? 0) + (count?.stale ?? 0);
    return { items: rows.map((row) => alertItem(row, clock)), total };
  });
