import { sql } from "drizzle-orm";
import { z } from "zod";
import {
  type AlertItem,
  type CommitmentHistory,
  CommitmentItem,
  HistoryItem,
  type HistoryQuery,
  OverdueItem,
  StaleItem,
  type Summary,
} from "../../contract/dashboard.ts";
import { truncateText } from "../../contract/fields.ts";
import type { CommitmentStatsWithCounts } from "../../contract/memory.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { BatchResults } from "../../platform/core/statement.ts";
import {
  type ActiveItem,
  activeCountStatement,
  activeItem,
  activeStatement,
  IS_UNDATED,
  isDueAfter,
  isDueUntil,
  listActive,
  sortByPriority,
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
  addCounts,
  batchForSpellings,
  countsBy,
  groupStatements,
  type ItemPage,
  inProject,
  type MemoryFilters,
  NO_COUNTS,
  type PageRange,
  type ProjectGroup,
  readTotals,
  totalsStatement,
} from "../memories/filter-store.ts";
import { readWithSettings, type SettingsClock } from "../memories/row-store.ts";

const MAX_PROJECTS = 100;

type Nullable<Fields> = { [Name in keyof Fields]-?: Fields[Name] | null };

/** The fields of an item that its schema has, the optional ones only if set. */
const presentItem = <Item extends z.ZodObject>(schema: Item, item: Nullable<z.infer<Item>>): z.infer<Item> =>
  Object.fromEntries(
    Object.entries<z.core.$ZodType>(schema.shape).flatMap(([name, type]) =>
      item[name] === null && type instanceof z.ZodOptional ? [] : [[name, item[name]]],
    ),
  ) as z.infer<Item>;

export async function listCommitments(
  ctx: Ctx,
  { limit, ...filters }: MemoryFilters & { limit: number },
): Promise<ItemPage<CommitmentItem>> {
  const requested = { ...filters, memory_type: ["commitment"] } as const;
  const { items, total } = await listActive(ctx, requested, { limit, offset: 0 });
  return { items: items.map((item) => presentItem(CommitmentItem, item)), total };
}

export async function listAlerts(
  ctx: Ctx,
  { scope, content_length, ...page }: Pick<MemoryFilters, "scope"> & PageRange & { content_length?: number },
): Promise<ItemPage<AlertItem>> {
  const { items, total } = await listTypedAlerts(ctx, { scope }, page);
  const shown = items.map((item) => ({ ...item, content: truncateText(item.content, content_length) }));
  const present = (item: TypedAlert): AlertItem =>
    item.alert_type === "overdue" ? presentItem(OverdueItem, item) : presentItem(StaleItem, item);
  return { items: shown.map(present), total };
}

export async function listHistory(
  ctx: Ctx,
  { memory_type, ...query }: HistoryQuery,
): Promise<CommitmentHistory> {
  const requested = { ...query, ...(memory_type && { memory_type: [memory_type] }) };
  const { items, total, stats } = await listClosed(ctx, requested);
  const { closed_30d: _, ...shownStats } = stats;
  return { items: items.map((item) => presentItem(HistoryItem, item)), total, stats: shownStats };
}

function summarizeGroups(
  groups: ProjectGroup[],
): Pick<Summary, "by_status" | "by_memory_type" | "by_project"> {
  const all = groups.filter(({ project }) => project === "");
  const named = groups.filter(({ project }) => project !== "");
  return {
    by_status: all.reduce(addCounts, NO_COUNTS),
    by_memory_type: [...countsBy("memory_type", all)].map(([memory_type, counts]) => ({
      memory_type,
      ...counts,
    })),
    by_project: [...countsBy("project", named)]
      .map(([project, counts]) => ({ project, ...counts }))
      .sort((a, b) => b.active - a.active || (a.project < b.project ? -1 : 1)),
  };
}

export const getSummary = (ctx: Ctx, filters: Pick<MemoryFilters, "scope">): Promise<Summary> =>
  readWithSettings(ctx, async (clock) => {
    const [counters, corrections, [due]] = await ctx.db.batch([
      ...groupStatements(ctx, filters),
      alertCountsStatement(ctx, clock, filters),
    ]);
    if (!due) throw new Error("A count without GROUP BY has one row");
    const { due_soon: due_in_7_days, ...rest } = due;
    const { timezone } = clock;
    const { by_project, ...counts } = summarizeGroups([...counters, ...corrections]);
    const projects = { by_project: by_project.slice(0, MAX_PROJECTS) };
    return { today: currentDay(clock), timezone, ...counts, ...projects, ...rest, due_in_7_days };
  });

