import { and, desc, eq, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { notFound } from "../core/errors.ts";
import { document_versions, documents } from "../db/tables.ts";
import type { Document, DocumentUpdateRequest, DocumentVersion, DocumentVersionList } from "./schema.ts";
import { changeDocument, living, type Origin } from "./store.ts";

// The previous versions of a document. store.ts writes them, in the transaction of the change that replaces them.

const listed = {
  document_id: document_versions.document_id,
  version: document_versions.version,
  title: document_versions.title,
  tags: document_versions.tags,
  folder_id: document_versions.folder_id,
  source_type: document_versions.source_type,
  client_name: document_versions.client_name,
  created_at: document_versions.created_at,
};

const ofDocument = (ctx: Ctx, id: string) =>
  and(eq(document_versions.document_id, id), eq(document_versions.owner, ctx.owner));

const livingDocument = (ctx: Ctx, id: string) =>
  ctx.db
    .select({
      document_id: documents.id,
      version: documents.version,
      title: documents.title,
      tags: documents.tags,
      folder_id: documents.folder_id,
      source_type: sql<DocumentVersion["source_type"]>`coalesce(writer_source_type, source_type)`,
      client_name: documents.writer_client_name,
      created_at: documents.updated_at,
      content: documents.content,
    })
    .from(documents)
    .where(and(eq(documents.id, id), living(ctx)));

/** The stored previous versions, newest first. Throws 404 for a document that is not the caller's. */
export async function listVersions(
  ctx: Ctx,
  id: string,
  page: { limit: number; offset: number },
): Promise<DocumentVersionList> {
  const [document, items, [count]] = await ctx.db.batch([
    ctx.db
      .select({ id: documents.id })
      .from(documents)
      .where(and(eq(documents.id, id), living(ctx))),
    ctx.db
      .select(listed)
      .from(document_versions)
      .where(ofDocument(ctx, id))
      .orderBy(desc(document_versions.version))
      .limit(page.limit)
      .offset(page.offset),
    ctx.db.select({ total: sql<number>`count(*)` }).from(document_versions).where(ofDocument(ctx, id)),
  ]);
  if (document.length === 0) throw notFound();
  return { items, total: count?.total ?? 0 };
}

/** One version of a document, including the current one. Throws 404 for a version that never existed or was deleted. */
export async function getVersion(ctx: Ctx, id: string, version: number): Promise<DocumentVersion> {
  const [[current], [old]] = await ctx.db.batch([
    livingDocument(ctx, id),
    ctx.db
      .select({ ...listed, content: document_versions.content })
      .from(document_versions)
      .where(and(ofDocument(ctx, id), eq(document_versions.version, version))),
  ]);
  const found = current?.version === version ? current : old;
  if (!current || !found) throw notFound();
  const { content, ...row } = found;
  return content ? { ...row, content } : row;
}

/** The fields of a version, with its folder if that still exists. Throws 404. */
async function stateOf(ctx: Ctx, id: string, version: number): Promise<DocumentUpdateRequest> {
  const { title, tags, folder_id, content } = await getVersion(ctx, id, version);
  const [folder] = await ctx.db.all<{ id: string }>(
    sql`SELECT id FROM folders WHERE id = ${folder_id} AND owner = ${ctx.owner}`,
  );
  return { title, tags, folder_id: folder?.id ?? null, content: content ?? null };
}

/**
 * Restores an earlier version of a document as a new version, so that this can be undone as well. If its folder no longer
 * exists, the document moves to the top level. Throws 404, or 412 when If-Match names another version.
 */
export const restoreVersion = (ctx: Ctx, id: string, version: number, origin: Origin): Promise<Document> =>
  changeDocument(ctx, id, () => stateOf(ctx, id, version), origin);
