import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../../platform/core/ctx.ts";
import { isAwake, LIVING } from "./row-store.ts";
import { MemoryType, Scope } from "../../contract/memory.ts";

// Shared by the lists of the dashboard. Each list reads indexes in its own order (migrations/0018_memory_lists.sql),
// each total a counter. INDEXED BY turns a missing index into an error instead of a table scan.

/** A record must match all of them. */
export type Filters = {
  scope?: Scope | undefined;
  project?: string | undefined;
  /** Any of these. */
  memory_type?: readonly MemoryType[] | undefined;
};

export type Page = { limit: number; offset: number };
export type List<Item> = { items: Item[]; total: number };

export const ALWAYS = sql`true`;

/** True in SQL for records of one of these types. */
export const isOneOf = (types: readonly MemoryType[]): SQL =>
  sql`memory_type IN (${sql.join(
    types.map((type) => sql`${type}`),
    sql`, `,
  )})`;

/** True in SQL for the caller's records that match the filters. */
export function matching(ctx: Ctx, { scope, project, memory_type }: Filters): SQL {
  const filters = [
    sql`owner = ${ctx.owner}`,
    ...(scope ? [sql`scope = ${scope}`] : []),
    ...(project ? [sql`project = ${project}`] : []),
    ...(memory_type ? [isOneOf(memory_type)] : []),
  ];
  return sql.join(filters, sql` AND `);
}

/** The condition on the project, or one that is always true. */
export const inProject = ({ project }: Filters): SQL => (project ? sql`project = ${project}` : ALWAYS);

/** The scope as the indexes have it: '' for none. */
const SCOPE = sql`coalesce(scope, '')`;
const SCOPES = ["", ...Scope.options] as const;

const isScope = (scope: (typeof SCOPES)[number]) => sql`${SCOPE} = ${sql.raw(`'${scope}'`)}`;
const isType = (type: MemoryType) => sql`memory_type = ${sql.raw(`'${type}'`)}`;

/** One condition for each scope that the filters allow. */
export const scopeConditions = ({ scope }: Filters): SQL[] => (scope ? [scope] : SCOPES).map(isScope);

/** One condition for each combination of type and scope that the filters allow. */
export function kindConditions(filters: Filters, types: readonly MemoryType[] = MemoryType.options): SQL[] {
  const { memory_type } = filters;
  const asked = types.filter((type) => !memory_type || memory_type.includes(type));
  return asked.flatMap((type) => scopeConditions(filters).map((scope) => sql`${isType(type)} AND ${scope}`));
}

/** How many SELECTs D1 allows in one compound (SQLITE_LIMIT_COMPOUND_SELECT in workerd's util/sqlite.c++). */
const MAX_COMPOUND = 5;

/**
 * All rows of the given SELECTs, nested to stay within D1's limit. If the outer ORDER BY matches the index of each
 * SELECT, SQLite merges them and stops reading at the LIMIT.
 */
export function merged(selects: SQL[]): SQL {
  if (selects.length <= MAX_COMPOUND) return sql.join(selects, sql` UNION ALL `);
  const size = Math.ceil(selects.length / MAX_COMPOUND);
  const groups = Array.from({ length: Math.ceil(selects.length / size) }, (_, group) =>
    merged(selects.slice(group * size, (group + 1) * size)),
  );
  return merged(groups.map((group) => sql`SELECT * FROM (${group})`));
}

/** Records that have woken but are still stored as deferred; few, since the cron handler clears them. */
export const woken = (ctx: Ctx, filters: Filters, condition: SQL) => sql`
  FROM memories INDEXED BY memories_sleeping_idx
  WHERE ${matching(ctx, filters)} AND ${isAwake(ctx)} AND ${LIVING} AND ${condition}`;

/** The number of records in each state. */
export type Counts = { active: number; deferred: number; resolved: number; archived: number };
export type Totals = Counts & { resolved_seconds: number };

/** The statement that reads the counters, and how many records they still count as deferred that have woken. */
export const totalsStatement = (ctx: Ctx, { project, ...filters }: Filters) =>
  ctx.db.all<Totals & { woken: number }>(sql`
    SELECT coalesce(sum(active), 0) AS active, coalesce(sum(deferred), 0) AS deferred,
      coalesce(sum(resolved), 0) AS resolved, coalesce(sum(archived), 0) AS archived,
      coalesce(sum(resolved_seconds), 0) AS resolved_seconds,
      (SELECT count(*) ${woken(ctx, { ...filters, project }, ALWAYS)}) AS woken
    FROM memory_totals WHERE ${matching(ctx, filters)} AND project = ${project ?? ""}`);

/** The totals that `totalsStatement` read, with woken records counted as active. */
export function totalsOf([row]: (Totals & { woken: number })[]): Totals {
  if (!row) throw new Error("A sum without GROUP BY has one row");
  const { woken, active, deferred, ...totals } = row;
  return { ...totals, active: active + woken, deferred: deferred - woken };
}

export type Group = Counts & { project: string; memory_type: MemoryType };

/**
 * The statements that read the counters per project and type, and their corrections for woken records. Project ''
 * stands for all records.
 */
export const groupStatements = (ctx: Ctx, filters: Pick<Filters, "scope">) =>
  [
    ctx.db.all<Group>(sql`
      SELECT project, memory_type, sum(active) AS active, sum(deferred) AS deferred, sum(resolved) AS resolved,
        sum(archived) AS archived
      FROM memory_totals WHERE ${matching(ctx, filters)} GROUP BY project, memory_type`),
    ctx.db.all<Group>(sql`
      SELECT key.value AS project, memory_type, count(*) AS active, -count(*) AS deferred, 0 AS resolved, 0 AS archived
      FROM (SELECT memory_type, project ${woken(ctx, filters, ALWAYS)}) AS m
        JOIN json_each(json_array('', m.project)) AS key
      WHERE key.value IS NOT NULL GROUP BY key.value, memory_type`),
  ] as const;