/** Counts by status and for up to 100 projects, with the completion rate of the last 30 days (0 to 1, or null). */
export const countProjects = (ctx: Ctx) =>
  readWithSettings(ctx, async (clock) => {
    const [counters, corrections, rates] = await ctx.db.batch([
      ...groupStatements(ctx, {}),
      ratesStatement(ctx, clock),
    ]);
    const { by_status, by_project } = summarizeGroups([...counters, ...corrections]);
    const rateOf = new Map(
      rates.map(({ project, resolved, deferred, left }) => [
        project,
        completionRate(resolved, deferred, left),
      ]),
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

/** The first items of each list of the briefing, with totals. No record is in two lists. */
export const getBriefingParts = (
  ctx: Ctx,
  { preferences = true, ...filters }: MemoryFilters & { preferences?: boolean | undefined },
  limit: number,
): Promise<BriefingParts> =>
  readWithSettings(ctx, async (clock) => {
    const page = { limit, offset: 0 };
    // One more than is shown, to know whether there are more without counting.
    const preferencesPage = { ...page, limit: preferences ? limit + 1 : 0 };
    const isLater = isDueAfter(dueSoonRange(clock)[1]);
    const [preferred, ...answers] = await batchForSpellings(ctx, filters, (spelled) => [
      preferencesStatement(ctx, spelled, preferencesPage, isLater),
      ...briefingStatements(ctx, clock, spelled, page),
    ]);
    const items = preferred.map((row) => activeItem(row, clock)).slice(0, limit);
    return { ...buildBriefing(answers, clock), preferences: { items, total: preferred.length } };
  });

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
function undatedStatements(ctx: Ctx, clock: SettingsClock, filters: MemoryFilters, page: PageRange) {
  const later = isDueAfter(dueSoonRange(clock)[1]);
  const commitments = { ...filters, memory_type: ["commitment"] } as const;
  const blockers = { ...filters, memory_type: ["blocker"] } as const;
  const decisions = { ...filters, memory_type: ["decision"] } as const;
  return [
    staleStatement(ctx, clock, commitments, page),
    staleCountStatement(ctx, clock, commitments),
    activeStatement(ctx, blockers, { ...page, condition: later }),
    activeCountStatement(ctx, blockers, later),
    activeStatement(ctx, decisions, { ...page, condition: IS_UNDATED }),
    activeCountStatement(ctx, decisions, IS_UNDATED),
  ] as const;
}

/** The statements whose results `buildBriefing` takes, in the same order. */
export const briefingStatements = (ctx: Ctx, clock: SettingsClock, filters: MemoryFilters, page: PageRange) =>
  [
    overdueStatement(ctx, clock, filters, page),
    dueSoonStatement(ctx, clock, filters, page),
    alertCountsStatement(ctx, clock, filters),
    totalsStatement(ctx, filters),
    recentStatement(ctx, clock, filters),
    ...undatedStatements(ctx, clock, filters, page),
  ] as const;

export const dueSoonStatement = (ctx: Ctx, clock: SettingsClock, filters: MemoryFilters, page: PageRange) =>
  activeStatement(ctx, filters, { ...page, condition: isDueUntil(dueSoonRange(clock)[1], clock) });

export function buildBriefing(
  answers: BatchResults<ReturnType<typeof briefingStatements>>,
  clock: SettingsClock,
): Omit<BriefingParts, "preferences"> {
  const [overdue, dueSoon, [due], sums, recent, stale, [stales], blocking, [blockers], decided, [decisions]] =
    answers;
  if (!due) throw new Error("A count without GROUP BY has one row");
  const active = (rows: typeof blocking) => rows.map((row) => activeItem(row, clock));
  const alerts = (rows: typeof overdue) => rows.map((row) => alertItem(row, clock));
  return {
    overdue: { items: sortByPriority(alerts(overdue)), total: due.overdue },
    due_soon: { items: sortByPriority(active(dueSoon)), total: due.due_today + due.due_soon },
    stale: { items: sortByPriority(alerts(stale)), total: stales?.total ?? 0 },
    blockers: {
      items: sortByPriority(blocking.map((row) => staleOrActiveItem(row, "blocker", clock))),
      total: blockers?.total ?? 0,
    },
    recent_decisions: { items: active(decided), total: decisions?.total ?? 0 },
    stats: toStats(recent, readTotals(sums)),
    due_soon_days: DUE_SOON_DAYS,
    stale_after_days: clock.stale_after_days,
  };
}
