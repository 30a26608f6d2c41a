import { type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import {
  type DocumentCreateRequest,
  type DocumentRow,
  documentDefaults,
  type SourceType,
} from "../../contract/document.ts";
import { omitUndefined } from "../../contract/omit.ts";
import { type ActivityEntry, lastActivityNumber } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { assertInBatch } from "../../platform/db/call.ts";
import { columnsExcept, insertSelect } from "../../platform/db/columns.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { document_versions, documents } from "../../platform/db/tables.ts";
import type { Idempotency } from "../../platform/idempotency/store.ts";
import { documentExcerpt } from "../../shared/markdown/excerpt.ts";
import { fileReferenceStatements } from "../files/reference-store.ts";
import { derivedColumns, taskCounts, titleKey } from "./derived-columns.ts";
import { changedFields, hasSameText, newDocumentTimes } from "./document-state.ts";
import type { DocumentIndexing } from "./index-store.ts";
import { linkStatements } from "./link-store.ts";
import { INTERNAL_COLUMNS, ownedDocumentOrTrashed } from "./row-store.ts";

export type Statements = readonly BatchItem[];

export type DocumentWriter = {
  source_type: SourceType;
  client_name?: string | undefined;
  ifMatch?: string | undefined;
  once?: Idempotency | undefined;
  undoOf?: number | undefined;
  /** Documents that the same request restores to the states that they had together. */
  restored?: ReadonlySet<string>;
  restoredVersion?: number | undefined;
  editSession?: string | undefined;
};

export const isOwnFolder = (ctx: Ctx, folderId: string) =>
  sql`EXISTS (SELECT 1 FROM folders WHERE id = ${folderId} AND owner = ${ctx.owner})`;

/** Fails the batch unless the folder is the caller's, or null for the top level. */
export const assertOwnFolder = (ctx: Ctx, folderId: string | null | undefined) =>
  folderId ? [assertInBatch(ctx, isOwnFolder(ctx, folderId), "folder-not-found")] : [];

/**
 * The statements for a document's tags, files, links and search entry. A long text is indexed by `indexing.finish()` after the
 * transaction. `before`: the previous state.
 */
export async function documentDetailStatements(
  ctx: Ctx,
  row: DocumentRow,
  indexing: DocumentIndexing,
  before?: DocumentRow,
) {
  const { id, tags } = row;
  const tagList = sqlList(tags);
  return [
    ctx.db.run(sql`DELETE FROM document_tags WHERE document_id = ${id} AND tag NOT IN ${tagList}`),
    ctx.db.run(sql`INSERT INTO document_tags (owner, tag, document_id) SELECT ${ctx.owner}, value, ${id} FROM ${tagList}
      WHERE value NOT IN (SELECT tag FROM document_tags WHERE document_id = ${id})`),
    ...fileReferenceStatements(ctx, id, { before: before?.content, after: row.content }),
    ...linkStatements(ctx, row, before),
    ...(await indexing.statements(row)),
  ] as const;
}

export type VersionChange = { row: DocumentRow; next: DocumentRow };

const isOnlyMove = (row: DocumentRow, { folder_id, version, updated_at, changed_at, ...next }: DocumentRow) =>
  changedFields(row, { ...row, ...next }).length === 0;

export const changedDetailStatements = async (
  ctx: Ctx,
  { row, next }: VersionChange,
  indexing: DocumentIndexing,
) => (isOnlyMove(row, next) ? [] : documentDetailStatements(ctx, next, indexing, row));

export const newDocumentRow = (
  ctx: Ctx,
  input: DocumentCreateRequest,
  source_type: SourceType,
): DocumentRow => ({
  id: uuid(),
  ...documentDefaults,
  ...omitUndefined(input),
  source_type,
  version: 1,
  ...newDocumentTimes(input, ctx.now.toISOString()),
});

const writerColumns = ({ source_type, client_name }: DocumentWriter) => ({
  writer_source_type: source_type,
  writer_client_name: client_name ?? null,
});

export const creationEntry = ({ id, title, version }: DocumentRow): ActivityEntry => ({
  verb: "created",
  kind: "document",
  record: id,
  title,
  version_after: version,
});

export const changeEntry = (row: DocumentRow, next: DocumentRow): ActivityEntry => ({
  ...creationEntry(next),
  verb: isOnlyMove(row, next) ? "moved" : "changed",
  version_before: row.version,
});

export const insertDocumentStatement = (ctx: Ctx, row: DocumentRow, writer: DocumentWriter) =>
  ctx.db.insert(documents).values({
    ...row,
    ...derivedColumns(row),
    owner: ctx.owner,
    ...writerColumns(writer),
    activity: lastActivityNumber(ctx),
  });

/** Writes only the columns that change, because writing a column also writes all of its indexes. */
export function updateDocumentStatement(ctx: Ctx, { row, next }: VersionChange, writer: DocumentWriter) {
  const changed = changedFields(row, next);
  return ctx.db
    .update(documents)
    .set({
      ...Object.fromEntries(changed.map((name) => [name, next[name]])),
      ...(changed.includes("content") && taskCounts(next.content)),
      ...(changed.includes("title") && { title_key: titleKey(next.title) }),
      ...((changed.includes("title") || changed.includes("content")) && { excerpt: documentExcerpt(next) }),
      ...writerColumns(writer),
      activity: lastActivityNumber(ctx),
    })
    .where(ownedDocumentOrTrashed(ctx, next.id));
}

/** Fails the batch as stale unless the document still has the version that the new one is based on. */
export const assertVersion = (ctx: Ctx, id: string, version: number) =>
  assertInBatch(
    ctx,
    sql`EXISTS (SELECT 1 FROM documents
      WHERE id = ${id} AND owner = ${ctx.owner} AND version = ${version} AND trashed_at IS NULL)`,
    "stale",
  );

export const currentVersionColumns = {
  ...columnsExcept(documents, "id", "updated_at", ...INTERNAL_COLUMNS),
  document_id: documents.id,
  source_type: sql<SourceType>`coalesce(${documents.writer_source_type}, ${documents.source_type})`,
  client_name: documents.writer_client_name,
  created_at: documents.updated_at,
};

/**
 * Stores the current states of documents as versions. A trigger (migration 0084) keeps the first version of each of the last 50
 * texts, and the last 50 others. `next_has_same_text`: the change is only one of tags or folder.
 */
export const storeVersionsStatement = (ctx: Ctx, which: SQL, { next_has_same_text = false } = {}) =>
  ctx.db.run(
    insertSelect(
      document_versions,
      { ...currentVersionColumns, next_has_same_text: sql`${Number(next_has_same_text)}` },
      sql`FROM documents WHERE owner = ${ctx.owner} AND ${which}`,
    ),
  );

/** Stores the state of a document before a change as a version. */
export const storeVersionStatement = (ctx: Ctx, { row, next }: VersionChange) =>
  storeVersionsStatement(ctx, sql`documents.id = ${row.id}`, { next_has_same_text: hasSameText(row, next) });
