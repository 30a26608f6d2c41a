import { eq, sql } from "drizzle-orm";
import type { TagItem, TagList } from "../../contract/tags.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { tag_totals } from "../../platform/db/tables.ts";

const columns = { name: tag_totals.tag, document_count: tag_totals.documents };

const ownedBy = (ctx: Ctx) => eq(tag_totals.owner, ctx.owner);

export async function listTags(ctx: Ctx, page: { limit: number; offset: number }): Promise<TagList> {
  const [items, [count]] = await ctx.db.batch([
    ctx.db
      .select(columns)
      .from(tag_totals)
      .where(ownedBy(ctx))
      .orderBy(tag_totals.tag)
      .limit(page.limit)
      .offset(page.offset),
    ctx.db.select({ total: sql<number>`count(*)` }).from(tag_totals).where(ownedBy(ctx)),
  ]);
  return { items, total: count?.total ?? 0 };
}

/** The tag with the number of documents that have it. */
export async function countTag(ctx: Ctx, name: string): Promise<TagItem> {
  const [found] = await ctx.db
    .select(columns)
    .from(tag_totals)
    .where(sql`${ownedBy(ctx)} AND ${tag_totals.tag} = ${name}`);
  return found ?? { name, document_count: 0 };
}
