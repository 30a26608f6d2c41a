import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { type Clock, daysSince } from "./ages.ts";
import {
  ALWAYS,
  type Filters,
  type List,
  matching,
  type Page,
  totalsOf,
  totalsStatement,
  woken,
} from "./filter-store.ts";
import { clockOf } from "./row-store.ts";
import type { Memory } from "./schema.ts";

// Lists of active records: by due date, so overdue ones come first, then those without one, newest first.

/** An item of the active lists. */
export type ActiveItem = Pick<
  Memory,
  | "id"
  | "memory_type"
  | "topic"
  | "content"
  | "created_at"
  | "updated_at"
  | "status"
  | "project"
  | "scope"
  | "due_date"
> & { days_ago: number };

export type ActiveRow = Omit<ActiveItem, "days_ago"> & { touched_at: string };

/** The due date, or '~', which sorts after every date. Must match the expression in the index. */
export const DUE_KEY = sql`coalesce(due_date, '~')`;

export const isBefore = (day: string) => sql`${DUE_KEY} < ${day}`;
export const isBetween = (from: string, to: string) => sql`${DUE_KEY} >= ${from} AND ${DUE_KEY} <= ${to}`;

/** Records that are stored as active. */
const writtenActive = (ctx: Ctx, filters: Filters, condition: SQL) => sql`
  FROM memories INDEXED BY memories_active_idx
  WHERE ${matching(ctx, filters)} AND status = 'active' AND ${condition}`;

/** Limit and offset of a page, in SQL; `given` is a WITH clause that both may use. */
type PageOf = { limit: SQL; offset: SQL; given?: SQL };

/**
 * Reads a page of records. The parts are answered from indexes alone; only records on the page are read in full.
 *
 * @param parts SELECTs of id, created_at and list_key
 */
export const pageStatement = (ctx: Ctx, parts: SQL[], { limit, offset, given = sql`` }: PageOf) =>
  ctx.db.all<ActiveRow>(sql`
    ${given} SELECT m.id, m.memory_type, m.topic, m.content, m.created_at, m.updated_at, 'active' AS status, m.project, m.scope,
      m.due_date, m.touched_at
    FROM (${sql.join(parts, sql` UNION ALL `)} ORDER BY list_key, created_at DESC, id DESC
      LIMIT ${limit} OFFSET ${offset}) AS page
      CROSS JOIN memories AS m ON m.owner = ${ctx.owner} AND m.id = page.id
    ORDER BY page.list_key, page.created_at DESC, page.id DESC`);

/** The statement that reads a page of the active records for which `condition` holds. */
export function activeStatement(ctx: Ctx, filters: Filters, page: Page & { condition?: SQL }) {
  const condition = page.condition ?? ALWAYS;
  const key = sql`SELECT id, created_at, ${DUE_KEY} AS list_key`;
  const parts = [writtenActive(ctx, filters, condition), woken(ctx, filters, condition)].map(
    (part) => sql`${key} ${part}`,
  );
  return pageStatement(ctx, parts, { limit: sql`${page.limit}`, offset: sql`${page.offset}` });
}

/** The number of active records for which `condition` holds, in SQL. */
export const countActive = (ctx: Ctx, filters: Filters, condition: SQL) => sql`
  ((SELECT count(*) ${writtenActive(ctx, filters, condition)}) + (SELECT count(*) ${woken(ctx, filters, condition)}))`;

export function activeItem({ touched_at: _, ...row }: ActiveRow, clock: Clock): ActiveItem {
  return { ...row, days_ago: daysSince(row.created_at, clock) };
}

/** Active records: by due date, then those without one, newest first. */
export async function listActive(ctx: Ctx, filters: Filters, page: Page): Promise<List<ActiveItem>> {
  const [rows, totals] = await ctx.db.batch([
    activeStatement(ctx, filters, page),
    totalsStatement(ctx, filters),
  ]);
  const clock = await clockOf(ctx);
  return { items: rows.map((row) => activeItem(row, clock)), total: totalsOf(totals).active };
}
