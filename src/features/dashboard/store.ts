import { sql } from "drizzle-orm";
import type { BatchResponse } from "drizzle-orm/batch";
import type {
  AlertItem,
  CommitmentHistory,
  CommitmentItem,
  HistoryQuery,
  Summary,
} from "../../contract/dashboard.ts";
import { truncateText } from "../../contract/fields.ts";
import type { CommitmentStatsWithCounts } from "../../contract/memory.ts";
import { omit } from "../../contract/omit.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import {
  type ActiveItem,
  activeCountStatement,
  activeItem,
  activeStatement,
  IS_UNDATED,
  isDueAfter,
  isDueUntil,
  listActive,
} from "../memories/active-store.ts";
import { completionRate, currentDay, type StaleAfterDays } from "../memories/ages.ts";
import {
  alertCountsStatement,
  alertItem,
  DUE_SOON_DAYS,
  dueSoonRange,
  listTypedAlerts,
  overdueStatement,
  staleCountStatement,
  staleOrActiveItem,
  staleStatement,
  type TypedAlert,
} from "../memories/alert-store.ts";
import { listClosed, ratesStatement, recentStatement, toStats } from "../memories/closed-store.ts";
import {
  ALWAYS,
  groupStatements,
  type ItemPage,
  inProject,
  type MemoryFilters,
  type PageRange,
  type ProjectGroup,
  readTotals,
  type StatusCounts,
  totalsStatement,
} from "../memories/filter-store.ts";
import { readWithSettings, type SettingsClock } from "../memories/row-store.ts";
import { sortByPriority } from "../memories/sort-by-priority.ts";
import { batchForSpellings } from "../memories/spelling-store.ts";

const MAX_PROJECTS = 100;

const ADDED_LATER = ["memory_type", "note", "touched_at", "happened_on", "repeat"] as const;
type OptionalFields = Record<(typeof ADDED_LATER)[number], unknown> &
  Pick<ActiveItem, "due_time" | "priority" | "owed">;

/** An item as the dashboard returns it: without fields added later, and with time, priority and owed only if set. */
function dashboardItem<Item extends OptionalFields>(active: Item) {
  const { due_time, priority, owed, ...item } = omit(active, ...ADDED_LATER);
  return {
    ...item,
    ...(due_time !== null && { due_time }),
    ...(priority !== null && { priority }),
    ...(owed !== null && { owed }),
  };
}

export async function listCommitments(
  ctx: Ctx,
  { limit, ...filters }: MemoryFilters & { limit: number },
): Promise<ItemPage<CommitmentItem>> {
  const requested = { ...filters, memory_type: ["commitment"] } as const;
  const { items, total } = await listActive(ctx, requested, { limit, offset: 0 });
  return { items: items.map(dashboardItem), total };
}

export async function listAlerts(
  ctx: Ctx,
  { scope, content_length, ...page }: Pick<MemoryFilters, "scope"> & PageRange & { content_length?: number },
): Promise<ItemPage<AlertItem>> {
  const { items, total } = await listTypedAlerts(ctx, { scope }, page);
  const shown = items.map((item) => ({ ...item, content: truncateText(item.content, content_length) }));
  return { items: shown.map((item) => dashboardItem(item) as AlertItem), total };
}

export async function listHistory(
  ctx: Ctx,
  { memory_type, ...query }: HistoryQuery,
): Promise<CommitmentHistory> {
  const requested = { ...query, ...(memory_type && { memory_type: [memory_type] }) };
  const { items, total, stats } = await listClosed(ctx, requested);
  const { closed_30d: _, ...shownStats } = stats;
  return {
    items: items.map((item) =>
      omit(
        item,
        "deferred_until",
        "superseded_by_id",
        "note",
        "touched_at",
        "happened_on",
        "due_time",
        "repeat",
        "priority",
        "owed",
      ),
    ),
    total,
    stats: shownStats,
  };
}

const NO_COUNTS: StatusCounts = { active: 0, deferred: 0, resolved: 0, archived: 0 };

