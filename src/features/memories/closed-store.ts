import { type SQL, sql } from "drizzle-orm";
import { lastAttendedSql } from "../../contract/life-cycle.ts";
import type { CommitmentStatsWithCounts, Memory } from "../../contract/memory.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import {
  averageDays,
  type Clock,
  completionRate,
  daysToResolve,
  monthStart,
  weekStart,
  windowStart,
} from "./ages.ts";
import {
  batchForSpellings,
  type ItemPage,
  inProject,
  type MemoryFilters,
  type MemoryTotals,
  type PageRange,
  readTotals,
  scopeConditions,
  totalsStatement,
  typeAndScopeConditions,
  unionAll,
} from "./filter-store.ts";
import {
  isAwakeSql,
  LISTED_COLUMNS,
  type ListedRecord,
  linkedMemoryId,
  NOT_TRASHED,
  readWithSettings,
} from "./row-store.ts";

const CLOSED_STATUSES = ["resolved", "deferred", "archived"] as const;
export type ClosedStatus = (typeof CLOSED_STATUSES)[number];

type ClosedItem = ListedRecord &
  Pick<
    Memory,
    "status" | "resolved_at" | "resolution_note" | "days_to_resolve" | "deferred_until" | "superseded_by_id"
  > & { touched_at: string };
type ClosedRow = Omit<ClosedItem, "days_to_resolve">;

/** SQL: the record is closed with this status. A record that has woken is not closed. */
const isClosedAs = (ctx: Ctx, status: ClosedStatus) =>
  sql`status = ${sql.raw(`'${status}'`)}${status === "deferred" ? sql` AND NOT ${isAwakeSql(ctx)}` : sql``}`;

function closedInAnyStatus(ctx: Ctx, filters: MemoryFilters): SQL[] {
  const { scope, project, memory_type } = filters;
  const allClosed = sql`owner = ${ctx.owner} AND closed_at IS NOT NULL AND ${NOT_TRASHED}`;
  if (project) {
    const ofType = memory_type ? typeAndScopeConditions(filters) : scopeConditions(filters);
    return ofType.map(
      (kind) => sql`FROM memories INDEXED BY memories_closed_project_idx
        WHERE ${allClosed} AND ${inProject(filters)} AND ${kind}`,
    );
  }
  if (!scope && !memory_type) return [sql`FROM memories INDEXED BY memories_closed_idx WHERE ${allClosed}`];
  return typeAndScopeConditions(filters).map(
    (kind) => sql`FROM memories INDEXED BY memories_closed_kind_idx WHERE ${allClosed} AND ${kind}`,
  );
}

/** In parts that an index returns in order. */
const closedParts = (ctx: Ctx, filters: MemoryFilters, status?: ClosedStatus): SQL[] =>
  closedInAnyStatus(ctx, filters).flatMap((part) =>
    (status ? [status] : CLOSED_STATUSES).map((one) => sql`${part} AND ${isClosedAs(ctx, one)}`),
  );

/** Ids come from indexes alone; only the records on the page are read in full. */
function closedStatement(
  ctx: Ctx,
  status: ClosedStatus | undefined,
  filters: MemoryFilters,
  page: PageRange,
) {
  const selects = closedParts(ctx, filters, status).map((part) => sql`SELECT id, closed_at ${part}`);
  return ctx.db.all<ClosedRow>(sql`
    SELECT ${LISTED_COLUMNS}, m.status, m.resolved_at, m.resolution_note, m.deferred_until,
      ${linkedMemoryId("superseded_by_id", "m")} AS superseded_by_id,
      ${sql.raw(lastAttendedSql("m"))} AS touched_at
    FROM (${unionAll(selects)} ORDER BY closed_at DESC, id DESC
      LIMIT ${page.limit} OFFSET ${page.offset}) AS page
      CROSS JOIN memories AS m ON m.owner = ${ctx.owner} AND m.id = page.id
    ORDER BY page.closed_at DESC, page.id DESC`);
}

type RecentCounts = { week: number; month: number } & Record<ClosedStatus, number>;

