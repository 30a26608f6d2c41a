import { type SQL, sql } from "drizzle-orm";
import type { Env } from "../../env.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import type { StepBudget } from "../../platform/jobs/run.ts";
import { withRest } from "../../platform/queue/yielding.ts";
import { ownersWithUnreadFiles, readNextFile, unreadFileDueAt } from "./store.ts";

/** When an account is due for reading a file; never without a bucket. */
export const fileTextDueAt = (owner: SQL, { FILES }: Env): SQL =>
  FILES ? unreadFileDueAt(owner) : sql`NULL`;

export const ownersWithFilesToRead = (base: BaseCtx, { FILES }: Env): SQL =>
  sql`SELECT owner FROM (${ownersWithUnreadFiles(base)}) WHERE ${FILES ? sql`true` : sql`false`}`;

/** Reads new files, one at a time, until the budget runs out. */
export async function readNewFiles(ctx: Ctx, _: Env, isLeft: StepBudget): Promise<void> {
  while (await withRest(() => readNextFile(ctx))) if (!isLeft()) return;
}
