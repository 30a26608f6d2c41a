import { type SQL, sql } from "drizzle-orm";
import type { Env } from "../../env.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { continueJob, type StepBudget } from "../../platform/jobs/run.ts";
import { leaseDueJobs, releaseJob } from "../../platform/jobs/store.ts";
import { JOB_DEFINITIONS } from "./kinds.ts";

const WAITING = sql`later.state = 'waiting' AND later.due_at IS NOT NULL`;

export const ownersWithJobs = ({ now }: BaseCtx): SQL =>
  sql`SELECT owner FROM later INDEXED BY later_due_at_idx WHERE ${WAITING} AND due_at <= ${now.toISOString()}`;

/** Runs the due jobs, of each kind one after the other in the order of their creation. */
export async function runDueJobs(ctx: Ctx, env: Env, hasBudget: StepBudget): Promise<void> {
  for (const [index, task] of (await leaseDueJobs(ctx)).entries()) {
    if (index > 0 && !hasBudget()) {
      await releaseJob(ctx, task);
      continue;
    }
    const work = { ctx: { ...ctx, ...task.actor }, env, task, payload: task.payload };
    await continueJob(JOB_DEFINITIONS[task.kind], work, hasBudget);
  }
}
