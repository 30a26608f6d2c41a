import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { addDays } from "../core/days.ts";
import {
  averageDays,
  type Clock,
  completionRate,
  daysOverdue,
  daysSince,
  daysToResolve,
  monthStart,
  staleBefore,
  todayOf,
  weekStart,
  windowStart,
} from "../memories/ages.ts";
import type { MemoryType, Scope } from "../memories/schema.ts";
import type { AlertItem, CommitmentHistory, CommitmentItem, HistoryItem, Stats, Summary } from "./schema.ts";

// Reads only, each answer in one batch. Every list has an index in its own order (migrations/0004_memories.sql) and
// every total a counter; INDEXED BY makes a list that lost its index an error and not a scan.

/** Which records: all conditions must hold. */
export type Filters = {
  scope?: Scope | undefined;
  project?: string | undefined;
  memory_type?: MemoryType | undefined;
};

export type Page = { limit: number; offset: number };

/** An item of the active lists, with its type. */
export type ActiveItem = CommitmentItem & { memory_type: MemoryType };
export type TypedAlert = AlertItem & { memory_type: MemoryType };
export type List<Item> = { items: Item[]; total: number };

type ActiveRow = Omit<ActiveItem, "days_ago"> & { touched_at: string; is_stale: number };

const MAX_PROJECTS = 100;
const SOON_DAYS = 7;

const clockOf = (ctx: Ctx): Clock => ({ now: ctx.now, timezone: ctx.account.timezone });

/** The caller's calendar day and where it is. */
export const dayAndZone = (ctx: Ctx) => ({ today: todayOf(clockOf(ctx)), timezone: ctx.account.timezone });

const ALWAYS = sql`true`;
/** The due date, or what comes after every date. Written as the indexes have it. */
const DUE_KEY = sql`coalesce(due_date, '~')`;

const isBefore = (day: string) => sql`${DUE_KEY} < ${day}`;
export const isBetween = (from: string, to: string) => sql`${DUE_KEY} >= ${from} AND ${DUE_KEY} <= ${to}`;

function matching(ctx: Ctx, { scope, project, memory_type }: Filters): SQL {
  const filters = [
    sql`owner = ${ctx.owner}`,
    ...(scope ? [sql`scope = ${scope}`] : []),
    ...(project ? [sql`project = ${project}`] : []),
    ...(memory_type ? [sql`memory_type = ${memory_type}`] : []),
  ];
  return sql.join(filters, sql` AND `);
}

const FILTERS = ["scope", "project", "memory_type"] as const;

/** The index that has a half of the records in the order of its list, for these filters. */
function indexFor(half: "active" | "closed", filters: Filters): SQL {
  const given = FILTERS.filter((name) => filters[name]);
  return sql.raw(["memories", half, ...given, "idx"].join("_"));
}

/** The records that are written down as active. */
const writtenActive = (ctx: Ctx, filters: Filters, condition: SQL) => sql`
  FROM memories INDEXED BY ${indexFor("active", filters)}
  WHERE ${matching(ctx, filters)} AND status = 'active' AND ${condition}`;

/** The records that have woken and are still written down as deferred: few, for the cron handler works them off. */
const woken = (ctx: Ctx, filters: Filters, condition: SQL) => sql`
  FROM memories INDEXED BY memories_deferred_idx
  WHERE ${matching(ctx, filters)} AND status = 'deferred' AND deferred_until <= ${todayOf(clockOf(ctx))}
    AND ${condition}`;

/** The columns of an active item, which alert it is, and the key of the list's index. */
const activeColumns = (isStale: 0 | 1, key: SQL) => sql`
  SELECT id, memory_type, topic, content, created_at, updated_at, 'active' AS status, project, scope, due_date,
    touched_at, ${sql.raw(String(isStale))} AS is_stale, ${key} AS list_key`;

type Counts = Summary["by_status"];
type Totals = Counts & { resolved_seconds: number };

/** How many records there are in each state: counters, which still have woken records as deferred, and those. */
const totalsStatement = (ctx: Ctx, { project, ...filters }: Filters) =>
  ctx.db.all<Totals & { woken: number }>(sql`
    SELECT coalesce(sum(active), 0) AS active, coalesce(sum(deferred), 0) AS deferred,
      coalesce(sum(resolved), 0) AS resolved, coalesce(sum(archived), 0) AS archived,
      coalesce(sum(resolved_seconds), 0) AS resolved_seconds,
      (SELECT count(*) ${woken(ctx, { ...filters, project }, ALWAYS)}) AS woken
    FROM memory_totals WHERE ${matching(ctx, filters)} AND project = ${project ?? ""}`);

