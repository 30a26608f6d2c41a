import type { Project, ProjectList, RenamedProject } from "../../contract/projects.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { type Group, groupStatements } from "../memories/filter-store.ts";

function projectOf(name: string, groups: Group[]): Project {
  const count = (of: (group: Group) => number) => groups.reduce((sum, group) => sum + of(group), 0);
  const memory_count = count(
    ({ active, deferred, resolved, archived }) => active + deferred + resolved + archived,
  );
  return { name, memory_count, active_count: count(({ active }) => active) };
}

export async function listProjects(ctx: Ctx, page: { limit: number; offset: number }): Promise<ProjectList> {
  const [counters, corrections] = await ctx.db.batch(groupStatements(ctx, {}));
  const named = Map.groupBy([...counters, ...corrections], ({ project }) => project);
  named.delete("");
  const items = [...named]
    .map(([name, groups]) => projectOf(name, groups))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { items: items.slice(page.offset, page.offset + page.limit), total: items.length };
}

/** How many changes an answer names in its body: all of them are in the header Change-Id. */
const MAX_CHANGES = 100;

/** A project as a renaming has left it. */
export async function renamedProject(ctx: Ctx, name: string): Promise<RenamedProject> {
  const [counters, corrections] = await ctx.db.batch(groupStatements(ctx, {}));
  const groups = [...counters, ...corrections].filter(({ project }) => project === name);
  const change_ids = ctx.changes?.slice(-MAX_CHANGES).map(String) ?? [];
  return { ...projectOf(name, groups), ...(change_ids.length > 0 && { change_ids }) };
}
