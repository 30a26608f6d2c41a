import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Job, JobList, JobListQuery } from "../../contract/jobs.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { AppError, notFound } from "../../platform/core/errors.ts";
import { unfenced } from "../../platform/db/fence.ts";
import { later } from "../../platform/db/tables.ts";
import { waitForEnd } from "../../platform/later/run.ts";
import { cancel, findTask, present } from "../../platform/later/store.ts";
import { wake } from "../../platform/later/wake.ts";
import { KINDS } from "./kinds.ts";

/** How many jobs are shown, and for how long those that have ended. */
const MOST_SHOWN = 50;
const RETENTION_DAYS = 7;

const stateOf = (state: JobListQuery["state"]) => (state === "running" ? "waiting" : state);

export async function listJobs(ctx: Ctx, { limit, offset, state }: JobListQuery): Promise<JobList> {
  const stored = stateOf(state);
  const which = and(eq(later.owner, ctx.owner), stored && eq(later.state, stored));
  const [rows, [count]] = await ctx.db.batch([
    ctx.db
      .select()
      .from(later)
      .where(which)
      .orderBy(desc(later.created_at), desc(later.id))
      .limit(Math.max(0, Math.min(limit, MOST_SHOWN - offset)))
      .offset(offset),
    ctx.db.select({ total: sql<number>`count(*)` }).from(later).where(which),
  ]);
  return { items: rows.map(present), total: Math.min(count?.total ?? 0, MOST_SHOWN) };
}

const running = { title: later.title, done: later.done, total: later.total };
export type Running = { title: string; done: number; total: number | null };

/** What is under way. */
export const runningStatement = (ctx: Ctx) =>
  ctx.db
    .select(running)
    .from(later)
    .where(and(eq(later.owner, ctx.owner), eq(later.state, "waiting")))
    .orderBy(later.created_at)
    .limit(MOST_SHOWN);

/** A job of the caller's, when it has ended or after some seconds. Throws 404. */
export async function getJob(ctx: Ctx, id: string, wait: number): Promise<Job> {
  const task = await waitForEnd(ctx, id, wait);
  if (!task) throw notFound();
  return present(task);
}

/** Ends a job; what it has done stays. Throws 404, 409 when it has ended. */
export async function cancelJob(ctx: Ctx, id: string): Promise<void> {
  const task = await findTask(ctx, id);
  if (!task) throw notFound();
  const also = KINDS[task.kind].cancelled?.({ ctx, task, payload: task.payload });
  // What waited for it goes on.
  if (task.state === "waiting" && (await cancel(ctx, task, also))) return wake(ctx);
  const { state } = (await findTask(ctx, id)) ?? task;
  throw new AppError(409, `The job has ended, and cannot be cancelled: it is ${state}`);
}

const cutoff = ({ now }: BaseCtx) => new Date(now.getTime() - RETENTION_DAYS * 86_400_000).toISOString();

export const hasOldJobs = (ctx: BaseCtx): SQL =>
  sql`EXISTS (SELECT 1 FROM later WHERE state <> 'waiting' AND updated_at < ${cutoff(ctx)})`;

/** Forgets jobs that ended long ago, a bounded number per run. */
export async function purgeJobs(ctx: BaseCtx): Promise<void> {
  await ctx.db.run(sql`DELETE FROM later WHERE id IN (SELECT id FROM later
    WHERE state <> 'waiting' AND updated_at < ${cutoff(ctx)} AND ${unfenced("later.owner")} LIMIT 1000)`);
}
