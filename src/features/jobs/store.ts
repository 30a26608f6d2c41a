import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Job, JobList, JobListQuery } from "../../contract/jobs.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { AppError, notFound } from "../../platform/core/errors.ts";
import { notFenced } from "../../platform/db/fence.ts";
import { later } from "../../platform/db/tables.ts";
import { waitForJob } from "../../platform/jobs/run.ts";
import { cancelJobRow, findJob, presentJob } from "../../platform/jobs/store.ts";
import { wakeAccount } from "../../platform/jobs/wake.ts";
import { JOB_DEFINITIONS } from "./kinds.ts";

const MAX_LISTED = 50;
/** How long a job is kept after it has ended. */
const RETENTION_DAYS = 7;

export async function listJobs(ctx: Ctx, { limit, offset, state }: JobListQuery): Promise<JobList> {
  const stored = state === "running" ? "waiting" : state;
  const condition = and(eq(later.owner, ctx.owner), stored && eq(later.state, stored));
  const [rows, [count]] = await ctx.db.batch([
    ctx.db
      .select()
      .from(later)
      .where(condition)
      .orderBy(desc(later.created_at), desc(later.id))
      .limit(Math.max(0, Math.min(limit, MAX_LISTED - offset)))
      .offset(offset),
    ctx.db.select({ total: sql<number>`count(*)` }).from(later).where(condition),
  ]);
  return { items: rows.map(presentJob), total: Math.min(count?.total ?? 0, MAX_LISTED) };
}

export type RunningJob = Pick<typeof later.$inferSelect, "title" | "done" | "total">;

export const runningJobsStatement = (ctx: Ctx) =>
  ctx.db
    .select({ title: later.title, done: later.done, total: later.total })
    .from(later)
    .where(and(eq(later.owner, ctx.owner), eq(later.state, "waiting")))
    .orderBy(later.created_at)
    .limit(MAX_LISTED);

/** A job of the caller, once it has ended or after `wait` seconds. Throws 404. */
export async function getJob(ctx: Ctx, id: string, wait: number): Promise<Job> {
  const task = await waitForJob(ctx, id, wait);
  if (!task) throw notFound();
  return presentJob(task);
}

/** Cancels a job; changes that it has already made are kept. Throws 404, and 409 if it has ended. */
export async function cancelJob(ctx: Ctx, id: string): Promise<void> {
  const task = await findJob(ctx, id);
  if (!task) throw notFound();
  const also = JOB_DEFINITIONS[task.kind].cancelStatements?.({ ctx, task, payload: task.payload });
  // The account's next job may have been waiting for this one.
  if (task.state === "waiting" && (await cancelJobRow(ctx, task, also))) return wakeAccount(ctx);
  const { state } = (await findJob(ctx, id)) ?? task;
  throw new AppError(409, `The job has already ended (${state}) and cannot be cancelled`);
}

const cutoff = ({ now }: BaseCtx) => new Date(now.getTime() - RETENTION_DAYS * 86_400_000).toISOString();

export const hasOldJobs = (ctx: BaseCtx): SQL =>
  sql`EXISTS (SELECT 1 FROM later WHERE state <> 'waiting' AND updated_at < ${cutoff(ctx)})`;

export async function purgeJobs(ctx: BaseCtx): Promise<void> {
  await ctx.db.run(sql`DELETE FROM later WHERE id IN (SELECT id FROM later
    WHERE state <> 'waiting' AND updated_at < ${cutoff(ctx)} AND ${notFenced("later.owner")} LIMIT 1000)`);
}
