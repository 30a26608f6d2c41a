import { type SQL, sql } from "drizzle-orm";
import type { Env } from "../../env.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import type { Budget } from "../../platform/later/run.ts";
import { withRest } from "../../platform/turns/fair.ts";
import { ownersWithUnread, readNext, unreadMoment } from "./store.ts";

/** When an account is due for reading a file; never without a bucket. */
export const wordsMoment = (owner: SQL, { FILES }: Env): SQL => (FILES ? unreadMoment(owner) : sql`NULL`);

export const ownersToRead = (base: BaseCtx, { FILES }: Env): SQL =>
  sql`SELECT owner FROM (${ownersWithUnread(base)}) WHERE ${FILES ? sql`true` : sql`false`}`;

/** Reads new files, one at a time, until the budget runs out. */
export async function readWords(ctx: Ctx, _: Env, isLeft: Budget): Promise<void> {
  while (await withRest(() => readNext(ctx))) if (!isLeft()) return;
}
