import type { Document, DocumentCreateRequest, ReadDocument } from "../../contract/document.ts";
import { recordActivity } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound, unprocessable } from "../../platform/core/errors.ts";
import { documents } from "../../platform/db/tables.ts";
import { writeOnce } from "../../platform/idempotency/store.ts";
import { assertQuotaLeft } from "../billing/quota-store.ts";
import { newDocumentBytes } from "./document-size.ts";
import { invalidTimesReason } from "./document-state.ts";
import { newDocumentIndexing } from "./index-store.ts";
import {
  documentColumns,
  ownedDocument,
  ownedDocumentOrTrashed,
  presentDocument,
  repeatableDocument,
} from "./row-store.ts";
import {
  assertOwnFolder,
  creationEntry,
  type DocumentWriter,
  documentDetailStatements,
  insertDocumentStatement,
  newDocumentRow,
  type Statements,
} from "./statement-store.ts";

/** A new document's row and statements, after those in `ahead`. Throws 413 if it is too large, 422 for invalid times. */
export async function documentCreation(
  ctx: Ctx,
  input: DocumentCreateRequest,
  writer: DocumentWriter,
  ahead: Statements = [],
) {
  const row = newDocumentRow(ctx, input, writer.source_type);
  const problem = invalidTimesReason(row, ctx.now.toISOString());
  if (problem) throw unprocessable(problem);
  const indexing = newDocumentIndexing(ctx);
  const statements = [
    ...ahead,
    ...assertQuotaLeft(ctx, { documents: 1, bytes: newDocumentBytes(row) }),
    ...assertOwnFolder(ctx, row.folder_id),
    ...recordActivity(ctx, creationEntry(row), writer),
    insertDocumentStatement(ctx, row, writer),
    ...(await documentDetailStatements(ctx, row, indexing)),
  ];
  return { row, statements, indexing };
}

/** Creates a document. With `once`, a repeated request gets the first response. Throws 404 for an unknown folder, 413, 422. */
export async function createDocument(
  ctx: Ctx,
  input: DocumentCreateRequest,
  writer: DocumentWriter,
): Promise<Document> {
  const { row, statements, indexing } = await documentCreation(ctx, input, writer);
  const created = await writeOnce(ctx, writer.once, repeatableDocument(row), statements);
  await indexing.finish();
  return created;
}

/** One of the caller's documents; with `anywhere`, also from the trash. Throws 404. */
export async function getDocument(ctx: Ctx, id: string, anywhere = false): Promise<ReadDocument> {
  const [row] = await ctx.db
    .select({ ...documentColumns, trashed_at: documents.trashed_at })
    .from(documents)
    .where(anywhere ? ownedDocumentOrTrashed(ctx, id) : ownedDocument(ctx, id));
  if (!row) throw notFound();
  const { trashed_at, ...document } = row;
  return { ...presentDocument(document), ...(trashed_at !== null && { trashed_at }) };
}