function totalsOf([row]: (Totals & { woken: number })[]): Totals {
  if (!row) throw new Error("A sum without GROUP BY has one row");
  const { woken, active, deferred, ...totals } = row;
  return { ...totals, active: active + woken, deferred: deferred - woken };
}

const countStatement = (ctx: Ctx, count: SQL) => ctx.db.all<{ total: number }>(sql`SELECT ${count} AS total`);

const countOf = (rows: { total: number }[]) => rows[0]?.total ?? 0;

/** Active records for which `condition` holds: by due date, then those without one, newest first. */
export function activeStatement(ctx: Ctx, filters: Filters, page: Page & { condition?: SQL }) {
  const condition = page.condition ?? ALWAYS;
  return ctx.db.all<ActiveRow>(sql`
    ${activeColumns(0, DUE_KEY)} ${writtenActive(ctx, filters, condition)}
    UNION ALL ${activeColumns(0, DUE_KEY)} ${woken(ctx, filters, condition)}
    ORDER BY list_key, created_at DESC, id DESC
    LIMIT ${page.limit} OFFSET ${page.offset}`);
}

/** How many active records there are for which `condition` holds. */
const countActive = (ctx: Ctx, filters: Filters, condition: SQL) => sql`
  (SELECT count(*) ${writtenActive(ctx, filters, condition)}) + (SELECT count(*) ${woken(ctx, filters, condition)})`;

function activeItem(ctx: Ctx, row: ActiveRow): ActiveItem {
  return {
    id: row.id,
    memory_type: row.memory_type,
    topic: row.topic,
    content: row.content,
    created_at: row.created_at,
    updated_at: row.updated_at,
    days_ago: daysSince(row.created_at, clockOf(ctx)),
    status: row.status,
    project: row.project,
    scope: row.scope,
    due_date: row.due_date,
  };
}

/** Active records of every type: overdue ones first by due date, then due ones by date, then the rest, newest first. */
export async function listActive(ctx: Ctx, filters: Filters, page: Page): Promise<List<ActiveItem>> {
  await ctx.user();
  const [rows, totals] = await ctx.db.batch([
    activeStatement(ctx, filters, page),
    totalsStatement(ctx, filters),
  ]);
  return { items: rows.map((row) => activeItem(ctx, row)), total: totalsOf(totals).active };
}

const withoutType = <Item extends { memory_type: unknown }>({ memory_type: _, ...item }: Item) => item;

/** The caller's active commitments. */
export async function listCommitments(
  ctx: Ctx,
  { limit, ...filters }: Filters & { limit: number },
): Promise<List<CommitmentItem>> {
  const { items, total } = await listActive(
    ctx,
    { ...filters, memory_type: "commitment" },
    { limit, offset: 0 },
  );
  return { items: items.map(withoutType), total };
}

const STALE_TYPES = ["commitment", "blocker"] as const;
type StaleType = (typeof STALE_TYPES)[number];

const staleCutoff = (ctx: Ctx, type: StaleType) =>
  staleBefore(ctx.account.stale_after_days[type], clockOf(ctx));

/** Records of a type that are written down as active and have gone stale. */
const writtenStale = (ctx: Ctx, type: StaleType, filters: Filters) => sql`
  FROM memories INDEXED BY ${sql.raw(filters.scope ? "memories_stale_scope_idx" : "memories_stale_idx")}
  WHERE ${matching(ctx, { ...filters, memory_type: type })} AND status = 'active' AND due_date IS NULL
    AND touched_at < ${staleCutoff(ctx, type)} AND memory_type = ${filters.memory_type ?? type}`;

/** Records that have woken, were not written down as active, and have even gone stale since. */
const wokenStale = (ctx: Ctx, filters: Filters) =>
  woken(
    ctx,
    filters,
    sql`due_date IS NULL AND touched_at < CASE memory_type
      WHEN 'commitment' THEN ${staleCutoff(ctx, "commitment")}
      WHEN 'blocker' THEN ${staleCutoff(ctx, "blocker")} END`,
  );

const countStale = (ctx: Ctx, filters: Filters) => sql`
  (SELECT count(*) ${writtenStale(ctx, "commitment", filters)})
  + (SELECT count(*) ${writtenStale(ctx, "blocker", filters)})
  + (SELECT count(*) ${wokenStale(ctx, filters)})`;

const ALERT_ORDER = sql`ORDER BY list_key, created_at DESC, id DESC`;

