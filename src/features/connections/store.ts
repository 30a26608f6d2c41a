import { and, eq, lt, type SQL } from "drizzle-orm";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { hasRowBefore } from "../../platform/db/delete-in-steps.ts";
import { notFenced } from "../../platform/db/fence.ts";
import { connection_uses } from "../../platform/db/tables.ts";

export async function readConnectionUses({ db, owner }: Ctx): Promise<Map<string, string>> {
  const uses = await db.select().from(connection_uses).where(eq(connection_uses.owner, owner));
  return new Map(uses.map(({ grant_id, last_used_at }) => [grant_id, last_used_at]));
}

/** A connection that has not been used for this long has ended: its refresh token is valid for 30 days. */
const RETENTION_MS = 60 * 86_400_000;

const cutoff = ({ now }: BaseCtx) => new Date(now.getTime() - RETENTION_MS).toISOString();

export const hasOldConnectionUses = (ctx: BaseCtx): SQL =>
  hasRowBefore("connection_uses", "last_used_at", cutoff(ctx));

export async function purgeConnectionUses(ctx: BaseCtx): Promise<void> {
  const ended = and(lt(connection_uses.last_used_at, cutoff(ctx)), notFenced("connection_uses.owner"));
  await ctx.db.delete(connection_uses).where(ended);
}
