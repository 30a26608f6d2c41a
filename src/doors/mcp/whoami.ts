import { z } from "zod";
import { ACCESS_SCOPES } from "../../contract/access.ts";
import { prefixedId } from "../../contract/links.ts";
import { countEntries } from "../../engine/index.ts";
import { subscriptionQuery } from "../../features/billing/store.ts";
import { countProjects } from "../../features/dashboard/store.ts";
import {
  countFolders,
  folderPathsStatement,
  type ListedFolder,
} from "../../features/documents/folder-path-store.ts";
import { type RunningJob, runningJobsStatement } from "../../features/jobs/store.ts";
import { roundToHundredths } from "../../features/memories/tool-memory.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { defineTool, todayField } from "../../platform/tools/tool.ts";

const MAX_LISTED = 100;

const count = z.int().optional();
const Counts = { active: count, deferred: count, resolved: count, archived: count };

const sum = (counts: object): number =>
  Object.values(counts).reduce((total, count) => total + (typeof count === "number" ? count : 0), 0);

const withoutZeros = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

async function describeRecords(ctx: Ctx) {
  const { by_status, projects, more_projects } = await countProjects(ctx);
  return {
    records: sum(by_status),
    active_records: by_status.active,
    projects: projects.map(({ project, completion_rate_30d: rate, ...counts }) => ({
      project,
      ...withoutZeros(counts),
      ...(rate !== null && { completion_rate_30d: roundToHundredths(rate) }),
    })),
    ...(more_projects > 0 && { more_projects }),
  };
}

type Total = { total: number }[];
const totalOf = ([row]: Total) => row?.total ?? 0;

const describeDocuments = (documents: Total, folders: ListedFolder[], all: Total) => ({
  documents: totalOf(documents),
  folders: folders.map((folder) => ({ ...folder, id: prefixedId({ kind: "folder", id: folder.id }) })),
  ...(totalOf(all) > folders.length && { more_folders: totalOf(all) - folders.length }),
});

/** Titles of jobs contain names of tags and projects, so they require both read scopes. */
function describeJobs(jobs: RunningJob[], scopes: readonly string[]) {
  const mayRead = scopes.includes("docs:read") && scopes.includes("memory:read");
  const under_way = jobs.map(({ total, ...job }) => ({ ...job, ...(total !== null && { total }) }));
  return mayRead && under_way.length > 0 ? { under_way } : {};
}

export const whoami = defineTool({
  name: "whoami",
  title: "Who am I",
  description:
    "The user, plan, scopes of this connection, time zone, and all folders and projects: counts by state and " +
    "completion_rate_30d.",
  access: [],
  adds: [],
  changes: [],
  hints: { destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({}),
  output: z.strictObject({
    email: z.string(),
    name: z.string().optional(),
    plan: z.string(),
    plan_status: z.string(),
    scopes: z.array(z.string()),
    today: z.string(),
    timezone: z.string(),
    documents: z.int().optional(),
    records: z.int().optional(),
    active_records: z.int().optional(),
    folders: z.array(z.strictObject({ id: z.string(), path: z.string(), documents: z.int() })).optional(),
    more_folders: z.int().optional(),
    projects: z
      .array(z.strictObject({ project: z.string(), ...Counts, completion_rate_30d: z.number().optional() }))
      .optional(),
    more_projects: z.int().optional(),
    under_way: z
      .array(z.strictObject({ title: z.string(), done: z.int(), total: z.int().optional() }))
      .optional(),
  }),
  run: async (ctx) => {
    const scopes = ctx.scopes ?? ACCESS_SCOPES;
    const [[subscription], documents, folders, all, jobs] = await ctx.db.batch([
      subscriptionQuery(ctx),
      countEntries(ctx, "document"),
      folderPathsStatement(ctx, MAX_LISTED),
      countFolders(ctx),
      runningJobsStatement(ctx),
    ]);
    if (!subscription) throw notFound();
    const { email, name, timezone } = await ctx.user();
    return {
      email,
      ...(name !== null && { name }),
      plan: subscription.plan_tier,
      plan_status: subscription.status,
      scopes: [...scopes],
      ...(await todayField(ctx)),
      timezone,
      ...(scopes.includes("docs:read") && describeDocuments(documents, folders, all)),
      ...(scopes.includes("memory:read") && (await describeRecords(ctx))),
      ...describeJobs(jobs, scopes),
    };
  },
});
