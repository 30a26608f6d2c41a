import { sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { addDays } from "../core/days.ts";
import {
  type ActiveItem,
  activeItem,
  activeStatement,
  countActive,
  DUE_KEY,
  isBetween,
  listActive,
} from "../memories/active-store.ts";
import { todayOf } from "../memories/ages.ts";
import {
  alertItem,
  attentionOf,
  countOverdue,
  countStale,
  listTypedAlerts,
  overdueStatement,
  staleStatement,
  type TypedAlert,
} from "../memories/alert-store.ts";
import { type ClosedQuery, listClosed, recentStatement, statsOf } from "../memories/closed-store.ts";
import {
  type Counts,
  type Filters,
  type Group,
  groupStatements,
  type List,
  type Page,
  totalsOf,
  totalsStatement,
} from "../memories/filter-store.ts";
import type { Stats } from "../memories/schema.ts";
import type { AlertItem, CommitmentHistory, CommitmentItem, Summary } from "./schema.ts";

// Read-only. Each answer takes one batch, or two if the caller's time zone has to be loaded first.

const MAX_PROJECTS = 100;
const SOON_DAYS = 7;

const withoutType = <Item extends { memory_type: unknown }>({ memory_type: _, ...item }: Item) => item;

/** The caller's active commitments. */
export async function listCommitments(
  ctx: Ctx,
  { limit, ...filters }: Filters & { limit: number },
): Promise<List<CommitmentItem>> {
  const asked = { ...filters, memory_type: "commitment" } as const;
  const { items, total } = await listActive(ctx, asked, { limit, offset: 0 });
  return { items: items.map(withoutType), total };
}

/** Overdue records, then stale ones, each longest first. */
export async function listAlerts(
  ctx: Ctx,
  { scope, ...page }: Pick<Filters, "scope"> & Page,
): Promise<List<AlertItem>> {
  const { items, total } = await listTypedAlerts(ctx, { scope }, page);
  return { items: items.map((item) => withoutType(item) as AlertItem), total };
}

/** Closed records, in the form of the commitment history. */
export async function listHistory(ctx: Ctx, query: ClosedQuery): Promise<CommitmentHistory> {
  const { items, ...rest } = await listClosed(ctx, query);
  return { items: items.map(({ deferred_until: _, superseded_by_id: __, ...item }) => item), ...rest };
}

const NOTHING: Counts = { active: 0, deferred: 0, resolved: 0, archived: 0 };

const plus = (a: Counts, b: Counts): Counts => ({
  active: a.active + b.active,
  deferred: a.deferred + b.deferred,
  resolved: a.resolved + b.resolved,
  archived: a.archived + b.archived,
});

function sumBy<Key extends "project" | "memory_type">(groups: Group[], key: Key): Map<Group[Key], Counts> {
  const sums = new Map<Group[Key], Counts>();
  for (const group of groups) sums.set(group[key], plus(sums.get(group[key]) ?? NOTHING, group));
  return sums;
}

/** Counts by state, type and project. */
function countsOf(groups: Group[]): Pick<Summary, "by_status" | "by_memory_type" | "by_project"> {
  const all = groups.filter(({ project }) => project === "");
  const named = groups.filter(({ project }) => project !== "");
  return {
    by_status: all.reduce(plus, NOTHING),
    by_memory_type: [...sumBy(all, "memory_type")].map(([memory_type, counts]) => ({
      memory_type,
      ...counts,
    })),
    by_project: [...sumBy(named, "project")]
      .map(([project, counts]) => ({ project, ...counts }))
      .sort((a, b) => b.active - a.active || (a.project < b.project ? -1 : 1))
      .slice(0, MAX_PROJECTS),
  };
}

type Due = Pick<Summary, "overdue" | "due_today" | "due_in_7_days" | "stale">;

/** Counts by state, type and project, and of what is due. */
export async function getSummary(ctx: Ctx, filters: Pick<Filters, "scope">): Promise<Summary> {
  const attention = await attentionOf(ctx);
  const today = todayOf(attention);
  const [tomorrow, lastDay] = [addDays(today, 1), addDays(today, SOON_DAYS)];
  const [counters, corrections, [due]] = await ctx.db.batch([
    ...groupStatements(ctx, filters),
    ctx.db.all<Due>(sql`SELECT ${countOverdue(ctx, attention, filters)} AS overdue,
      ${countActive(ctx, filters, isBetween(today, today))} AS due_today,
      ${countActive(ctx, filters, isBetween(tomorrow, lastDay))} AS due_in_7_days,
      ${countStale(ctx, attention, filters)} AS stale`),
  ]);
  if (!due) throw new Error("A SELECT without a FROM has one row");
  return { today, timezone: attention.timezone, ...countsOf([...counters, ...corrections]), ...due };
}

export type BriefingParts = {
  overdue: List<TypedAlert>;
  due_soon: List<ActiveItem>;
  stale: List<TypedAlert>;
  blockers: List<ActiveItem>;
  recent_decisions: List<ActiveItem>;
  stats: Stats;
};

/** The first items of each list in a briefing, with totals. */
export async function getBriefingParts(ctx: Ctx, filters: Filters, limit: number): Promise<BriefingParts> {
  const attention = await attentionOf(ctx);
  const today = todayOf(attention);
  const page = { limit, offset: 0 };
  const soon = isBetween(today, addDays(today, SOON_DAYS));
  const blockers = { ...filters, memory_type: "blocker" } as const;
  const decisions = { ...filters, memory_type: "decision" } as const;
  const [overdue, dueSoon, stale, blocking, decided, counts, sums, blockerSums, decisionSums, recent] =
    await ctx.db.batch([
      overdueStatement(ctx, attention, filters, page),
      activeStatement(ctx, filters, { ...page, condition: soon }),
      staleStatement(ctx, attention, filters, { ...page, ahead: sql`0` }),
      activeStatement(ctx, blockers, page),
      activeStatement(ctx, decisions, { ...page, condition: sql`${DUE_KEY} = '~'` }),
      ctx.db.all<{ overdue: number; due_soon: number; stale: number }>(sql`
      SELECT ${countOverdue(ctx, attention, filters)} AS overdue, ${countActive(ctx, filters, soon)} AS due_soon,
        ${countStale(ctx, attention, filters)} AS stale`),
      totalsStatement(ctx, filters),
      totalsStatement(ctx, blockers),
      totalsStatement(ctx, decisions),
      recentStatement(ctx, attention, filters),
    ]);
  const [count] = counts;
  const active = (rows: typeof blocking) => rows.map((row) => activeItem(row, attention));
  return {
    overdue: {
      items: overdue.map((row) => alertItem(row, attention, "overdue")),
      total: count?.overdue ?? 0,
    },
    due_soon: { items: active(dueSoon), total: count?.due_soon ?? 0 },
    stale: { items: stale.map((row) => alertItem(row, attention, "stale")), total: count?.stale ?? 0 },
    blockers: { items: active(blocking), total: totalsOf(blockerSums).active },
    recent_decisions: { items: active(decided), total: totalsOf(decisionSums).active },
    stats: statsOf(recent, totalsOf(sums)),
  };
}
