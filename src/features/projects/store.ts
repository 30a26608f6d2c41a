import type { Project, ProjectList, RenamedProject } from "../../contract/projects.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { groupStatements, type ProjectGroup } from "../memories/filter-store.ts";

function toProject(name: string, groups: ProjectGroup[]): Project {
  const sum = (of: (group: ProjectGroup) => number) => groups.reduce((total, group) => total + of(group), 0);
  const memory_count = sum(
    ({ active, deferred, resolved, archived }) => active + deferred + resolved + archived,
  );
  return { name, memory_count, active_count: sum(({ active }) => active) };
}

export async function listProjects(ctx: Ctx, page: { limit: number; offset: number }): Promise<ProjectList> {
  const [counters, corrections] = await ctx.db.batch(groupStatements(ctx, {}));
  const named = Map.groupBy([...counters, ...corrections], ({ project }) => project);
  named.delete("");
  const items = [...named]
    .map(([name, groups]) => toProject(name, groups))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { items: items.slice(page.offset, page.offset + page.limit), total: items.length };
}

/** Maximum number of change ids in the body. The header Change-Id has all. */
const MAX_CHANGES = 100;

/** A project after it was renamed. */
export async function renamedProject(ctx: Ctx, name: string): Promise<RenamedProject> {
  const [counters, corrections] = await ctx.db.batch(groupStatements(ctx, {}));
  const groups = [...counters, ...corrections].filter(({ project }) => project === name);
  const change_ids = ctx.changes?.slice(-MAX_CHANGES).map(String) ?? [];
  return { ...toProject(name, groups), ...(change_ids.length > 0 && { change_ids }) };
}