/** Overdue records, longest first. */
function overdueStatement(ctx: Ctx, filters: Filters, { limit, offset }: Page) {
  const overdue = isBefore(todayOf(clockOf(ctx)));
  return ctx.db.all<ActiveRow>(sql`
    ${activeColumns(0, DUE_KEY)} ${writtenActive(ctx, filters, overdue)}
    UNION ALL ${activeColumns(0, DUE_KEY)} ${woken(ctx, filters, overdue)}
    ${ALERT_ORDER} LIMIT ${limit} OFFSET ${offset}`);
}

/** Stale records, longest first: the part of the page that the overdue ones leave, `ahead` being how many they are. */
function staleStatement(ctx: Ctx, filters: Filters, { limit, offset, ahead }: Page & { ahead: SQL }) {
  const before = sql`(SELECT alerts FROM ahead)`;
  const columns = activeColumns(1, sql`touched_at`);
  return ctx.db.all<ActiveRow>(sql`
    WITH ahead AS MATERIALIZED (SELECT ${ahead} AS alerts)
    ${columns} ${writtenStale(ctx, "commitment", filters)}
    UNION ALL ${columns} ${writtenStale(ctx, "blocker", filters)}
    UNION ALL ${columns} ${wokenStale(ctx, filters)}
    ${ALERT_ORDER} LIMIT max(0, ${limit} - max(0, ${before} - ${offset})) OFFSET max(0, ${offset} - ${before})`);
}

function alertItem(ctx: Ctx, row: ActiveRow): TypedAlert {
  const clock = clockOf(ctx);
  const item = activeItem(ctx, row);
  if (row.is_stale === 0 && row.due_date) {
    return { ...item, alert_type: "overdue", days_overdue: daysOverdue(row.due_date, todayOf(clock)) };
  }
  return { ...item, alert_type: "stale", days_stale: daysSince(row.touched_at, clock) };
}

const overdueTotal = (ctx: Ctx, filters: Filters) =>
  countActive(ctx, filters, isBefore(todayOf(clockOf(ctx))));

/** What needs attention, with its type: overdue records, longest first, then stale ones, longest first. */
export async function listTypedAlerts(ctx: Ctx, filters: Filters, page: Page): Promise<List<TypedAlert>> {
  await ctx.user();
  const [overdue, stale, total] = await ctx.db.batch([
    overdueStatement(ctx, filters, page),
    staleStatement(ctx, filters, { ...page, ahead: overdueTotal(ctx, filters) }),
    countStatement(ctx, sql`${overdueTotal(ctx, filters)} + ${countStale(ctx, filters)}`),
  ]);
  return { items: [...overdue, ...stale].map((row) => alertItem(ctx, row)), total: countOf(total) };
}

/** What needs attention: overdue records, longest first, then stale ones, longest first. */
export async function listAlerts(
  ctx: Ctx,
  { scope, ...page }: Pick<Filters, "scope"> & Page,
): Promise<List<AlertItem>> {
  const { items, total } = await listTypedAlerts(ctx, { scope }, page);
  return { items: items.map((item) => withoutType(item) as AlertItem), total };
}

export type ClosedStatus = "resolved" | "deferred" | "archived";
const CLOSED = ["resolved", "deferred", "archived"] as const;

/** An item of the history, with when it comes back and what took its place. */
export type ClosedItem = HistoryItem & { deferred_until: string | null; superseded_by_id: number | null };
type ClosedRow = Omit<ClosedItem, "days_to_resolve">;

/** Still waiting; what has woken is not closed. */
const isClosed = (ctx: Ctx) =>
  sql`(status <> 'deferred' OR deferred_until IS NULL OR deferred_until > ${todayOf(clockOf(ctx))})`;

const closedPart = (ctx: Ctx, status: ClosedStatus, filters: Filters) => sql`
  SELECT id, memory_type, topic, content, status, created_at, updated_at, project, scope, due_date, resolved_at,
    resolution_note, deferred_until, superseded_by_id, closed_at
  FROM memories INDEXED BY ${indexFor("closed", filters)}
  WHERE ${matching(ctx, filters)} AND status = ${status} AND closed_at IS NOT NULL AND ${isClosed(ctx)}`;

function closedStatement(ctx: Ctx, status: ClosedStatus | undefined, filters: Filters, page: Page) {
  const parts = CLOSED.filter((one) => !status || one === status).map((one) => closedPart(ctx, one, filters));
  return ctx.db.all<ClosedRow>(sql`${sql.join(parts, sql` UNION ALL `)} ORDER BY closed_at DESC, id DESC
    LIMIT ${page.limit} OFFSET ${page.offset}`);
}

