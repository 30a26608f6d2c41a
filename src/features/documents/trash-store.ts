import { and, type SQL, sql } from "drizzle-orm";
import type { Document, DocumentRow } from "../../contract/document.ts";
import { unindexStatement } from "../../engine/index.ts";
import {
  type ActivityEntry,
  forgetEntriesStatement,
  lastActivityNumber,
  recordActivity,
  rejectEmptyUndo,
  type WriteContext,
} from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound, preconditionFailed } from "../../platform/core/errors.ts";
import { retryUntilWritten } from "../../platform/core/retry.ts";
import { assertInBatch, catchRefusal, sendRecoverable } from "../../platform/db/call.ts";
import { firstIdsWithin } from "../../platform/db/delete-in-steps.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { documents } from "../../platform/db/tables.ts";
import { allowsChange, versionsAllowedBy } from "../../platform/http/etag.ts";
import { readWithKey, writeOnce } from "../../platform/idempotency/store.ts";
import { assertQuotaLeft } from "../billing/quota-store.ts";
import { documentChangeBytes } from "./document-size.ts";
import { type FieldsToWrite, nextDocumentState } from "./document-state.ts";
import { type DocumentIndexing, newDocumentIndexing } from "./index-store.ts";
import { linkBytes, storedLinkBytes } from "./link-bytes.ts";
import { allLinkStatements } from "./link-store.ts";
import {
  documentColumns,
  ownedDocument,
  ownedDocumentOrTrashed,
  presentDocument,
  readDocumentAgain,
  repeatableDocument,
  type StoredDocumentVersion,
  versionStateStatement,
} from "./row-store.ts";
import {
  changeEntry,
  type DocumentWriter,
  documentDetailStatements,
  storeVersionStatement,
  updateDocumentStatement,
  type VersionChange,
} from "./statement-store.ts";

export const unlistStatements = (ctx: Ctx, id: string) =>
  [
    unindexStatement(ctx, { kind: "document", record: id }),
    ctx.db.run(sql`DELETE FROM document_tags WHERE document_id = ${id}`),
  ] as const;

/** Moves a document to the trash, after its activity entry. Its content stays. */
export const trashDocumentStatements = (ctx: Ctx, id: string) =>
  [
    ...unlistStatements(ctx, id),
    ctx.db.run(sql`UPDATE documents SET trashed_at = ${ctx.now.toISOString()}, activity = ${lastActivityNumber(ctx)}
      WHERE id = ${id} AND owner = ${ctx.owner}`),
  ] as const;

const eraseStatements = (ctx: Ctx, id: string) =>
  [
    ...unlistStatements(ctx, id),
    ctx.db.run(sql`DELETE FROM documents WHERE id = ${id} AND owner = ${ctx.owner}`),
  ] as const;

/** Documents that one step erases, and their bytes including versions: SQLite frees page by page. */
const ERASED_PER_STEP = 50;
const ERASED_BYTES_PER_STEP = 8 * 1024 * 1024;

/** SQL: the ids that one step erases. `some`: condition and order on `documents`. */
export const nextIdsToErase = (some: SQL): SQL =>
  firstIdsWithin(
    sql`SELECT id, coalesce(octet_length(content), 0) + (
        SELECT total(octet_length(content)) FROM document_versions WHERE document_id = documents.id) AS bytes
      FROM documents WHERE ${some} LIMIT ${ERASED_PER_STEP}`,
    ERASED_BYTES_PER_STEP,
  );

/** Erases some of the caller's documents, trashed or not. Returns whether there were any. */
export async function eraseSomeDocuments(ctx: Ctx): Promise<boolean> {
  const rows = await ctx.db.all<{ id: string }>(nextIdsToErase(sql`owner = ${ctx.owner} ORDER BY id`));
  if (rows.length > 0) await ctx.db.batch(rows.flatMap(({ id }) => eraseStatements(ctx, id)));
  return rows.length > 0;
}

/** Fails the batch unless the document is the caller's, in the expected trash state and at an allowed version. */
function assertDeletable(ctx: Ctx, id: string, permanent: boolean, ifMatch: string | undefined) {
  const owned = permanent ? ownedDocumentOrTrashed(ctx, id) : ownedDocument(ctx, id);
  const exists = (condition: SQL | undefined) => sql`EXISTS (SELECT 1 FROM documents WHERE ${condition})`;
  const versions = versionsAllowedBy(ifMatch);
  const allowed = versions && sql`version IN ${sqlList(versions)}`;
  return [
    assertInBatch(ctx, exists(owned), "not-found"),
    ...(allowed ? [assertInBatch(ctx, exists(and(owned, allowed)), "stale")] : []),
  ];
}

