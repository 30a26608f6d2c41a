import { and, desc, eq, sql } from "drizzle-orm";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { must } from "../../platform/db/call.ts";
import { columnsBut } from "../../platform/db/columns.ts";
import { document_versions, documents } from "../../db/tables.ts";
import type { Document, DocumentUpdateRequest, DocumentVersion, DocumentVersionList } from "../../contract/document.ts";
import { changeDocument, currentVersion, own, type Writer } from "../../documents/store.ts";

// The previous versions of a document. store.ts writes them, in the transaction of the change that replaces them.

const shown = columnsBut(document_versions, "owner");
const shownInLists = columnsBut(document_versions, "owner", "content");

const ofDocument = (ctx: Ctx, id: string) =>
  and(eq(document_versions.document_id, id), eq(document_versions.owner, ctx.owner));

const isVersion = (ctx: Ctx, id: string, version: number) =>
  and(ofDocument(ctx, id), eq(document_versions.version, version));

/** The stored previous versions, newest first. Throws 404 for a document that is not the caller's. */
export async function listVersions(
  ctx: Ctx,
  id: string,
  page: { limit: number; offset: number },
): Promise<DocumentVersionList> {
  const [items, [count]] = await ctx.db.batch([
    ctx.db
      .select(shownInLists)
      .from(document_versions)
      .where(ofDocument(ctx, id))
      .orderBy(desc(document_versions.version))
      .limit(page.limit)
      .offset(page.offset),
    ctx.db.select({ total: sql<number>`count(*)` }).from(document_versions).where(ofDocument(ctx, id)),
    must(ctx, sql`EXISTS (SELECT 1 FROM documents WHERE ${own(ctx, id)})`, "not-found"),
  ]);
  return { items, total: count?.total ?? 0 };
}

/** One version of a document, including the current one. Throws 404 for a version that never existed or was deleted. */
export async function getVersion(ctx: Ctx, id: string, version: number): Promise<DocumentVersion> {
  const { owner: _, ...state } = currentVersion;
  const [[current], [old]] = await ctx.db.batch([
    ctx.db.select(state).from(documents).where(own(ctx, id)),
    ctx.db
      .select(shown)
      .from(document_versions)
      .where(isVersion(ctx, id, version)),
  ]);
  const found = current?.version === version ? current : old;
  if (!current || !found) throw notFound();
  const { content, ...row } = found;
  return content ? { ...row, content } : row;
}

/** The fields of a version, with its folder if that still exists. */
export const stateStatement = (ctx: Ctx, id: string, version: number) =>
  ctx.db
    .select({
      ...columnsBut(
        document_versions,
        "owner",
        "document_id",
        "version",
        "source_type",
        "client_name",
        "created_at",
      ),
      folder_id: sql<string | null>`(SELECT f.id FROM folders AS f
        WHERE f.id = document_versions.folder_id AND f.owner = ${ctx.owner})`,
    })
    .from(document_versions)
    .where(isVersion(ctx, id, version));

/**
 * Restores an earlier version of a document as a new version, so that this can be undone as well. If its folder no longer
 * exists, the document moves to the top level. Throws 404, or 412 when If-Match names another version.
 */
export const restoreVersion = (ctx: Ctx, id: string, version: number, writer: Writer): Promise<Document> =>
  changeDocument<DocumentUpdateRequest>(
    ctx,
    id,
    {
      read: stateStatement(ctx, id, version),
      make: (row, [state]) => {
        if (row.version === version) return {};
        if (!state) throw notFound();
        return state;
      },
    },
    { ...writer, restoring: version },
  );
