import { type SQL, sql } from "drizzle-orm";
import type { Env } from "../../env.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { type Budget, goOn } from "../../platform/later/run.ts";
import { nextMoment, putBack, takeDue } from "../../platform/later/store.ts";
import { KINDS } from "./kinds.ts";

const WAITING = sql`later.state = 'waiting' AND later.due_at IS NOT NULL`;

export const jobsMoment = nextMoment;

export const ownersWithJobs = ({ now }: BaseCtx): SQL =>
  sql`SELECT owner FROM later INDEXED BY later_due_at_idx WHERE ${WAITING} AND due_at <= ${now.toISOString()}`;

/** Runs the due jobs, of each kind one after the other in the order of their creation. */
export async function workOnJobs(ctx: Ctx, env: Env, hasBudget: Budget): Promise<void> {
  for (const [index, task] of (await takeDue(ctx)).entries()) {
    if (index > 0 && !hasBudget()) {
      await putBack(ctx, task);
      continue;
    }
    const work = { ctx: { ...ctx, ...task.actor }, env, task, payload: task.payload };
    await goOn(KINDS[task.kind], work, hasBudget);
  }
}
