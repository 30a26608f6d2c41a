import { type SQL, sql } from "drizzle-orm";
import { excerptOf } from "../../contract/markdown/excerpt.ts";
import { unindexStatement } from "../../engine/index.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { insertSelect, valuesOf } from "../../platform/db/columns.ts";
import { document_versions, documents } from "../../platform/db/tables.ts";
import { type Entry, lastNumber, recorded } from "../../platform/ledger/store.ts";
import { unnamingStatement } from "../files/named-store.ts";
import type { Indexing } from "./index-store.ts";
import { creationOf, detailStatements, keepStatement } from "./statement-store.ts";
import { taskCounts } from "./task-counts.ts";
import { titleKey } from "./title-key.ts";

export type ImportedDocument = Omit<
  typeof documents.$inferSelect,
  "owner" | "activity" | "open_tasks" | "done_tasks" | "excerpt" | "title_key"
>;

export type ImportedVersion = Omit<typeof document_versions.$inferSelect, "owner">;

const detailsIfNotTrashed = async (ctx: Ctx, document: ImportedDocument, indexing: Indexing) =>
  document.trashed_at === null ? await detailStatements(ctx, document, indexing) : [];

export type Surroundings = { folder: SQL; indexing: Indexing };

const IMPORT = { source_type: "import" } as const;

function replacementEntry(ctx: Ctx, { id, title, trashed_at }: ImportedDocument): Entry {
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

export async function importStatements(
  ctx: Ctx,
  document: ImportedDocument,
  { folder, indexing }: Surroundings,
) {
  const insert = ctx.db.insert(documents).values({
    ...document,
    ...taskCounts(document.content),
    owner: ctx.owner,
    folder_id: folder,
    activity: lastNumber(ctx),
    excerpt: excerptOf(document),
    title_key: titleKey(document.title),
  });
  return [
    ...recorded(ctx, creationOf(document), IMPORT),
    insert,
    ...(await detailsIfNotTrashed(ctx, document, indexing)),
  ];
}

/** Replaces one of the caller's documents, including its trashed state. Its previous state becomes a version. */
export async function overwriteStatements(
  ctx: Ctx,
  document: ImportedDocument,
  { folder, indexing }: Surroundings,
) {
  const { id, source_type: _, created_at: __, ...fields } = document;
  const which = sql`documents.id = ${id}`;
  const update = ctx.db
    .update(documents)
    .set({
      ...fields,
      ...taskCounts(fields.content),
      folder_id: folder,
      version: sql`version + 1`,
      writer_source_type: "import",
      writer_client_name: null,
      activity: lastNumber(ctx),
      excerpt: excerptOf(document),
      title_key: titleKey(document.title),
    })
    .where(sql`owner = ${ctx.owner} AND ${which}`);
  return [
    ...recorded(ctx, replacementEntry(ctx, document), IMPORT),
    keepStatement(ctx, which),
    ctx.db.run(sql`DELETE FROM document_tags WHERE document_id = ${id}`),
    unindexStatement(ctx, { kind: "document", record: id }),
    unnamingStatement(ctx, id, document.content),
    update,
    ...(await detailsIfNotTrashed(ctx, document, indexing)),
  ];
}

export const versionStatement = (ctx: Ctx, version: ImportedVersion, folder: SQL) => {
  const fields = { ...valuesOf(document_versions, version), owner: documents.owner, folder_id: folder };
  const which = sql`id = ${version.document_id} AND owner = ${ctx.owner} AND version > ${version.version}`;
  const insert = insertSelect(document_versions, fields, sql`FROM documents WHERE ${which}`);
  return ctx.db.run(sql`${insert} ON CONFLICT DO NOTHING`);
};
