import { and, eq, isNull, sql } from "drizzle-orm";
import { Document, type DocumentRow } from "../../contract/document.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { columnsExcept } from "../../platform/db/columns.ts";
import { document_versions, documents } from "../../platform/db/tables.ts";
import { erasedSinceError, type RepeatableAnswer } from "../../platform/idempotency/store.ts";

/** Columns that the API does not show, besides the owner. */
export const INTERNAL_COLUMNS = [
  "writer_source_type",
  "writer_client_name",
  "trashed_at",
  "activity",
  "open_tasks",
  "done_tasks",
  "excerpt",
  "title_key",
] as const;

export const documentColumns = columnsExcept(documents, "owner", ...INTERNAL_COLUMNS);
export const documentListColumns = columnsExcept(documents, "owner", "content", ...INTERNAL_COLUMNS);

const { content: _, ...summary } = Document.shape;
const SUMMARY_FIELDS = Object.keys(summary) as (keyof typeof summary)[];

/** The document as the API returns it, with its fields in a fixed order. */
export const presentDocument = ({ content, ...row }: DocumentRow): Document => {
  const summary = Object.fromEntries(SUMMARY_FIELDS.map((name) => [name, row[name]])) as typeof row;
  return content ? { ...summary, content } : summary;
};

export const notTrashed = (ctx: Ctx) => and(eq(documents.owner, ctx.owner), isNull(documents.trashed_at));

export const ownedDocument = (ctx: Ctx, id: string) => and(eq(documents.id, id), notTrashed(ctx));

export const ownedDocumentOrTrashed = (ctx: Ctx, id: string) =>
  and(eq(documents.id, id), eq(documents.owner, ctx.owner));

const ORIGIN = ["source_type", "client_name", "created_at"] as const;

/** The content columns of a version and the age of its text, without owner, writer and time of writing. */
export const versionColumns = {
  ...columnsExcept(document_versions, "owner", "document_id", "version", "next_has_same_text", ...ORIGIN),
  changed_at: sql<string>`coalesce(${document_versions.changed_at}, ${document_versions.created_at})`,
};

export type StoredDocumentVersion = Pick<Document, "id" | "version">;

/** A document at the version that a request left it in, or its current state if that version is gone. Throws 410 if erased. */
export async function readDocumentAgain(
  ctx: Ctx,
  { id, version }: StoredDocumentVersion,
  known?: DocumentRow,
): Promise<Document> {
  if (known?.id === id && known.version === version) return presentDocument(known);
  const [[row], [old]] = await ctx.db.batch([
    ctx.db.select(documentColumns).from(documents).where(ownedDocumentOrTrashed(ctx, id)),
    ctx.db
      .select({
        ...versionColumns,
        updated_at: document_versions.created_at,
        version: document_versions.version,
      })
      .from(document_versions)
      .where(isVersion(ctx, id, version)),
  ]);
  if (!row) throw erasedSinceError();
  return presentDocument({ ...row, ...old });
}

export const repeatableDocument = (row: DocumentRow): RepeatableAnswer<Document, StoredDocumentVersion> => ({
  answer: () => presentDocument(row),
  stored: { id: row.id, version: row.version },
  again: readDocumentAgain,
});

export const isVersionOf = (ctx: Ctx, id: string) =>
  and(eq(document_versions.document_id, id), eq(document_versions.owner, ctx.owner));

export const isVersion = (ctx: Ctx, id: string, version: number) =>
  and(isVersionOf(ctx, id), eq(document_versions.version, version));

/** Reads the state of a version; its folder only if that still exists. */
export const versionStateStatement = (ctx: Ctx, id: string, version: number) =>
  ctx.db
    .select({
      ...versionColumns,
      folder_id: sql<string | null>`(SELECT f.id FROM folders AS f
        WHERE f.id = document_versions.folder_id AND f.owner = ${ctx.owner})`,
    })
    .from(document_versions)
    .where(isVersion(ctx, id, version));
