import { sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
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
  type Filters,
  type List,
  matching,
  type Page,
  type Totals,
  totalsOf,
  totalsStatement,
} from "./filter-store.ts";
import { clockOf, isAwake } from "./row-store.ts";
import type { Memory, Stats } from "./schema.ts";

// Closed records, last closed first, and statistics about them.

const CLOSED = ["resolved", "deferred", "archived"] as const;
export type ClosedStatus = (typeof CLOSED)[number];

/** A history item, with the day on which it is active again and the record that replaced it. */
export type ClosedItem = Pick<
  Memory,
  | "id"
  | "memory_type"
  | "topic"
  | "content"
  | "status"
  | "created_at"
  | "updated_at"
  | "project"
  | "scope"
  | "due_date"
  | "resolved_at"
  | "resolution_note"
  | "days_to_resolve"
  | "deferred_until"
  | "superseded_by_id"
>;
type ClosedRow = Omit<ClosedItem, "days_to_resolve">;

/** The caller's closed records, without those that have woken. */
const closed = (ctx: Ctx, filters: Filters) => sql`
  FROM memories INDEXED BY ${sql.raw(filters.project ? "memories_closed_project_idx" : "memories_closed_idx")}
  WHERE ${matching(ctx, filters)} AND closed_at IS NOT NULL AND NOT ${isAwake(ctx)}`;

/** Ids come from an index alone; only records on the page are read in full. */
function closedStatement(ctx: Ctx, status: ClosedStatus | undefined, filters: Filters, page: Page) {
  const parts = CLOSED.filter((one) => !status || one === status).map(
    (one) => sql`SELECT id, closed_at ${closed(ctx, filters)} AND status = ${one}`,
  );
  return ctx.db.all<ClosedRow>(sql`
    SELECT m.id, m.memory_type, m.topic, m.content, m.status, m.created_at, m.updated_at, m.project, m.scope, m.due_date,
      m.resolved_at, m.resolution_note, m.deferred_until, m.superseded_by_id
    FROM (${sql.join(parts, sql` UNION ALL `)} ORDER BY closed_at DESC, id DESC
      LIMIT ${page.limit} OFFSET ${page.offset}) AS page
      CROSS JOIN memories AS m ON m.owner = ${ctx.owner} AND m.id = page.id
    ORDER BY page.closed_at DESC, page.id DESC`);
}

export type Recent = { week: number; month: number; resolved: number; closed: number };

/** The statement that counts recently closed records; it reads only the recent part of the index. */
export function recentStatement(ctx: Ctx, clock: Clock, filters: Filters) {
  const [week, month, window] = [weekStart(clock), monthStart(clock), windowStart(clock)];
  const from = [week, month, window].sort()[0];
  return ctx.db.all<Recent>(sql`
    SELECT
      count(*) FILTER (WHERE status = 'resolved' AND closed_at >= ${week}) AS week,
      count(*) FILTER (WHERE status = 'resolved' AND closed_at >= ${month}) AS month,
      count(*) FILTER (WHERE status = 'resolved' AND closed_at >= ${window}) AS resolved,
      count(*) FILTER (WHERE closed_at >= ${window}) AS closed
    ${closed(ctx, filters)} AND status IN ('resolved', 'deferred', 'archived') AND closed_at >= ${from}`);
}

/** History statistics, from the recent counts and the totals. */
export const statsOf = ([recent]: Recent[], { resolved, resolved_seconds }: Totals): Stats => ({
  resolved_this_week: recent?.week ?? 0,
  resolved_this_month: recent?.month ?? 0,
  avg_days_to_resolve: averageDays(resolved_seconds, resolved),
  completion_rate_30d: completionRate(recent?.resolved ?? 0, recent?.closed ?? 0),
});

const closedItem = (row: ClosedRow, { timezone }: Clock): ClosedItem => ({
  ...row,
  days_to_resolve: daysToResolve(row.created_at, row.resolved_at, timezone),
});

export type ClosedQuery = Filters & Page & { status?: ClosedStatus | undefined };

/** Closed records, last closed first. The statistics follow the filters, but neither status nor page. */
export async function listClosed(
  ctx: Ctx,
  { status, limit, offset, ...filters }: ClosedQuery,
): Promise<List<ClosedItem> & { stats: Stats }> {
  const clock = await clockOf(ctx);
  const [rows, sums, recent] = await ctx.db.batch([
    closedStatement(ctx, status, filters, { limit, offset }),
    totalsStatement(ctx, filters),
    recentStatement(ctx, clock, filters),
  ]);
  const totals = totalsOf(sums);
  const total = status ? totals[status] : totals.deferred + totals.resolved + totals.archived;
  return { items: rows.map((row) => closedItem(row, clock)), total, stats: statsOf(recent, totals) };
}
