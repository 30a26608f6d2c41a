import { SQL, sql } from "drizzle-orm";
import type { LifeCycleStatus } from "../../contract/life-cycle.ts";
import { MemoryType, Scope } from "../../contract/memory.ts";
import { nameKey } from "../../contract/name-key.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { groupBySize } from "../../platform/core/group-by-size.ts";
import type { BatchItem, BatchResults } from "../../platform/core/statement.ts";
import { otherSpellingsSql } from "../../platform/db/name-sql.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { isAwakeSql, NOT_TRASHED } from "./row-store.ts";

// Lists read indexes in their order (migrations/0018_memory_lists.sql), totals read counters. INDEXED BY turns a missing
// index into an error instead of a table scan.

export type MemoryFilters = {
  scope?: Scope | undefined;
  /** its name, all of its spellings, or a SELECT of them */
  project?: string | readonly string[] | SQL | undefined;
  memory_type?: readonly MemoryType[] | undefined;
};

export type PageRange = { limit: number; offset: number };
export type ItemPage<Item> = { items: Item[]; total: number };

export const ALWAYS = sql`true`;

export const hasMemoryType = (types: readonly MemoryType[]): SQL => sql`memory_type IN ${sqlList(types)}`;

function matchesFilters(ctx: Ctx, { scope, project, memory_type }: MemoryFilters): SQL {
  const filters = [
    sql`owner = ${ctx.owner}`,
    ...(scope ? [sql`scope = ${scope}`] : []),
    ...(project ? [isProject(project)] : []),
    ...(memory_type ? [hasMemoryType(memory_type)] : []),
  ];
  return sql.join(filters, sql` AND `);
}

/** SQL: the record is in this project. Indexes give the order only for a single spelling. */
function isProject(project: NonNullable<MemoryFilters["project"]>): SQL {
  if (typeof project === "string") return sql`project = ${project}`;
  return project instanceof SQL ? sql`project IN (${project})` : sql`project IN ${sqlList(project)}`;
}

export const inProject = ({ project }: MemoryFilters): SQL => (project ? isProject(project) : ALWAYS);

/** The scope as in the indexes: '' for none. */
const SCOPE = sql`coalesce(scope, '')`;
const SCOPES = ["", ...Scope.options] as const;

const isScope = (scope: (typeof SCOPES)[number]) => sql`${SCOPE} = ${sql.raw(`'${scope}'`)}`;
const isType = (type: MemoryType) => sql`memory_type = ${sql.raw(`'${type}'`)}`;

export const scopeConditions = ({ scope }: MemoryFilters): SQL[] => (scope ? [scope] : SCOPES).map(isScope);

export function typeAndScopeConditions(
  filters: MemoryFilters,
  types: readonly MemoryType[] = MemoryType.options,
): SQL[] {
  const { memory_type } = filters;
  const requested = types.filter((type) => !memory_type || memory_type.includes(type));
  return requested.flatMap((type) =>
    scopeConditions(filters).map((scope) => sql`${isType(type)} AND ${scope}`),
  );
}

/** How many SELECTs D1 allows in one compound (SQLITE_LIMIT_COMPOUND_SELECT in workerd's util/sqlite.c++). */
const MAX_COMPOUND = 5;

/** UNION ALL of the SELECTs, nested to stay within D1's limit. SQLite merges them in index order. */
export function unionAll(selects: SQL[]): SQL {
  if (selects.length <= MAX_COMPOUND) return sql.join(selects, sql` UNION ALL `);
  const groups = groupBySize(selects, () => 1, Math.ceil(selects.length / MAX_COMPOUND));
  return unionAll(groups.map((group) => sql`SELECT * FROM (${unionAll(group)})`));
}

/** SQL: records that have woken but are still stored as deferred. There are few because the cron handler stores wakings. */
export const wokenMemories = (ctx: Ctx, filters: MemoryFilters, condition: SQL) => sql`
  FROM memories INDEXED BY memories_sleeping_idx
  WHERE ${matchesFilters(ctx, filters)} AND ${isAwakeSql(ctx)} AND ${NOT_TRASHED} AND ${condition}`;

export type StatusCounts = Record<LifeCycleStatus, number>;
export type MemoryTotals = StatusCounts & { resolved_seconds: number };

