import { eq, sql } from "drizzle-orm";
import type { TagItem, TagList } from "../../contract/tags.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { tag_totals } from "../../platform/db/tables.ts";
import { retagDocuments, tagsMeant } from "../documents/tag-store.ts";

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

/** Replaces the tag `name` with `next` on every document. Throws 404 when no document has it in any spelling. */
export async function renameTag(ctx: Ctx, name: string, next: string): Promise<TagItem> {
  await replaceTag(ctx, name, next);
  const [found] = await ctx.db
    .select(columns)
    .from(tag_totals)
    .where(sql`${ownedBy(ctx)} AND ${tag_totals.tag} = ${next}`);
  return found ?? { name: next, document_count: 0 };
}

/** Removes a tag from every document. Throws 404 when no document has it in any spelling. */
export async function deleteTag(ctx: Ctx, name: string): Promise<void> {
  await replaceTag(ctx, name, null);
}

async function replaceTag(ctx: Ctx, name: string, next: string | null): Promise<void> {
  const tags = await tagsMeant(ctx, name);
  if (tags.length === 0) throw notFound();
  for (const tag of tags) if (tag !== next) await retagDocuments(ctx, tag, next);
}
