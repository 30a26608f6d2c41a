import type { Access } from "../../contract/access.ts";
import { nameKey } from "../../contract/name-key.ts";
import { SKILLS } from "../../contract/skills.ts";
import { folderPathsStatement } from "../../features/documents/folder-path-store.ts";
import { listProjects } from "../../features/projects/store.ts";
import { listTags } from "../../features/tags/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { canSee } from "../../platform/tools/tool.ts";

/** The protocol's limit for one response. */
const MAX_VALUES = 100;
const MAX_READ = 1000;

type Source = { access: Access | readonly Access[]; read: (ctx: Ctx) => Promise<string[]> };

const names = (items: readonly { name: string }[]) => items.map(({ name }) => name);

const SOURCES: Record<string, Source> = {
  project: {
    access: "memory:read",
    read: async (ctx) => names((await listProjects(ctx, { limit: MAX_READ, offset: 0 })).items),
  },
  folder: {
    access: "docs:read",
    read: async (ctx) => (await folderPathsStatement(ctx, MAX_READ)).map(({ path }) => path),
  },
  tag: {
    access: "docs:read",
    read: async (ctx) => names((await listTags(ctx, { limit: MAX_READ, offset: 0 })).items),
  },
  name: { access: [], read: async () => names(SKILLS) },
};

/** Completions of an argument: names of the caller that begin with the typed text, then those that contain it. */
export async function completeValue(ctx: Ctx, argument: string, typed: string) {
  const source = Object.hasOwn(SOURCES, argument) ? SOURCES[argument] : undefined;
  const all = source && canSee(source, ctx.scopes) ? await source.read(ctx) : [];
  const key = nameKey(typed);
  const candidates = all.map((name) => ({ name, index: nameKey(name).indexOf(key) }));
  const matches = [
    ...candidates.filter(({ index }) => index === 0),
    ...candidates.filter(({ index }) => index > 0),
  ].map(({ name }) => name);
  const values = matches.slice(0, MAX_VALUES);
  return { completion: { values, total: matches.length, hasMore: values.length < matches.length } };
}
