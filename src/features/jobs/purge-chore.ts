import { type SQL, sql } from "drizzle-orm";
import type { Env } from "../../env.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import type { Budget } from "../../platform/later/run.ts";
import { withRest } from "../../platform/turns/fair.ts";
import { entriesExpire, purgeEntries } from "../activity/retention-store.ts";
import { purgeSomeTrash, trashExpires } from "../trash/store.ts";

// What an account has for a time only. `users.purge_at` says when the next of it is too old: triggers of migration 0053
// set it, and this when it is done.

export const purgeMoment = (owner: SQL): SQL =>
  sql`(SELECT purge_at FROM users AS u WHERE u.number = ${owner})`;

export const ownersWithOld = ({ now }: BaseCtx): SQL =>
  sql`SELECT number AS owner FROM users WHERE purge_at <= ${now.toISOString()}`;

/** Deletes what an account has had for too long. */
export async function purgeOld(ctx: Ctx, _: Env, isLeft: Budget): Promise<void> {
  for (const step of [purgeSomeTrash, purgeEntries])
    while (await withRest(() => step(ctx))) if (!isLeft()) return;
  // An hour at least, so that nothing that cannot be deleted is tried again at once.
  const soonest = new Date(ctx.now.getTime() + 3_600_000).toISOString();
  await ctx.db.run(sql`UPDATE users SET purge_at = (SELECT max(min(at), ${soonest})
      FROM (${trashExpires(ctx)} UNION ALL ${entriesExpire(ctx)})) WHERE number = ${ctx.owner}`);
}
