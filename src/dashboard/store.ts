import { type SQL, sql } from "drizzle-orm";
import type { BaseCtx, Ctx } from "../core/ctx.ts";
import { addDays } from "../core/days.ts";
import { notFound } from "../core/errors.ts";
import { hashSecret, newSecret } from "../core/secret.ts";
import type { MemoryType, Scope } from "../memories/schema.ts";
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
} from "./ages.ts";
import type { DueDate } from "./calendar.ts";
import type { AlertItem, CommitmentHistory, CommitmentItem, Stats, Summary } from "./schema.ts";

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

type ActiveRow = Omit<ActiveItem, "days_ago"> & { touched_at: string; alert_rank: number };

const MAX_PROJECTS = 100;
const SOON_DAYS = 7;
const CALENDAR_PAST_DAYS = 365;
const MAX_CALENDAR_EVENTS = 1000;

const clockOf = (ctx: Ctx): Clock => ({ now: ctx.now, timezone: ctx.user.timezone });

/** The caller's calendar day and where it is. */
export const dayAndZone = (ctx: Ctx) => ({ today: todayOf(clockOf(ctx)), timezone: ctx.user.timezone });

const ALWAYS = sql`true`;
/** The due date, or what comes after every date. Written as the indexes have it. */
const DUE_KEY = sql`coalesce(due_date, '~')`;

const isBefore = (day: string) => sql`${DUE_KEY} < ${day}`;
const isBetween = (from: string, to: string) => sql`${DUE_KEY} >= ${from} AND ${DUE_KEY} <= ${to}`;

function matching(ctx: Ctx, { scope, project, memory_type }: Filters): SQL {
  const filters = [
    sql`owner = ${ctx.user.number}`,
    ...(scope ? [sql`scope = ${scope}`] : []),
    ...(project ? [sql`project = ${project}`] : []),
    ...(memory_type ? [sql`memory_type = ${memory_type}`] : []),
  ];
  return sql.join(filters, sql` AND `);
}

