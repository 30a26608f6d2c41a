import type { Project, ProjectList, RenamedProject } from "../../contract/projects.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import {
  countsBy,
  groupStatements,
  NO_COUNTS,
  type StatusCounts,
  sumOfCounts,
} from "../memories/filter-store.ts";

const readCounts = async (ctx: Ctx): Promise<Map<string, StatusCounts>> =>
  countsBy("project", (await ctx.db.batch(groupStatements(ctx, {}))).flat());

const toProject = (name: string, counts = NO_COUNTS): Project => ({
  name,
  memory_count: sumOfCounts(counts),
  active_count: counts.active,
});

export async function listProjects(ctx: Ctx, page: { limit: number; offset: number }): Promise<ProjectList> {
  const byName = await readCounts(ctx);
  byName.delete("");
  const items = [...byName]
    .map(([name, counts]) => toProject(name, counts))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { items: items.slice(page.offset, page.offset + page.limit), total: items.length };
}

/** Maximum number of change ids in the body. The header Change-Id has all. */
const MAX_CHANGES = 100;

export async function renamedProject(ctx: Ctx, name: string): Promise<RenamedProject> {
  const counts = await readCounts(ctx);
  const change_ids = ctx.changes?.slice(-MAX_CHANGES).map(String) ?? [];
  return { ...toProject(name, counts.get(name)), ...(change_ids.length > 0 && { change_ids }) };
}