export const totalsStatement = (ctx: Ctx, { project, ...filters }: MemoryFilters) =>
  ctx.db.all<MemoryTotals & { woken: number }>(sql`
    SELECT coalesce(sum(active), 0) AS active, coalesce(sum(deferred), 0) AS deferred,
      coalesce(sum(resolved), 0) AS resolved, coalesce(sum(archived), 0) AS archived,
      coalesce(sum(resolved_seconds), 0) AS resolved_seconds,
      (SELECT count(*) ${wokenMemories(ctx, { ...filters, project }, ALWAYS)}) AS woken
    FROM memory_totals WHERE ${matchesFilters(ctx, filters)} AND ${isProject(project ?? "")}`);

export function readTotals([row]: (MemoryTotals & { woken: number })[]): MemoryTotals {
  if (!row) throw new Error("A sum without GROUP BY has one row");
  const { woken, active, deferred, ...totals } = row;
  return { ...totals, active: active + woken, deferred: deferred - woken };
}

export const sumOfCounts = ({ active, deferred, resolved, archived }: StatusCounts): number =>
  active + deferred + resolved + archived;

export type ProjectGroup = StatusCounts & { project: string; memory_type: MemoryType };

/** The counters per project and type, and their corrections for woken records. Project '' stands for all records. */
export const groupStatements = (ctx: Ctx, filters: Pick<MemoryFilters, "scope">) =>
  [
    ctx.db.all<ProjectGroup>(sql`
      SELECT project, memory_type, sum(active) AS active, sum(deferred) AS deferred, sum(resolved) AS resolved,
        sum(archived) AS archived
      FROM memory_totals WHERE ${matchesFilters(ctx, filters)} GROUP BY project, memory_type`),
    ctx.db.all<ProjectGroup>(sql`
      SELECT key.value AS project, memory_type, count(*) AS active, -count(*) AS deferred, 0 AS resolved, 0 AS archived
      FROM (SELECT memory_type, project ${wokenMemories(ctx, filters, ALWAYS)}) AS m
        JOIN json_each(json_array('', m.project)) AS key
      WHERE key.value IS NOT NULL GROUP BY key.value, memory_type`),
  ] as const;

export const NO_COUNTS: StatusCounts = { active: 0, deferred: 0, resolved: 0, archived: 0 };

export const addCounts = (a: StatusCounts, b: StatusCounts): StatusCounts => ({
  active: a.active + b.active,
  deferred: a.deferred + b.deferred,
  resolved: a.resolved + b.resolved,
  archived: a.archived + b.archived,
});

export function countsBy<Key extends "project" | "memory_type">(
  key: Key,
  groups: ProjectGroup[],
): Map<ProjectGroup[Key], StatusCounts> {
  const sums = new Map<ProjectGroup[Key], StatusCounts>();
  for (const group of groups) sums.set(group[key], addCounts(sums.get(group[key]) ?? NO_COUNTS, group));
  return sums;
}

function spellingsStatement(ctx: Ctx, project: string) {
  const { owner } = ctx;
  const key = nameKey(project);
  const isThere = (name: string) =>
    sql`EXISTS (SELECT 1 FROM memory_totals WHERE owner = ${owner} AND project = ${name})`;
  return ctx.db.all<{ name: string; is_there: number }>(sql`
    SELECT name, ${isThere(project)} AS is_there FROM (${otherSpellingsSql(ctx, "project", project)}) AS other
    WHERE name <> ${key} OR ${isThere(key)}`);
}

/**
 * Sends a list's statements with the project as requested, which nearly always is how its records spell it, and again for all
 * of its spellings if they spell it differently.
 */
export async function batchForSpellings<
  Requested extends Pick<MemoryFilters, "project">,
  const Sent extends readonly BatchItem[],
>(
  ctx: Ctx,
  requested: Requested,
  statementsFor: (requested: Requested) => Sent,
): Promise<BatchResults<Sent>> {
  const { project } = requested;
  if (typeof project !== "string") return ctx.db.batch(statementsFor(requested));
  const answers: unknown[] = await ctx.db.batch([
    ...statementsFor(requested),
    spellingsStatement(ctx, project),
  ]);
  const others = answers.pop() as { name: string; is_there: number }[];
  const [other, ...more] = others;
  if (!other) return answers as BatchResults<Sent>;
  const names = others.map(({ name }) => name);
  const isSingle = more.length === 0 && !other.is_there;
  const spelled = { ...requested, project: isSingle ? other.name : [project, ...names] };
  return ctx.db.batch(statementsFor(spelled));
}