const addCounts = (a: StatusCounts, b: StatusCounts): StatusCounts => ({
  active: a.active + b.active,
  deferred: a.deferred + b.deferred,
  resolved: a.resolved + b.resolved,
  archived: a.archived + b.archived,
});

function sumBy<Key extends "project" | "memory_type">(
  groups: ProjectGroup[],
  key: Key,
): Map<ProjectGroup[Key], StatusCounts> {
  const sums = new Map<ProjectGroup[Key], StatusCounts>();
  for (const group of groups) sums.set(group[key], addCounts(sums.get(group[key]) ?? NO_COUNTS, group));
  return sums;
}

function summarizeGroups(
  groups: ProjectGroup[],
): Pick<Summary, "by_status" | "by_memory_type" | "by_project"> {
  const all = groups.filter(({ project }) => project === "");
  const named = groups.filter(({ project }) => project !== "");
  return {
    by_status: all.reduce(addCounts, NO_COUNTS),
    by_memory_type: [...sumBy(all, "memory_type")].map(([memory_type, counts]) => ({
      memory_type,
      ...counts,
    })),
    by_project: [...sumBy(named, "project")]
      .map(([project, counts]) => ({ project, ...counts }))
      .sort((a, b) => b.active - a.active || (a.project < b.project ? -1 : 1)),
  };
}

export const getSummary = (ctx: Ctx, filters: Pick<MemoryFilters, "scope">): Promise<Summary> =>
  readWithSettings(ctx, async (attention) => {
    const [counters, corrections, [due]] = await ctx.db.batch([
      ...groupStatements(ctx, filters),
      alertCountsStatement(ctx, attention, filters),
    ]);
    if (!due) throw new Error("A count without GROUP BY has one row");
    const { due_soon: due_in_7_days, ...rest } = due;
    const { timezone } = attention;
    const { by_project, ...counts } = summarizeGroups([...counters, ...corrections]);
    const projects = { by_project: by_project.slice(0, MAX_PROJECTS) };
    return { today: currentDay(attention), timezone, ...counts, ...projects, ...rest, due_in_7_days };
  });

/** Counts by status and for up to 100 projects, with the completion rate of the last 30 days (0 to 1, or null). */
export const countProjects = (ctx: Ctx) =>
  readWithSettings(ctx, async (attention) => {
    const [counters, corrections, rates] = await ctx.db.batch([
      ...groupStatements(ctx, {}),
      ratesStatement(ctx, attention),
    ]);
    const { by_status, by_project } = summarizeGroups([...counters, ...corrections]);
    const rateOf = new Map(
      rates.map(({ project, resolved, closed }) => [project, completionRate(resolved, closed)]),
    );
    const projects = by_project
      .slice(0, MAX_PROJECTS)
      .map((one) => ({ ...one, completion_rate_30d: rateOf.get(one.project) ?? null }));
    return { by_status, projects, more_projects: by_project.length - projects.length };
  });

export type BriefingParts = {
  overdue: ItemPage<TypedAlert>;
  due_soon: ItemPage<ActiveItem>;
  stale: ItemPage<TypedAlert>;
  blockers: ItemPage<ActiveItem & { days_stale?: number }>;
  recent_decisions: ItemPage<ActiveItem>;
  preferences: ItemPage<ActiveItem>;
  stats: CommitmentStatsWithCounts;
  due_soon_days: number;
  stale_after_days: StaleAfterDays;
};

export type BriefingFilters = MemoryFilters & { preferences?: boolean | undefined };

/** The first items of each list of the briefing, with totals. No record is in two lists. */
export const getBriefingParts = (ctx: Ctx, filters: BriefingFilters, limit: number): Promise<BriefingParts> =>
  readWithSettings(ctx, (attention) => readBriefing(ctx, attention, filters, { limit, offset: 0 }));

/** Preferences that apply everywhere and, with a project, those of the project. */
export function preferencesStatement(
  ctx: Ctx,
  { project, scope }: MemoryFilters,
  page: PageRange,
  which = ALWAYS,
) {
  const condition = project ? sql`${which} AND (project IS NULL OR ${inProject({ project })})` : which;
  return activeStatement(ctx, { scope, memory_type: ["preference"] }, { ...page, condition });
}

