import { type SQL, sql } from "drizzle-orm";
import type { Env } from "../../env.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import type { StepBudget } from "../../platform/jobs/run.ts";
import { withRest } from "../../platform/queue/yielding.ts";
import { entriesExpiryStatement, purgeOldEntries } from "../activity/retention-store.ts";
import { purgeTrashBatch, trashExpiryStatement } from "../trash/store.ts";

// Deletes what has passed its retention period. `users.purge_at` is the time of the next deletion: triggers of migration 0053
// set it, and this chore after each run.

export const purgeDueAt = (owner: SQL): SQL =>
  sql`(SELECT purge_at FROM users AS u WHERE u.number = ${owner})`;

export const ownersWithExpired = ({ now }: BaseCtx): SQL =>
  sql`SELECT number AS owner FROM users INDEXED BY users_purge_at_idx WHERE purge_at <= ${now.toISOString()}`;

export async function purgeExpired(ctx: Ctx, _: Env, hasBudget: StepBudget): Promise<void> {
  for (const step of [purgeTrashBatch, purgeOldEntries])
    while (await withRest(() => step(ctx))) if (!hasBudget()) return;
  // In an hour at the earliest, so that a row that cannot be deleted is not retried immediately.
  const soonest = new Date(ctx.now.getTime() + 3_600_000).toISOString();
  await ctx.db.run(sql`UPDATE users SET purge_at = (SELECT max(min(at), ${soonest})
      FROM (${trashExpiryStatement(ctx)} UNION ALL ${entriesExpiryStatement(ctx)})) WHERE number = ${ctx.owner}`);
}