type Recent = { week: number; month: number; resolved: number; closed: number };

/** What was closed lately, from the part of the index that the last weeks are in. */
function recentStatement(ctx: Ctx, filters: Filters) {
  const clock = clockOf(ctx);
  const [week, month, window] = [weekStart(clock), monthStart(clock), windowStart(clock)];
  const from = [week, month, window].sort()[0];
  return ctx.db.all<Recent>(sql`
    SELECT
      count(*) FILTER (WHERE status = 'resolved' AND closed_at >= ${week}) AS week,
      count(*) FILTER (WHERE status = 'resolved' AND closed_at >= ${month}) AS month,
      count(*) FILTER (WHERE status = 'resolved' AND closed_at >= ${window}) AS resolved,
      count(*) FILTER (WHERE closed_at >= ${window}) AS closed
    FROM memories INDEXED BY ${indexFor("closed", filters)}
    WHERE ${matching(ctx, filters)} AND status IN ('resolved', 'deferred', 'archived') AND closed_at IS NOT NULL
      AND closed_at >= ${from} AND ${isClosed(ctx)}`);
}

const statsOf = ([recent]: Recent[], { resolved, resolved_seconds }: Totals): Stats => ({
  resolved_this_week: recent?.week ?? 0,
  resolved_this_month: recent?.month ?? 0,
  avg_days_to_resolve: averageDays(resolved_seconds, resolved),
  completion_rate_30d: completionRate(recent?.resolved ?? 0, recent?.closed ?? 0),
});

type HistoryQuery = Filters & Page & { status?: ClosedStatus | undefined };

/** Closed records, last closed first. The statistics follow the filters, but neither status nor page. */
export async function listClosed(
  ctx: Ctx,
  query: HistoryQuery,
): Promise<List<ClosedItem> & { stats: Stats }> {
  await ctx.user();
  const { status, limit, offset, ...filters } = query;
  const [rows, sums, recent] = await ctx.db.batch([
    closedStatement(ctx, status, filters, { limit, offset }),
    totalsStatement(ctx, filters),
    recentStatement(ctx, filters),
  ]);
  const items = rows.map((row) => closedItem(ctx, row));
  const totals = totalsOf(sums);
  const total = status ? totals[status] : totals.deferred + totals.resolved + totals.archived;
  return { items, total, stats: statsOf(recent, totals) };
}

/** Closed records, as spec.md's commitment history has them. */
export async function listHistory(ctx: Ctx, query: HistoryQuery): Promise<CommitmentHistory> {
  const { items, ...rest } = await listClosed(ctx, query);
  return { items: items.map(({ deferred_until: _, superseded_by_id: __, ...item }) => item), ...rest };
}

function closedItem(ctx: Ctx, row: ClosedRow): ClosedItem {
  return {
    id: row.id,
    memory_type: row.memory_type,
    topic: row.topic,
    content: row.content,
    status: row.status,
    created_at: row.created_at,
    updated_at: row.updated_at,
    project: row.project,
    scope: row.scope,
    due_date: row.due_date,
    resolved_at: row.resolved_at,
    resolution_note: row.resolution_note,
    days_to_resolve: daysToResolve(row.created_at, row.resolved_at, ctx.account.timezone),
    deferred_until: row.deferred_until,
    superseded_by_id: row.superseded_by_id,
  };
}

type Group = Counts & { project: string; memory_type: MemoryType };

const groupsStatement = (ctx: Ctx, filters: Filters) =>
  ctx.db.all<Group>(sql`
    SELECT project, memory_type, sum(active) AS active, sum(deferred) AS deferred, sum(resolved) AS resolved,
      sum(archived) AS archived
    FROM memory_totals WHERE ${matching(ctx, filters)} GROUP BY project, memory_type`);

/** The woken records as a correction of the counters, in which they are still deferred: for all projects and for each. */
const wokenGroupsStatement = (ctx: Ctx, filters: Filters) =>
  ctx.db.all<Group>(sql`
    SELECT key.value AS project, memory_type, count(*) AS active, -count(*) AS deferred, 0 AS resolved, 0 AS archived
    FROM (SELECT memory_type, project ${woken(ctx, filters, ALWAYS)}) AS m
      JOIN json_each(json_array('', m.project)) AS key
    WHERE key.value IS NOT NULL GROUP BY key.value, memory_type`);

const NONE: Counts = { active: 0, deferred: 0, resolved: 0, archived: 0 };

