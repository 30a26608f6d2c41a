import { and, desc, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { breathe } from "../core/breathe.ts";
import type { BaseCtx, Ctx } from "../core/ctx.ts";
import { documents } from "../db/tables.ts";
import { shownInLists } from "../documents/store.ts";
import { forgetStatement } from "../ledger/store.ts";
import type { TrashList } from "./schema.ts";

/** How many documents one step erases. */
const ERASED_AT_ONCE = 50;

/** Erases trashed documents in one bounded step; returns whether there may be more. */
async function eraseTrashed(ctx: BaseCtx, which: SQL): Promise<boolean> {
  // The search entry of a document is deleted when it is trashed.
  const some = sql`FROM documents WHERE trashed_at IS NOT NULL AND ${which}
    ORDER BY trashed_at, id LIMIT ${ERASED_AT_ONCE}`;
  const ids = sql`SELECT id ${some}`;
  const [, , erased] = await ctx.db.batch([
    forgetStatement(ctx, "document", sql`SELECT owner, id ${some}`),
    ctx.db.run(sql`DELETE FROM document_versions WHERE document_id IN (${ids})`),
    ctx.db.all(sql`DELETE FROM documents WHERE id IN (${ids}) RETURNING id`),
  ]);
  return erased.length > 0;
}

/** Erases what was in the caller's trash when the request arrived, in bounded steps. */
export async function emptyTrash(ctx: Ctx): Promise<void> {
  const which = sql`owner = ${ctx.owner} AND trashed_at <= ${ctx.now.toISOString()}`;
  while (await eraseTrashed(ctx, which)) await breathe();
}

const TRASH_DAYS = 30;
const PURGE_STEPS = 20;

/** Erases documents of all users that have been in the trash for 30 days, up to a limit per run. */
export async function purgeTrash(ctx: BaseCtx): Promise<void> {
  const cutoff = new Date(ctx.now.getTime() - TRASH_DAYS * 86_400_000).toISOString();
  let step = 0;
  while (step < PURGE_STEPS && (await eraseTrashed(ctx, sql`trashed_at < ${cutoff}`))) {
    step++;
    await breathe();
  }
}

/** The caller's trash, most recently trashed first. */
export async function listTrash(ctx: Ctx, page: { limit: number; offset: number }): Promise<TrashList> {
  const mine = and(eq(documents.owner, ctx.owner), isNotNull(documents.trashed_at));
  const [items, [count]] = await ctx.db.batch([
    ctx.db
      .select({ ...shownInLists, trashed_at: sql<string>`${documents.trashed_at}` })
      .from(documents)
      .where(mine)
      .orderBy(desc(documents.trashed_at), desc(documents.id))
      .limit(page.limit)
      .offset(page.offset),
    ctx.db.select({ total: sql<number>`count(*)` }).from(documents).where(mine),
  ]);
  return { items, total: count?.total ?? 0 };
}
