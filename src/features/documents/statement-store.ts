import { and, eq, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { v7 as uuid } from "uuid";
import {
  type DocumentCreateRequest,
  type DocumentRow,
  defaults,
  type SourceType,
} from "../../contract/document.ts";
import { given } from "../../contract/given.ts";
import { excerptOf } from "../../contract/markdown/excerpt.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { assertInBatch } from "../../platform/db/call.ts";
import { columnsBut, insertSelect } from "../../platform/db/columns.ts";
import { listOf } from "../../platform/db/list.ts";
import { document_versions, documents } from "../../platform/db/tables.ts";
import type { Idempotency } from "../../platform/idempotency/store.ts";
import { type Entry, lastNumber } from "../../platform/ledger/store.ts";
import { namingStatements } from "../files/named-store.ts";
import { changedFields, isUnchanged } from "./changed-fields.ts";
import type { Indexing } from "./index-store.ts";
import { taskCounts } from "./task-counts.ts";
import { timesOfNew } from "./times.ts";
import { titleKey } from "./title-key.ts";

export type Statements = readonly BatchItem<"sqlite">[];

export type Writer = {
  source_type: SourceType;
  client_name?: string | undefined;
  ifMatch?: string | undefined;
  once?: Idempotency | undefined;
  undoing?: number | undefined;
  restoring?: number | undefined;
  sitting?: string | undefined;
};

export const folderIsOwned = (ctx: Ctx, folderId: string) =>
  sql`EXISTS (SELECT 1 FROM folders WHERE id = ${folderId} AND owner = ${ctx.owner})`;

/** Fails the batch unless the folder is the caller's, or null for the top level. */
export const mustOwnFolder = (ctx: Ctx, folderId: string | null | undefined) =>
  folderId ? [assertInBatch(ctx, folderIsOwned(ctx, folderId), "folder-not-found")] : [];

/**
 * The statements for a document's tags, files and search entry. A long text is indexed by `indexing.finish()` after the
 * transaction. `before`: the previous state.
 */
export async function detailStatements(ctx: Ctx, row: DocumentRow, indexing: Indexing, before?: DocumentRow) {
  const { id, tags } = row;
  const tagList = listOf(tags);
  return [
    ctx.db.run(sql`DELETE FROM document_tags WHERE document_id = ${id} AND tag NOT IN ${tagList}`),
    ctx.db.run(sql`INSERT INTO document_tags (owner, tag, document_id) SELECT ${ctx.owner}, value, ${id} FROM ${tagList}
      WHERE value NOT IN (SELECT tag FROM document_tags WHERE document_id = ${id})`),
    ...namingStatements(ctx, id, { before: before?.content, after: row.content }),
    ...(await indexing.statements(row)),
  ] as const;
}

const isOnlyMove = (row: DocumentRow, { folder_id, version, updated_at, changed_at, ...next }: DocumentRow) =>
  isUnchanged(row, { ...row, ...next });

export const changedDetails = async (
  ctx: Ctx,
  { row, next }: { row: DocumentRow; next: DocumentRow },
  indexing: Indexing,
) => (isOnlyMove(row, next) ? [] : detailStatements(ctx, next, indexing, row));

export const newRow = (ctx: Ctx, input: DocumentCreateRequest, source_type: SourceType): DocumentRow => ({
  id: uuid(),
  ...defaults,
  ...given(input),
  source_type,
  version: 1,
  ...timesOfNew(input, ctx.now.toISOString()),
});

const writerColumns = ({ source_type, client_name }: Writer) => ({
  writer_source_type: source_type,
  writer_client_name: client_name ?? null,
});

export const creationOf = ({ id, title, version }: DocumentRow): Entry => ({
  verb: "created",
  kind: "document",
  record: id,
  title,
  version_after: version,
});

export function changeOf(row: DocumentRow, next: DocumentRow): Entry {
  return {
    verb: isOnlyMove(row, next) ? "moved" : "changed",
    kind: "document",
    record: row.id,
    title: next.title,
    version_before: row.version,
    version_after: next.version,
  };
}

export const insertStatement = (ctx: Ctx, row: DocumentRow, writer: Writer) =>
  ctx.db.insert(documents).values({
    ...row,
    ...taskCounts(row.content),
    owner: ctx.owner,
    ...writerColumns(writer),
    activity: lastNumber(ctx),
    excerpt: excerptOf(row),
    title_key: titleKey(row.title),
  });

/** Writes only the columns that change, because writing a column also writes all of its indexes. */
export function rowStatement(
  ctx: Ctx,
  { row, next }: { row: DocumentRow; next: DocumentRow },
  writer: Writer,
) {
  const changed = changedFields(row, next);
  return ctx.db
    .update(documents)
    .set({
      ...Object.fromEntries(changed.map((name) => [name, next[name]])),
      ...(changed.includes("content") && taskCounts(next.content)),
      ...(changed.includes("title") && { title_key: titleKey(next.title) }),
      ...((changed.includes("title") || changed.includes("content")) && { excerpt: excerptOf(next) }),
      ...writerColumns(writer),
      activity: lastNumber(ctx),
    })
    .where(and(eq(documents.id, next.id), eq(documents.owner, ctx.owner)));
}

/** Fails the batch as stale unless the document still has the version that the new one is based on. */
export const mustBeAtVersion = (ctx: Ctx, id: string, version: number) =>
  assertInBatch(
    ctx,
    sql`EXISTS (SELECT 1 FROM documents
      WHERE id = ${id} AND owner = ${ctx.owner} AND version = ${version} AND trashed_at IS NULL)`,
    "stale",
  );

export const currentVersion = {
  ...columnsBut(
    documents,
    "id",
    "updated_at",
    "writer_source_type",
    "writer_client_name",
    "trashed_at",
    "activity",
    "open_tasks",
    "done_tasks",
    "excerpt",
    "title_key",
  ),
  document_id: documents.id,
  source_type: sql<SourceType>`coalesce(${documents.writer_source_type}, ${documents.source_type})`,
  client_name: documents.writer_client_name,
  created_at: documents.updated_at,
};

/** Stores the current states of documents as versions. Triggers (migration 0027) keep the last 50. */
export const keepStatement = (ctx: Ctx, which: SQL) =>
  ctx.db.run(
    insertSelect(
      document_versions,
      currentVersion,
      sql`FROM documents WHERE owner = ${ctx.owner} AND ${which}`,
    ),
  );