const plus = (a: Counts, b: Counts): Counts => ({
  active: a.active + b.active,
  deferred: a.deferred + b.deferred,
  resolved: a.resolved + b.resolved,
  archived: a.archived + b.archived,
});

function sumBy<Key extends "project" | "memory_type">(groups: Group[], key: Key): Map<Group[Key], Counts> {
  const sums = new Map<Group[Key], Counts>();
  for (const group of groups) sums.set(group[key], plus(sums.get(group[key]) ?? NONE, group));
  return sums;
}

/** How much there is, by state, type and project, and what is due. */
export async function getSummary(ctx: Ctx, filters: Pick<Filters, "scope">): Promise<Summary> {
  await ctx.user();
  const { today, timezone } = dayAndZone(ctx);
  const [tomorrow, lastDay] = [addDays(today, 1), addDays(today, SOON_DAYS)];
  const [counters, corrections, overdue, dueToday, dueSoon, stale] = await ctx.db.batch([
    groupsStatement(ctx, filters),
    wokenGroupsStatement(ctx, filters),
    countStatement(ctx, overdueTotal(ctx, filters)),
    countStatement(ctx, countActive(ctx, filters, isBetween(today, today))),
    countStatement(ctx, countActive(ctx, filters, isBetween(tomorrow, lastDay))),
    countStatement(ctx, countStale(ctx, filters)),
  ]);
  const groups = [...counters, ...corrections];
  const all = groups.filter(({ project }) => project === "");
  const projects = sumBy(
    groups.filter(({ project }) => project !== ""),
    "project",
  );
  return {
    today,
    timezone,
    by_status: all.reduce(plus, NONE),
    by_memory_type: [...sumBy(all, "memory_type")].map(([memory_type, counts]) => ({
      memory_type,
      ...counts,
    })),
    by_project: [...projects]
      .map(([project, counts]) => ({ project, ...counts }))
      .sort((a, b) => b.active - a.active || (a.project < b.project ? -1 : 1))
      .slice(0, MAX_PROJECTS),
    overdue: countOf(overdue),
    due_today: countOf(dueToday),
    due_in_7_days: countOf(dueSoon),
    stale: countOf(stale),
  };
}

export type BriefingParts = {
  overdue: List<TypedAlert>;
  due_soon: List<ActiveItem>;
  stale: List<TypedAlert>;
  blockers: List<ActiveItem>;
  recent_decisions: List<ActiveItem>;
  stats: Stats;
};

/** The beginnings of the lists that a person wants to hear about in the morning, with their totals. */
export async function getBriefingParts(ctx: Ctx, filters: Filters, limit: number): Promise<BriefingParts> {
  await ctx.user();
  const { today } = dayAndZone(ctx);
  const page = { limit, offset: 0 };
  const soon = isBetween(today, addDays(today, SOON_DAYS));
  const blockers = { ...filters, memory_type: "blocker" } as const;
  const decisions = { ...filters, memory_type: "decision" } as const;
  const [overdue, dueSoon, stale, blocking, decided, counts, sums, blockerSums, decisionSums, recent] =
    await ctx.db.batch([
      overdueStatement(ctx, filters, page),
      activeStatement(ctx, filters, { ...page, condition: soon }),
      staleStatement(ctx, filters, { ...page, ahead: sql`0` }),
      activeStatement(ctx, blockers, page),
      activeStatement(ctx, decisions, { ...page, condition: sql`${DUE_KEY} = '~'` }),
      ctx.db.all<{ overdue: number; due_soon: number; stale: number }>(sql`
      SELECT ${overdueTotal(ctx, filters)} AS overdue, ${countActive(ctx, filters, soon)} AS due_soon,
        ${countStale(ctx, filters)} AS stale`),
      totalsStatement(ctx, filters),
      totalsStatement(ctx, blockers),
      totalsStatement(ctx, decisions),
      recentStatement(ctx, filters),
    ]);
  const [count] = counts;
  const active = (rows: ActiveRow[]) => rows.map((row) => activeItem(ctx, row));
  const alerts = (rows: ActiveRow[]) => rows.map((row) => alertItem(ctx, row));
  return {
    overdue: { items: alerts(overdue), total: count?.overdue ?? 0 },
    due_soon: { items: active(dueSoon), total: count?.due_soon ?? 0 },
    stale: { items: alerts(stale), total: count?.stale ?? 0 },
    blockers: { items: active(blocking), total: totalsOf(blockerSums).active },
    recent_decisions: { items: active(decided), total: totalsOf(decisionSums).active },
    stats: statsOf(recent, totalsOf(sums)),
  };
}