function deletionEntryStatements(ctx: Ctx, id: string, permanent: boolean, writeContext: WriteContext) {
  const from = sql`FROM documents WHERE id = ${id} AND owner = ${ctx.owner}`;
  const entry: ActivityEntry = {
    verb: "deleted",
    kind: "document",
    record: id,
    title: sql`title`,
    version_before: sql`version`,
    version_after: sql`version`,
    from,
  };
  if (!permanent) return recordActivity(ctx, entry, writeContext);
  const erased = { verb: "erased", title: sql`NULL`, from: sql`${from} AND trashed_at IS NULL` } as const;
  return [
    ...recordActivity(ctx, { ...entry, ...erased }, writeContext),
    forgetEntriesStatement(ctx, "document", sql`SELECT owner, id ${from}`),
  ];
}

type Deletion = { permanent?: boolean; ifMatch?: string | undefined } & WriteContext;

/** Moves a document to the trash, or erases it with `permanent`. Returns the title. Throws 404, or 412 for `ifMatch`. */
export async function deleteDocument(
  ctx: Ctx,
  id: string,
  { permanent = false, ifMatch, ...writeContext }: Deletion = {},
): Promise<string> {
  const { results, entries } = await sendRecoverable(ctx, [
    ctx.db.select({ title: documents.title }).from(documents).where(ownedDocumentOrTrashed(ctx, id)),
    ...assertDeletable(ctx, id, permanent, ifMatch),
    ...deletionEntryStatements(ctx, id, permanent, writeContext),
    ...(permanent ? eraseStatements(ctx, id) : trashDocumentStatements(ctx, id)),
  ]);
  const [deleted] = results?.[0] ?? entries;
  if (!deleted) throw notFound();
  return deleted.title ?? "";
}

/** Reads a document, even from the trash, and the given version. Without that version, `found` is undefined. */
async function readForRestore(ctx: Ctx, id: string, { once }: DocumentWriter, version: number | undefined) {
  const { results, earlier } = await readWithKey(ctx, once, [
    ctx.db
      .select({ ...documentColumns, trashed_at: documents.trashed_at, link_bytes: storedLinkBytes(ctx) })
      .from(documents)
      .where(ownedDocumentOrTrashed(ctx, id)),
    ...(version === undefined ? [] : [versionStateStatement(ctx, id, version)]),
  ]);
  const [[found], [state] = []] = results;
  const isKept = version === undefined || version === found?.version || state !== undefined;
  return { found: isKept ? found : undefined, earlier, state };
}

async function restoreStatements(
  ctx: Ctx,
  { row, next, link_bytes }: VersionChange & { link_bytes: number },
  indexing: DocumentIndexing,
  writer: DocumentWriter,
) {
  const owned = sql`id = ${row.id} AND owner = ${ctx.owner} AND version = ${row.version} AND trashed_at IS NOT NULL`;
  const isNew = next.version !== row.version;
  return [
    assertInBatch(ctx, sql`EXISTS (SELECT 1 FROM documents WHERE ${owned})`, "stale"),
    ...assertQuotaLeft(ctx, {
      documents: 1,
      bytes: (isNew ? documentChangeBytes(row, next) : 0) + Math.max(0, linkBytes(next) - link_bytes),
    }),
    ...recordActivity(ctx, { ...changeEntry(row, next), verb: "restored" }, writer),
    ...(isNew
      ? [storeVersionStatement(ctx, { row, next }), updateDocumentStatement(ctx, { row, next }, writer)]
      : []),
    ...(await documentDetailStatements(ctx, next, indexing, row)),
    ...allLinkStatements(ctx, next),
    ctx.db.run(
      sql`UPDATE documents SET trashed_at = NULL, activity = ${lastActivityNumber(ctx)} WHERE id = ${row.id}`,
    ),
  ];
}

/** Restoring an earlier version creates a new one, even if it equals the state in the trash. */
const restoredState = (row: DocumentRow, state: FieldsToWrite, now: string): DocumentRow =>
  nextDocumentState(row, state, now) ?? { ...row, version: row.version + 1, updated_at: now };

/** Restores a document from the trash, optionally at an earlier version. Throws 404, 412. */
export const restoreDocument = (ctx: Ctx, id: string, writer: DocumentWriter, version?: number) =>
  retryUntilWritten<Document>("document", async () => {
    const { found, earlier, state } = await readForRestore(ctx, id, writer, version);
    if (earlier) return readDocumentAgain(ctx, earlier as StoredDocumentVersion, found);
    if (!found) throw notFound();
    const { trashed_at, link_bytes, ...row } = found;
    if (!allowsChange(writer.ifMatch, row.version)) throw preconditionFailed();
    if (!trashed_at) {
      await rejectEmptyUndo(ctx, writer);
      return presentDocument(row);
    }
    const next = state ? restoredState(row, state, ctx.now.toISOString()) : row;
    const indexing = newDocumentIndexing(ctx);
    const statements = await restoreStatements(ctx, { row, next, link_bytes }, indexing, writer);
    const write = writeOnce(ctx, writer.once, repeatableDocument(next), statements);
    const { answer } = await catchRefusal(write, "stale");
    if (answer) await indexing.finish();
    return answer;
  });
