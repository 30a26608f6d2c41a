import { and, asc, desc, eq, gte, lt, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { notFound } from "../core/errors.ts";
import { documents } from "../db/tables.ts";
import { countEntries } from "../text-index/store.ts";
import type { DocumentList, DocumentListQuery } from "./schema.ts";
import { folderIsMine, listed, living } from "./store.ts";
import { hasTag } from "./tag-store.ts";

const filtersOf = (ctx: Ctx, query: DocumentListQuery) =>
  [
    query.folder_id && eq(documents.folder_id, query.folder_id),
    query.source_type && eq(documents.source_type, query.source_type),
    query.updated_after && gte(documents.updated_at, query.updated_after),
    query.updated_before && lt(documents.updated_at, query.updated_before),
    ...(query.tag ?? []).map((tag) => hasTag(ctx, tag)),
  ].filter((filter) => filter !== undefined && filter !== "");

function orderOf({ sort, order }: DocumentListQuery) {
  const direction = (order ?? (sort === "title" ? "asc" : "desc")) === "asc" ? asc : desc;
  const key = sort === "title" ? sql`${documents.title} COLLATE NOCASE` : documents[sort];
  return [direction(key), direction(documents.id)];
}

/** The caller's documents without their content. Throws 404 for a folder that is not the caller's. */
export async function listDocuments(ctx: Ctx, query: DocumentListQuery): Promise<DocumentList> {
  const filters = filtersOf(ctx, query);
  const where = and(living(ctx), ...filters);
  const [items, [count], [folder]] = await ctx.db.batch([
    ctx.db
      .select(listed)
      .from(documents)
      .where(where)
      .orderBy(...orderOf(query))
      .limit(query.limit)
      .offset(query.offset),
    filters.length === 0
      ? countEntries(ctx, "document")
      : ctx.db.all<{ total: number }>(sql`SELECT count(*) AS total FROM documents WHERE ${where}`),
    ctx.db.all<{ mine: number }>(sql`SELECT ${folderIsMine(ctx, query.folder_id)} AS mine`),
  ]);
  if (!folder?.mine) throw notFound();
  return { items, total: count?.total ?? 0 };
}

/** How many documents the caller has, at the cost of one row. */
export async function countDocuments(ctx: Ctx): Promise<number> {
  const [count] = await countEntries(ctx, "document");
  return count?.total ?? 0;
}
