import { eq, sql } from "drizzle-orm";
import type { Ctx } from "../../platform/core/ctx.ts";
import { must, send } from "../../platform/db/call.ts";
import { tag_totals } from "../../db/tables.ts";
import { retagDocuments } from "../../documents/tag-store.ts";
import type { TagItem, TagList } from "../../contract/tags.ts";

const shown = { name: tag_totals.tag, document_count: tag_totals.documents };

const mine = (ctx: Ctx) => eq(tag_totals.owner, ctx.owner);

/** The caller's tags, sorted by name. */
export async function listTags(ctx: Ctx, page: { limit: number; offset: number }): Promise<TagList> {
  const [items, [count]] = await ctx.db.batch([
    ctx.db
      .select(shown)
      .from(tag_totals)
      .where(mine(ctx))
      .orderBy(tag_totals.tag)
      .limit(page.limit)
      .offset(page.offset),
    ctx.db.select({ total: sql<number>`count(*)` }).from(tag_totals).where(mine(ctx)),
  ]);
  return { items, total: count?.total ?? 0 };
}

/** Replaces the tag `name` with `next` on every document. Throws 404 when no document has it. */
export async function renameTag(ctx: Ctx, name: string, next: string): Promise<TagItem> {
  await replaceTag(ctx, name, next);
  const [found] = await ctx.db
    .select(shown)
    .from(tag_totals)
    .where(sql`${mine(ctx)} AND ${tag_totals.tag} = ${next}`);
  return found ?? { name: next, document_count: 0 };
}

/** Removes a tag from every document. Throws 404 when no document has it. */
export async function deleteTag(ctx: Ctx, name: string): Promise<void> {
  await replaceTag(ctx, name, null);
}

async function replaceTag(ctx: Ctx, name: string, next: string | null): Promise<void> {
  const isMine = sql`EXISTS (SELECT 1 FROM tag_totals WHERE ${mine(ctx)} AND ${tag_totals.tag} = ${name})`;
  await send(ctx, [must(ctx, isMine, "not-found")]);
  if (name !== next) await retagDocuments(ctx, name, next);
}