/** SQL: the record counts towards the completion rate. An archived preference does not: it was nothing to complete. */
const countsForRate = (clock: Clock) =>
  sql`closed_at >= ${windowStart(clock)} AND (status = 'resolved' OR memory_type IN ('commitment', 'blocker'))`;

/** Counts, per project, the records closed in the last 30 days and how many of them were resolved or deferred. */
export function ratesStatement(ctx: Ctx, clock: Clock) {
  const selects = closedParts(ctx, {}).map(
    (part) => sql`SELECT project, status ${part} AND project IS NOT NULL AND ${countsForRate(clock)}`,
  );
  return ctx.db.all<{ project: string; resolved: number; deferred: number; left: number }>(sql`
    SELECT project, count(*) FILTER (WHERE status = 'resolved') AS resolved,
      count(*) FILTER (WHERE status = 'deferred') AS deferred, count(*) AS "left"
    FROM (${unionAll(selects)}) GROUP BY project`);
}

/** Counts recently closed records. Reads only the recent part of the index. */
export function recentStatement(ctx: Ctx, clock: Clock, filters: MemoryFilters) {
  const [week, month, window] = [weekStart(clock), monthStart(clock), windowStart(clock)];
  const from = [week, month, window].sort()[0];
  const counts = countsForRate(clock);
  const selects = closedParts(ctx, filters).map(
    (part) => sql`SELECT status, memory_type, closed_at ${part} AND closed_at >= ${from}`,
  );
  return ctx.db.all<RecentCounts>(sql`
    SELECT
      count(*) FILTER (WHERE status = 'resolved' AND closed_at >= ${week}) AS week,
      count(*) FILTER (WHERE status = 'resolved' AND closed_at >= ${month}) AS month,
      ${sql.join(
        CLOSED_STATUSES.map(
          (one) => sql`count(*) FILTER (WHERE status = ${one} AND ${counts}) AS ${sql.raw(one)}`,
        ),
        sql`, `,
      )}
    FROM (${unionAll(selects)})`);
}

export function toStats([recent]: RecentCounts[], totals: MemoryTotals): CommitmentStatsWithCounts {
  const { week = 0, month = 0, resolved = 0, deferred = 0, archived = 0 } = recent ?? {};
  return {
    resolved_this_week: week,
    resolved_this_month: month,
    avg_days_to_resolve: averageDays(totals.resolved_seconds, totals.resolved),
    completion_rate_30d: completionRate(resolved, deferred, resolved + deferred + archived),
    closed_30d: { resolved, deferred, archived },
  };
}

const closedItem = (row: ClosedRow, { timezone }: Clock): ClosedItem => ({
  ...row,
  days_to_resolve: daysToResolve(row.created_at, row.resolved_at, timezone),
});

export const readStats = (ctx: Ctx, filters: MemoryFilters): Promise<CommitmentStatsWithCounts> =>
  readWithSettings(ctx, async (clock) => {
    const [sums, recent] = await batchForSpellings(ctx, filters, (spelled) => [
      totalsStatement(ctx, spelled),
      recentStatement(ctx, clock, spelled),
    ]);
    return toStats(recent, readTotals(sums));
  });

/** Closed records, last closed first. The statistics respect the filters, but not status and page. */
export const listClosed = (
  ctx: Ctx,
  { status, limit, offset, ...filters }: MemoryFilters & PageRange & { status?: ClosedStatus | undefined },
): Promise<ItemPage<ClosedItem> & { stats: CommitmentStatsWithCounts }> =>
  readWithSettings(ctx, async (clock) => {
    const [rows, sums, recent] = await batchForSpellings(ctx, filters, (spelled) => [
      closedStatement(ctx, status, spelled, { limit, offset }),
      totalsStatement(ctx, spelled),
      recentStatement(ctx, clock, spelled),
    ]);
    const totals = readTotals(sums);
    const total = status ? totals[status] : totals.deferred + totals.resolved + totals.archived;
    return { items: rows.map((row) => closedItem(row, clock)), total, stats: toStats(recent, totals) };
  });