/** The index that has a half of the records in the order of its list, for these filters. */
function indexFor(half: "active" | "closed", { scope, project, memory_type }: Filters): SQL {
  const group = project ? "_project" : scope ? "_scope" : "";
  return sql.raw(`memories_${half}${group}${memory_type ? "_memory_type" : ""}_idx`);
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

/** The columns of an active item; rank and key are what a list is ordered by, in the same direction as its index. */
const activeColumns = (rank: 0 | 1, key: SQL) => sql`
  SELECT id, memory_type, topic, content, created_at, updated_at, 'active' AS status, project, scope, due_date,
    touched_at, ${sql.raw(String(rank))} AS alert_rank, ${key} AS list_key`;

/** The sum over the caller's counters. */
const counted = (ctx: Ctx, column: string, { project, ...filters }: Filters) => sql`(
  SELECT coalesce(sum(${sql.raw(column)}), 0) FROM memory_totals
  WHERE ${matching(ctx, filters)} AND project = ${project ?? ""})`;

/**
 * How many rows a page can have. A scope within a project has no index of its own: there, the counter tells when
 * the last row has been found.
 */
const pageSize = (limit: number, { scope, project }: Filters, left: SQL) =>
  scope && project ? sql`max(0, min(${limit}, ${left}))` : sql`${limit}`;

const activeTotal = (ctx: Ctx, filters: Filters) =>
  sql`${counted(ctx, "active", filters)} + (SELECT count(*) ${woken(ctx, filters, ALWAYS)})`;

const totalStatement = (ctx: Ctx, total: SQL) => ctx.db.all<{ total: number }>(sql`SELECT ${total} AS total`);

/** Active records for which `condition` holds: by due date, then those without one, newest first. */
function activeStatement(ctx: Ctx, filters: Filters, page: Page & { condition?: SQL }) {
  const condition = page.condition ?? ALWAYS;
  const left = sql`${activeTotal(ctx, filters)} - ${page.offset}`;
  return ctx.db.all<ActiveRow>(sql`
    ${activeColumns(0, DUE_KEY)} ${writtenActive(ctx, filters, condition)}
    UNION ALL ${activeColumns(0, DUE_KEY)} ${woken(ctx, filters, condition)}
    ORDER BY list_key, created_at DESC, id DESC
    LIMIT ${pageSize(page.limit, filters, left)} OFFSET ${page.offset}`);
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

const first = (rows: { total: number }[]) => rows[0]?.total ?? 0;

/** Active records of every type: overdue ones first by due date, then due ones by date, then the rest, newest first. */
export async function listActive(ctx: Ctx, filters: Filters, page: Page): Promise<List<ActiveItem>> {
  const [rows, total] = await ctx.db.batch([
    activeStatement(ctx, filters, page),
    totalStatement(ctx, activeTotal(ctx, filters)),
  ]);
  return { items: rows.map((row) => activeItem(ctx, row)), total: first(total) };
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

const staleCutoff = (ctx: Ctx, type: StaleType) => staleBefore(ctx.user.stale_after_days[type], clockOf(ctx));

/** Records of a type that are written down as active and have gone stale. */
const writtenStale = (ctx: Ctx, type: StaleType, filters: Filters) => sql`
  FROM memories INDEXED BY ${sql.raw(filters.scope ? "memories_stale_scope_idx" : "memories_stale_idx")}
  WHERE ${matching(ctx, { ...filters, memory_type: type })} AND status = 'active' AND due_date IS NULL
    AND touched_at < ${staleCutoff(ctx, type)}`;

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

/** The parts of the alerts, each in the order of its index. D1 allows five parts. */
const overdueParts = (ctx: Ctx, filters: Filters) => {
  const overdue = isBefore(todayOf(clockOf(ctx)));
  return [
    sql`${activeColumns(0, DUE_KEY)} ${writtenActive(ctx, filters, overdue)}`,
    sql`${activeColumns(0, DUE_KEY)} ${woken(ctx, filters, overdue)}`,
  ];
};

const staleParts = (ctx: Ctx, filters: Filters) => [
  ...STALE_TYPES.map((type) => sql`${activeColumns(1, sql`touched_at`)} ${writtenStale(ctx, type, filters)}`),
  sql`${activeColumns(1, sql`touched_at`)} ${wokenStale(ctx, filters)}`,
];

const alertStatement = (ctx: Ctx, parts: SQL[], { limit, offset }: Page) =>
  ctx.db.all<ActiveRow>(sql`${sql.join(parts, sql` UNION ALL `)}
    ORDER BY alert_rank, list_key, created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`);

function alertItem(ctx: Ctx, row: ActiveRow): TypedAlert {
  const clock = clockOf(ctx);
  const item = activeItem(ctx, row);
  if (row.alert_rank === 0 && row.due_date) {
    return { ...item, alert_type: "overdue", days_overdue: daysOverdue(row.due_date, todayOf(clock)) };
  }
  return { ...item, alert_type: "stale", days_stale: daysSince(row.touched_at, clock) };
}

const overdueTotal = (ctx: Ctx, filters: Filters) =>
  countActive(ctx, filters, isBefore(todayOf(clockOf(ctx))));

/** What needs attention, with its type: overdue records, longest first, then stale ones, longest first. */
export async function listTypedAlerts(ctx: Ctx, filters: Filters, page: Page): Promise<List<TypedAlert>> {
  const [rows, total] = await ctx.db.batch([
    alertStatement(ctx, [...overdueParts(ctx, filters), ...staleParts(ctx, filters)], page),
    totalStatement(ctx, sql`${overdueTotal(ctx, filters)} + ${countStale(ctx, filters)}`),
  ]);
  return { items: rows.map((row) => alertItem(ctx, row)), total: first(total) };
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

type ClosedRow = Omit<CommitmentHistory["items"][number], "days_to_resolve">;

/** Still waiting; what has woken is not closed. */
const isClosed = (ctx: Ctx) =>
  sql`(status <> 'deferred' OR deferred_until IS NULL OR deferred_until > ${todayOf(clockOf(ctx))})`;

const closedPart = (ctx: Ctx, status: ClosedStatus, filters: Filters) => sql`
  SELECT id, memory_type, topic, content, status, created_at, updated_at, project, scope, due_date, resolved_at,
    resolution_note, closed_at
  FROM memories INDEXED BY ${indexFor("closed", filters)}
  WHERE ${matching(ctx, filters)} AND status = ${status} AND closed_at IS NOT NULL AND ${isClosed(ctx)}`;

function closedTotal(ctx: Ctx, status: ClosedStatus | undefined, filters: Filters): SQL {
  const closed = counted(ctx, status ?? "deferred + resolved + archived", filters);
  if (status && status !== "deferred") return closed;
  return sql`${closed} - (SELECT count(*) ${woken(ctx, filters, ALWAYS)})`;
}

function closedStatement(ctx: Ctx, status: ClosedStatus | undefined, filters: Filters, page: Page) {
  const parts = CLOSED.filter((one) => !status || one === status).map((one) => closedPart(ctx, one, filters));
  const left = sql`${closedTotal(ctx, status, filters)} - ${page.offset}`;
  return ctx.db.all<ClosedRow>(sql`${sql.join(parts, sql` UNION ALL `)} ORDER BY closed_at DESC, id DESC
    LIMIT ${pageSize(page.limit, filters, left)} OFFSET ${page.offset}`);
}

type StatsRow = {
  week: number;
  month: number;
  resolved: number;
  closed: number;
  all: number;
  seconds: number;
};

/** The statistics: counters for what is over all time, and the part of the index that the last weeks are in. */
function statsStatement(ctx: Ctx, filters: Filters) {
  const clock = clockOf(ctx);
  const [week, month, window] = [weekStart(clock), monthStart(clock), windowStart(clock)];
  const from = [week, month, window].sort()[0];
  return ctx.db.all<StatsRow>(sql`
    SELECT
      count(*) FILTER (WHERE status = 'resolved' AND closed_at >= ${week}) AS week,
      count(*) FILTER (WHERE status = 'resolved' AND closed_at >= ${month}) AS month,
      count(*) FILTER (WHERE status = 'resolved' AND closed_at >= ${window}) AS resolved,
      count(*) FILTER (WHERE closed_at >= ${window}) AS closed,
      ${counted(ctx, "resolved", filters)} AS "all",
      ${counted(ctx, "resolved_seconds", filters)} AS seconds
    FROM memories INDEXED BY ${indexFor("closed", filters)}
    WHERE ${matching(ctx, filters)} AND status IN ('resolved', 'deferred', 'archived') AND closed_at IS NOT NULL
      AND closed_at >= ${from} AND ${isClosed(ctx)}`);
}

const statsOf = ([row]: StatsRow[]): Stats => ({
  resolved_this_week: row?.week ?? 0,
  resolved_this_month: row?.month ?? 0,
  avg_days_to_resolve: averageDays(row?.seconds ?? 0, row?.all ?? 0),
  completion_rate_30d: completionRate(row?.resolved ?? 0, row?.closed ?? 0),
});

/** Closed records, last closed first. The statistics follow the filters, but neither status nor page. */
export async function listHistory(
  ctx: Ctx,
  query: Filters & Page & { status?: ClosedStatus | undefined },
): Promise<CommitmentHistory> {
  const { status, limit, offset, ...filters } = query;
  const [rows, total, stats] = await ctx.db.batch([
    closedStatement(ctx, status, filters, { limit, offset }),
    totalStatement(ctx, closedTotal(ctx, status, filters)),
    statsStatement(ctx, filters),
  ]);
  const items = rows.map((row) => historyItem(ctx, row));
  return { items, total: first(total), stats: statsOf(stats) };
}

function historyItem(ctx: Ctx, row: ClosedRow): CommitmentHistory["items"][number] {
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
    days_to_resolve: daysToResolve(row.created_at, row.resolved_at, ctx.user.timezone),
  };
}

type Counts = Summary["by_status"];
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
  const { today, timezone } = dayAndZone(ctx);
  const [tomorrow, lastDay] = [addDays(today, 1), addDays(today, SOON_DAYS)];
  const [counters, corrections, overdue, dueToday, dueSoon, stale] = await ctx.db.batch([
    groupsStatement(ctx, filters),
    wokenGroupsStatement(ctx, filters),
    totalStatement(ctx, overdueTotal(ctx, filters)),
    totalStatement(ctx, countActive(ctx, filters, isBetween(today, today))),
    totalStatement(ctx, countActive(ctx, filters, isBetween(tomorrow, lastDay))),
    totalStatement(ctx, countStale(ctx, filters)),
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
    overdue: first(overdue),
    due_today: first(dueToday),
    due_in_7_days: first(dueSoon),
    stale: first(stale),
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
  const { today } = dayAndZone(ctx);
  const page = { limit, offset: 0 };
  const soon = isBetween(today, addDays(today, SOON_DAYS));
  const blockers = { ...filters, memory_type: "blocker" } as const;
  const decisions = { ...filters, memory_type: "decision" } as const;
  const [overdue, dueSoon, stale, blocking, decided, totals, stats] = await ctx.db.batch([
    alertStatement(ctx, overdueParts(ctx, filters), page),
    activeStatement(ctx, filters, { ...page, condition: soon }),
    alertStatement(ctx, staleParts(ctx, filters), page),
    activeStatement(ctx, blockers, page),
    activeStatement(ctx, decisions, { ...page, condition: sql`${DUE_KEY} = '~'` }),
    ctx.db.all<Record<Exclude<keyof BriefingParts, "stats">, number>>(sql`
      SELECT ${overdueTotal(ctx, filters)} AS overdue, ${countActive(ctx, filters, soon)} AS due_soon,
        ${countStale(ctx, filters)} AS stale, ${activeTotal(ctx, blockers)} AS blockers,
        ${activeTotal(ctx, decisions)} AS recent_decisions`),
    statsStatement(ctx, filters),
  ]);
  const total = (key: Exclude<keyof BriefingParts, "stats">) => totals[0]?.[key] ?? 0;
  const active = (rows: ActiveRow[]) => rows.map((row) => activeItem(ctx, row));
  const alerts = (rows: ActiveRow[]) => rows.map((row) => alertItem(ctx, row));
  return {
    overdue: { items: alerts(overdue), total: total("overdue") },
    due_soon: { items: active(dueSoon), total: total("due_soon") },
    stale: { items: alerts(stale), total: total("stale") },
    blockers: { items: active(blocking), total: total("blockers") },
    recent_decisions: { items: active(decided), total: total("recent_decisions") },
    stats: statsOf(stats),
  };
}

/** Makes the secret of the caller's calendar feed; the one before it is void. */
export async function createCalendarToken(ctx: Ctx): Promise<string> {
  const token = newSecret();
  const hash = await hashSecret(token);
  await ctx.db.run(sql`
    INSERT INTO calendar_tokens (owner, hash, created_at) VALUES (${ctx.user.number}, ${hash}, ${ctx.now.toISOString()})
    ON CONFLICT (owner) DO UPDATE SET hash = excluded.hash, created_at = excluded.created_at`);
  return token;
}

/** Closes the caller's calendar feed. Without one there is nothing to close. */
export async function revokeCalendarToken(ctx: Ctx): Promise<void> {
  await ctx.db.run(sql`DELETE FROM calendar_tokens WHERE owner = ${ctx.user.number}`);
}

/** The due dates behind a calendar's secret, from a year ago on. Throws 404 when it is nobody's. */
export async function listDueDates(ctx: BaseCtx, token: string): Promise<DueDate[]> {
  const [user] = await ctx.db.all<{ number: number; timezone: string }>(sql`
    SELECT number, timezone FROM users
    WHERE number = (SELECT owner FROM calendar_tokens WHERE hash = ${await hashSecret(token)})`);
  if (!user) throw notFound();
  const today = todayOf({ now: ctx.now, timezone: user.timezone });
  const reader = { ...ctx, user } as Ctx;
  const condition = sql`${isBetween(addDays(today, -CALENDAR_PAST_DAYS), "9999-12-31")}`;
  const rows = await activeStatement(reader, {}, { limit: MAX_CALENDAR_EVENTS, offset: 0, condition });
  return rows.flatMap(({ due_date, ...row }) => (due_date ? [{ ...row, due_date }] : []));
}
