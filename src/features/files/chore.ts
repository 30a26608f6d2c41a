import { type SQL, sql } from "drizzle-orm";
import type { Env } from "../../env.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import type { StepBudget } from "../../platform/jobs/run.ts";
import { withRest } from "../../platform/queue/yielding.ts";
import { maintainFilesStep, nextMaintenanceAt, ownersDueForMaintenance } from "./maintenance-store.ts";

/** When an account's files next need maintenance, in SQL; NULL without a bucket. */
export const nextFilesMaintenanceAt = (owner: SQL, { FILES }: Env): SQL =>
  FILES ? nextMaintenanceAt(owner) : sql`NULL`;

export const ownersWithDueFiles = (base: BaseCtx, { FILES }: Env): SQL =>
  sql`SELECT owner FROM (${ownersDueForMaintenance(base)}) WHERE ${FILES ? sql`true` : sql`false`}`;

export async function maintainFiles(ctx: Ctx, _: Env, isLeft: StepBudget): Promise<void> {
  while (await withRest(() => maintainFilesStep(ctx))) if (!isLeft()) return;
}
