import { type SQL, sql } from "drizzle-orm";
import type { Env } from "../../env.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { notFenced } from "../../platform/db/fence.ts";
import type { StepBudget } from "../../platform/jobs/run.ts";
import { forgetInAllShards } from "../../platform/shards/router.ts";
import { revokeSomeGrants } from "../connections/grants.ts";
import { eraseAccount } from "./store.ts";

export const deletedOwners = ({ now }: BaseCtx): SQL =>
  sql`SELECT number AS owner FROM users INDEXED BY users_deleted_at_idx
    WHERE deleted_at <= ${now.toISOString()} AND ${notFenced("users.number")}`;

/** Continues the erasure of a deleted account. Returns whether it is complete. */
export async function continueErasure(ctx: Ctx, env: Env, hasBudget: StepBudget): Promise<boolean> {
  const endConnections = async (userId: string) =>
    !(await forgetInAllShards(env, ctx.shard, userId)) || revokeSomeGrants(env, userId);
  return eraseAccount(ctx, endConnections, hasBudget);
}
