import { and, eq, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { notFound } from "../core/errors.ts";
import { document_tags } from "../db/tables.ts";
import { retagDocuments } from "../documents/tag-store.ts";
import type { TagItem, TagList } from "./schema.ts";

const mine = (ctx: Ctx) => eq(document_tags.owner, ctx.owner);
const named = (ctx: Ctx, name: string) => and(mine(ctx), eq(document_tags.tag, name));

/** The caller's tags, sorted by name. */
export async function listTags(ctx: Ctx, page: { limit: number; offset: number }): Promise<TagList> {
  const [items, [count]] = await ctx.db.batch([
    ctx.db
      .select({ name: document_tags.tag, document_count: sql<number>`count(*)` })
      .from(document_tags)
      .where(mine(ctx))
      .groupBy(document_tags.tag)
      .orderBy(document_tags.tag)
      .limit(page.limit)
      .offset(page.offset),
    ctx.db.select({ total: sql<number>`count(DISTINCT tag)` }).from(document_tags).where(mine(ctx)),
  ]);
  return { items, total: count?.total ?? 0 };
}

/** Replaces the tag `name` with `next` on every document. Throws 404 when no document has it. */
export async function renameTag(ctx: Ctx, name: string, next: string): Promise<TagItem> {
  await replaceTag(ctx, name, next);
  const [count] = await ctx.db
    .select({ document_count: sql<number>`count(*)` })
    .from(document_tags)
    .where(named(ctx, next));
  return { name: next, document_count: count?.document_count ?? 0 };
}

/** Removes a tag from every document. Throws 404 when no document has it. */
export async function deleteTag(ctx: Ctx, name: string): Promise<void> {
  await replaceTag(ctx, name, null);
}

async function replaceTag(ctx: Ctx, name: string, next: string | null): Promise<void> {
  const [any] = await ctx.db
    .select({ tag: document_tags.tag })
    .from(document_tags)
    .where(named(ctx, name))
    .limit(1);
  if (!any) throw notFound();
  if (name !== next) await retagDocuments(ctx, name, next);
}
