import { type SQL, sql } from "drizzle-orm";
import type { Env } from "../../env.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import type { Budget } from "../../platform/later/run.ts";
import { withRest } from "../../platform/turns/fair.ts";
import { dueMoment, ownersWithDue, tendSome } from "./tend-store.ts";

/** When an account's files next need maintenance, in SQL; NULL without a bucket. */
export const filesMoment = (owner: SQL, { FILES }: Env): SQL => (FILES ? dueMoment(owner) : sql`NULL`);

export const ownersWithDueFiles = (base: BaseCtx, { FILES }: Env): SQL =>
  sql`SELECT owner FROM (${ownersWithDue(base)}) WHERE ${FILES ? sql`true` : sql`false`}`;

export async function tendFiles(ctx: Ctx, _: Env, isLeft: Budget): Promise<void> {
  while (await withRest(() => tendSome(ctx))) if (!isLeft()) return;
}
