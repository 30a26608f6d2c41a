import { sql } from "drizzle-orm";
import { nameKey } from "../../contract/name-key.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { BatchItem, BatchResults } from "../../platform/core/statement.ts";
import { otherSpellingsSql } from "../../platform/db/name-sql.ts";
import { sqlFromText } from "../../platform/db/spellings.ts";
import type { MemoryFilters } from "./filter-store.ts";

// Lists read a project as spelled in the request, which nearly always is how its records spell it.

function spellingsStatement(ctx: Ctx, project: string) {
  const { owner } = ctx;
  const key = nameKey(project);
  const isThere = (name: string) =>
    sql`EXISTS (SELECT 1 FROM memory_totals WHERE owner = ${owner} AND project = ${name})`;
  return ctx.db.all<{ name: string; is_there: number }>(sql`
    SELECT name, ${isThere(project)} AS is_there FROM (${sqlFromText(otherSpellingsSql(ctx, "project", project))}) AS other
    WHERE name <> ${key} OR ${isThere(key)}`);
}

type ListStatements = readonly [BatchItem, ...BatchItem[]];

/** Sends a list's statements, and again for all spellings of its project if the records spell it differently. */
export async function batchForSpellings<
  Requested extends Pick<MemoryFilters, "project">,
  const Sent extends ListStatements,
>(
  ctx: Ctx,
  requested: Requested,
  statementsFor: (requested: Requested) => Sent,
): Promise<BatchResults<Sent>> {
  const { project } = requested;
  if (typeof project !== "string")
    return ctx.db.batch(statementsFor(requested)) as Promise<BatchResults<Sent>>;
  const sent = [...statementsFor(requested), spellingsStatement(ctx, project)] as unknown as Sent;
  const answers = [...((await ctx.db.batch(sent)) as unknown[])];
  const others = answers.pop() as { name: string; is_there: number }[];
  const [other, ...more] = others;
  if (!other) return answers as BatchResults<Sent>;
  const names = others.map(({ name }) => name);
  const isSingle = more.length === 0 && !other.is_there;
  const spelled = { ...requested, project: isSingle ? other.name : [project, ...names] };
  return ctx.db.batch(statementsFor(spelled)) as Promise<BatchResults<Sent>>;
}
