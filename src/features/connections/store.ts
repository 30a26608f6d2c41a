import { and, eq, lt } from "drizzle-orm";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { unfenced } from "../../platform/db/fence.ts";
import { connection_uses } from "../../platform/db/tables.ts";

export async function readUses({ db, owner }: Ctx): Promise<Map<string, string>> {
  const uses = await db.select().from(connection_uses).where(eq(connection_uses.owner, owner));
  return new Map(uses.map(({ grant_id, last_used_at }) => [grant_id, last_used_at]));
}

/** A connection that has not called for so long has ended: its refresh token lives for 30 days. */
const RETENTION_MS = 60 * 86_400_000;

export async function purgeUses({ db, now }: BaseCtx): Promise<void> {
  const before = new Date(now.getTime() - RETENTION_MS).toISOString();
  const ended = and(lt(connection_uses.last_used_at, before), unfenced("connection_uses.owner"));
  await db.delete(connection_uses).where(ended);
}
