import { type SQL, sql } from "drizzle-orm";
import type { Env } from "../../env.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { unfenced } from "../../platform/db/fence.ts";
import { leaveHomes } from "../../platform/homes/router.ts";
import type { Budget } from "../../platform/later/run.ts";
import { revokeSomeGrants } from "../connections/grants.ts";
import { eraseAccount } from "./store.ts";

export const closedOwners = ({ now }: BaseCtx): SQL =>
  sql`SELECT number AS owner FROM users INDEXED BY users_deleted_at_idx
    WHERE deleted_at <= ${now.toISOString()} AND ${unfenced("users.number")}`;

/** Continues the erasure of a deleted account. Returns whether it is complete. */
export async function eraseSome(ctx: Ctx, env: Env, hasBudget: Budget): Promise<boolean> {
  const endConnections = async (userId: string) =>
    !(await leaveHomes(env, ctx.home, userId)) || revokeSomeGrants(env, userId);
  return eraseAccount(ctx, endConnections, hasBudget);
}
