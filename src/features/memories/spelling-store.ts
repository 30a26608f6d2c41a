import { sql } from "drizzle-orm";
import { nameKey } from "../../contract/name-key.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { BatchItem, BatchResults } from "../../platform/core/statement.ts";
import { otherSpellingsSql } from "../../platform/db/name-sql.ts";
import type { MemoryFilters } from "./filter-store.ts";

// Lists read a project as spelled in the request, which nearly always is how its records spell it.

function spellingsStatement(ctx: Ctx, project: string) {
  const { owner } = ctx;
  const key = nameKey(project);
  const isThere = (name: string) =>
    sql`EXISTS (SELECT 1 FROM memory_totals WHERE owner = ${owner} AND project = ${name})`;
  return ctx.db.all<{ name: string; is_there: number }>(sql`
    SELECT name, ${isThere(project)} AS is_there FROM (${otherSpellingsSql(ctx, "project", project)}) AS other
    WHERE name <> ${key} OR ${isThere(key)}`);
}

/** Sends a list's statements, and again for all spellings of its project if the records spell it differently. */
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
