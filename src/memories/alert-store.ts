import { type SQL, sql } from "drizzle-orm";
import type { Ctx, CtxUser } from "../core/ctx.ts";
import {
  type ActiveItem,
  type ActiveRow,
  activeItem,
  activeStatement,
  countActive,
  isBefore,
  pageStatement,
} from "./active-store.ts";
import { type Clock, daysOverdue, daysSince, staleBefore, todayOf } from "./ages.ts";
import { type Filters, type List, matching, type Page, woken } from "./filter-store.ts";

// Alerts: overdue records of every type, then stale commitments and blockers, each longest first.

/** An alert with the type of its record. */
export type TypedAlert = ActiveItem &
  ({ alert_type: "overdue"; days_overdue: number } | { alert_type: "stale"; days_stale: number });

const STALE_TYPES = ["commitment", "blocker"] as const;
type StaleType = (typeof STALE_TYPES)[number];

/** What alerts depend on: the user's clock, and after how many days something goes stale. */
export type Attention = Clock & Pick<CtxUser, "stale_after_days">;

/** Loads the caller's settings, unless an earlier database call of the request already has. */
export async function attentionOf(ctx: Ctx): Promise<Attention> {
  const { timezone, stale_after_days } = await ctx.user();
  return { now: ctx.now, timezone, stale_after_days };
}

const literal = (type: StaleType) => sql.raw(`'${type}'`);

/** Stale records of each type that goes stale: those stored as active, and those that woke and went stale since. */
function staleParts(ctx: Ctx, attention: Attention, filters: Filters): SQL[] {
  const asked = STALE_TYPES.filter((type) => !filters.memory_type || filters.memory_type === type);
  const { memory_type: _, ...others } = filters;
  return asked.flatMap((type) => {
    const stale = sql`memory_type = ${literal(type)} AND due_date IS NULL
      AND touched_at < ${staleBefore(attention.stale_after_days[type], attention)}`;
    return [
      sql`FROM memories INDEXED BY memories_stale_idx
        WHERE ${matching(ctx, others)} AND status = 'active' AND ${stale}`,
      woken(ctx, others, stale),
    ];
  });
}

const sum = (counts: SQL[]) => (counts.length > 0 ? sql`(${sql.join(counts, sql` + `)})` : sql`0`);

/** The number of stale records, in SQL. */
export const countStale = (ctx: Ctx, attention: Attention, filters: Filters) =>
  sum(staleParts(ctx, attention, filters).map((part) => sql`(SELECT count(*) ${part})`));

/** The number of overdue records, in SQL. */
export const countOverdue = (ctx: Ctx, attention: Attention, filters: Filters) =>
  countActive(ctx, filters, isBefore(todayOf(attention)));

/** The statement that reads overdue records, longest overdue first. */
export const overdueStatement = (ctx: Ctx, attention: Attention, filters: Filters, page: Page) =>
  activeStatement(ctx, filters, { ...page, condition: isBefore(todayOf(attention)) });

const NONE = sql`SELECT 0 AS id, '' AS created_at, '' AS list_key WHERE false`;

/**
 * The statement that reads stale records, longest first, for the part of the page that overdue records leave free.
 *
 * @param page `ahead` is the number of overdue records, in SQL
 */
export function staleStatement(
  ctx: Ctx,
  attention: Attention,
  filters: Filters,
  { limit, offset, ahead }: Page & { ahead: SQL },
) {
  const parts = staleParts(ctx, attention, filters).map(
    (part) => sql`SELECT id, created_at, touched_at AS list_key ${part}`,
  );
  const before = sql`(SELECT alerts FROM ahead)`;
  return pageStatement(ctx, parts.length > 0 ? parts : [NONE], {
    given: sql`WITH ahead AS MATERIALIZED (SELECT ${ahead} AS alerts)`,
    limit: sql`max(0, ${limit} - max(0, ${before} - ${offset}))`,
    offset: sql`max(0, ${offset} - ${before})`,
  });
}

/** A row as an alert. */
export function alertItem(row: ActiveRow, clock: Clock, alert_type: TypedAlert["alert_type"]): TypedAlert {
  const item = activeItem(row, clock);
  return alert_type === "overdue"
    ? { ...item, alert_type, days_overdue: daysOverdue(row.due_date ?? todayOf(clock), todayOf(clock)) }
    : { ...item, alert_type, days_stale: daysSince(row.touched_at, clock) };
}

/** Alerts with the types of their records, overdue before stale. */
export async function listTypedAlerts(ctx: Ctx, filters: Filters, page: Page): Promise<List<TypedAlert>> {
  const attention = await attentionOf(ctx);
  const ahead = countOverdue(ctx, attention, filters);
  const [overdue, stale, [count]] = await ctx.db.batch([
    overdueStatement(ctx, attention, filters, page),
    staleStatement(ctx, attention, filters, { ...page, ahead }),
    ctx.db.all<{ total: number }>(sql`SELECT ${ahead} + ${countStale(ctx, attention, filters)} AS total`),
  ]);
  const items = [
    ...overdue.map((row) => alertItem(row, attention, "overdue")),
    ...stale.map((row) => alertItem(row, attention, "stale")),
  ];
  return { items, total: count?.total ?? 0 };
}
