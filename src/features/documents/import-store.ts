import { type SQL, sql } from "drizzle-orm";
import { omit } from "../../contract/omit.ts";
import { unindexStatement } from "../../engine/index.ts";
import { type ActivityEntry, lastActivityNumber, recordActivity } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { columnValues, insertSelect } from "../../platform/db/columns.ts";
import { document_versions, documents } from "../../platform/db/tables.ts";
import { detachRemovedReferences } from "../files/reference-store.ts";
import { aliasRows } from "./aliases.ts";
import { derivedColumns } from "./derived-columns.ts";
import type { DocumentIndexing } from "./index-store.ts";
import { aliasStatements, removeLinksStatement } from "./link-store.ts";
import { creationEntry, documentDetailStatements, storeVersionsStatement } from "./statement-store.ts";

export type ImportedDocument = Omit<
  typeof documents.$inferSelect,
  "owner" | "activity" | "open_tasks" | "done_tasks" | "excerpt" | "title_key"
>;

export type ImportedVersion = Omit<typeof document_versions.$inferSelect, "owner">;

const detailsIfNotTrashed = async (ctx: Ctx, document: ImportedDocument, indexing: DocumentIndexing) =>
  document.trashed_at === null ? await documentDetailStatements(ctx, document, indexing) : [];

export type ImportContext = { folder: SQL; indexing: DocumentIndexing };

const IMPORT = { source_type: "import" } as const;

function replacementEntry(ctx: Ctx, { id, title, trashed_at }: ImportedDocument): ActivityEntry {
  const verb =
    trashed_at === null
      ? sql`iif(trashed_at IS NULL, 'changed', 'restored')`
      : sql`iif(trashed_at IS NULL, 'deleted', 'changed')`;
  return {
    verb,
    kind: "document",
    record: id,
    title,
    version_before: sql`version`,
    version_after: sql`version + 1`,
    from: sql`FROM documents WHERE id = ${id} AND owner = ${ctx.owner}`,
  };
}

export async function importDocumentStatements(
  ctx: Ctx,
  document: ImportedDocument,
  { folder, indexing }: ImportContext,
) {
  const insert = ctx.db.insert(documents).values({
    ...document,
    ...derivedColumns(document),
    owner: ctx.owner,
    folder_id: folder,
    activity: lastActivityNumber(ctx),
  });
  return [
    ...recordActivity(ctx, creationEntry(document), IMPORT),
    insert,
    ...(await detailsIfNotTrashed(ctx, document, indexing)),
  ];
}

/** Replaces one of the caller's documents, including its trashed state. Its previous state becomes a version. */
export async function overwriteDocumentStatements(
  ctx: Ctx,
  document: ImportedDocument,
  { folder, indexing }: ImportContext,
) {
  const { id, ...fields } = omit(document, "source_type", "created_at");
  const which = sql`documents.id = ${id}`;
  const update = ctx.db
    .update(documents)
    .set({
      ...fields,
      ...derivedColumns(document),
      folder_id: folder,
      version: sql`version + 1`,
      writer_source_type: "import",
      writer_client_name: null,
      activity: lastActivityNumber(ctx),
    })
    .where(sql`owner = ${ctx.owner} AND ${which}`);
  return [
    ...recordActivity(ctx, replacementEntry(ctx, document), IMPORT),
    storeVersionsStatement(ctx, which),
    ctx.db.run(sql`DELETE FROM document_tags WHERE document_id = ${id}`),
    unindexStatement(ctx, { kind: "document", record: id }),
    detachRemovedReferences(ctx, id, document.content),
    removeLinksStatement(ctx, id, document.content),
    update,
    ...aliasStatements(ctx, id, aliasRows(document)),
    ...(await detailsIfNotTrashed(ctx, document, indexing)),
  ];
}

/** Writes nothing unless the document is newer than the version. */
export const importVersionStatement = (ctx: Ctx, version: ImportedVersion, folder: SQL) => {
  const fields = { ...columnValues(document_versions, version), owner: documents.owner, folder_id: folder };
  const which = sql`id = ${version.document_id} AND owner = ${ctx.owner} AND version > ${version.version}`;
  const insert = insertSelect(document_versions, fields, sql`FROM documents WHERE ${which}`);
  return ctx.db.run(sql`${insert} ON CONFLICT DO NOTHING`);
};