/** No record is in two lists: stale lists only commitments that are in no other list; stale blockers are blockers. */
function undatedStatements(ctx: Ctx, attention: SettingsClock, filters: MemoryFilters, page: PageRange) {
  const later = isDueAfter(dueSoonRange(attention)[1]);
  const commitments = { ...filters, memory_type: ["commitment"] } as const;
  const blockers = { ...filters, memory_type: ["blocker"] } as const;
  const decisions = { ...filters, memory_type: ["decision"] } as const;
  return [
    staleStatement(ctx, attention, commitments, page),
    staleCountStatement(ctx, attention, commitments),
    activeStatement(ctx, blockers, { ...page, condition: later }),
    activeCountStatement(ctx, blockers, later),
    activeStatement(ctx, decisions, { ...page, condition: IS_UNDATED }),
    activeCountStatement(ctx, decisions, IS_UNDATED),
  ] as const;
}

/** The statements whose results `buildBriefing` takes, in the same order. */
export const briefingStatements = (
  ctx: Ctx,
  attention: SettingsClock,
  filters: MemoryFilters,
  page: PageRange,
) =>
  [
    overdueStatement(ctx, attention, filters, page),
    dueSoonStatement(ctx, attention, filters, page),
    alertCountsStatement(ctx, attention, filters),
    totalsStatement(ctx, filters),
    recentStatement(ctx, attention, filters),
    ...undatedStatements(ctx, attention, filters, page),
  ] as const;

export const dueSoonStatement = (
  ctx: Ctx,
  attention: SettingsClock,
  filters: MemoryFilters,
  page: PageRange,
) => activeStatement(ctx, filters, { ...page, condition: isDueUntil(dueSoonRange(attention)[1], attention) });

async function readBriefing(
  ctx: Ctx,
  attention: SettingsClock,
  { preferences = true, ...filters }: BriefingFilters,
  page: PageRange,
): Promise<BriefingParts> {
  // One more than is shown, to know whether there are more without counting.
  const preferencesLimit = preferences ? page.limit + 1 : 0;
  const [preferred, ...answers] = await batchForSpellings(ctx, filters, (spelled) => [
    preferencesStatement(
      ctx,
      spelled,
      { ...page, limit: preferencesLimit },
      isDueAfter(dueSoonRange(attention)[1]),
    ),
    ...briefingStatements(ctx, attention, spelled, page),
  ]);
  const parts = buildBriefing(answers, attention);
  const items = preferred.map((row) => activeItem(row, attention));
  return {
    ...parts,
    preferences: { items: items.slice(0, page.limit), total: items.length },
  };
}

export function buildBriefing(
  answers: BatchResponse<ReturnType<typeof briefingStatements>>,
  attention: SettingsClock,
): Omit<BriefingParts, "preferences"> {
  const [overdue, dueSoon, [due], sums, recent, stale, [stales], blocking, [blockers], decided, [decisions]] =
    answers;
  if (!due) throw new Error("A count without GROUP BY has one row");
  const active = (rows: typeof blocking) => rows.map((row) => activeItem(row, attention));
  const alerts = (rows: typeof overdue) => rows.map((row) => alertItem(row, attention));
  return {
    overdue: { items: sortByPriority(alerts(overdue)), total: due.overdue },
    due_soon: { items: sortByPriority(active(dueSoon)), total: due.due_today + due.due_soon },
    stale: { items: sortByPriority(alerts(stale)), total: stales?.total ?? 0 },
    blockers: {
      items: sortByPriority(blocking.map((row) => staleOrActiveItem(row, "blocker", attention))),
      total: blockers?.total ?? 0,
    },
    recent_decisions: { items: active(decided), total: decisions?.total ?? 0 },
    stats: toStats(recent, readTotals(sums)),
    due_soon_days: DUE_SOON_DAYS,
    stale_after_days: attention.stale_after_days,
  };
}
