import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { unindexStatement } from "../text-index/store.ts";
import type { SourceType } from "./schema.ts";
import { detailStatements, keepStatements, type Row } from "./store.ts";

// Imports exported documents, including their times, authors and trash state.

/** A document in an export. */
export type ImportedDocument = Row & {
  writer_source_type: SourceType | null;
  writer_client_name: string | null;
  trashed_at: string | null;
};

/** A version in an export, with the id that its document has here. */
export type ImportedVersion = Omit<Row, "id" | "updated_at"> & {
  document_id: string;
  client_name: string | null;
};

const jsonOrNull = (value: unknown) => (value ? JSON.stringify(value) : null);

/** Trashed documents have no rows in the tag table or the search index. */
const livingDetails = async (ctx: Ctx, document: ImportedDocument) =>
  document.trashed_at === null ? await detailStatements(ctx, document) : [];

/** The statements that create an exported document. */
export async function importStatements(ctx: Ctx, document: ImportedDocument, folder: SQL) {
  const { id, title, source_type, version, created_at, updated_at, trashed_at } = document;
  const insert = ctx.db.run(sql`
    INSERT INTO documents (id, owner, title, content, tags, folder_id, source_type, version, created_at, updated_at,
      writer_source_type, writer_client_name, trashed_at)
    SELECT ${id}, ${ctx.owner}, ${title}, ${jsonOrNull(document.content)}, ${JSON.stringify(document.tags)},
      ${folder}, ${source_type}, ${version}, ${created_at}, ${updated_at}, ${document.writer_source_type},
      ${document.writer_client_name}, ${trashed_at}`);
  return [insert, ...(await livingDetails(ctx, document))];
}

/**
 * The statements that replace one of the caller's documents with an exported one. Its previous state becomes a version,
 * and its trash state is that of the export.
 */
export async function overwriteStatements(ctx: Ctx, document: ImportedDocument, folder: SQL) {
  const { id, title, updated_at, trashed_at } = document;
  const which = sql`documents.id = ${id}`;
  const update = ctx.db.run(sql`
    UPDATE documents SET title = ${title}, content = ${jsonOrNull(document.content)},
      tags = ${JSON.stringify(document.tags)}, folder_id = ${folder}, version = version + 1,
      updated_at = ${updated_at}, writer_source_type = 'import', writer_client_name = NULL, trashed_at = ${trashed_at}
    WHERE owner = ${ctx.owner} AND ${which}`);
  return [
    ...keepStatements(ctx, which),
    ctx.db.run(sql`DELETE FROM document_tags WHERE document_id = ${id}`),
    unindexStatement(ctx, { kind: "document", record: id }),
    update,
    ...(await livingDetails(ctx, document)),
  ];
}

/** The statement that adds a version to a document created by the same import. */
export const versionStatement = (ctx: Ctx, version: ImportedVersion, folder: SQL) =>
  ctx.db.run(sql`
    INSERT INTO document_versions (document_id, version, owner, title, content, tags, folder_id, source_type,
      client_name, created_at)
    SELECT id, ${version.version}, owner, ${version.title}, ${jsonOrNull(version.content)},
      ${JSON.stringify(version.tags)}, ${folder}, ${version.source_type}, ${version.client_name},
      ${version.created_at}
    FROM documents WHERE id = ${version.document_id} AND owner = ${ctx.owner} AND version > ${version.version}
    ON CONFLICT DO NOTHING`);
