import type { Document, DocumentCreateRequest, ReadDocument } from "../../contract/document.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { invalid, notFound } from "../../platform/core/errors.ts";
import { documents } from "../../platform/db/tables.ts";
import { writeOnce } from "../../platform/idempotency/store.ts";
import { recorded } from "../../platform/ledger/store.ts";
import { mustHaveRoom } from "../billing/quota-store.ts";
import { bytesOfNew } from "./document-size.ts";
import { newIndexing } from "./index-store.ts";
import { columns, ownedById, ownedByIdAnywhere, present, repeatable } from "./row-store.ts";
import {
  creationOf,
  detailStatements,
  insertStatement,
  mustOwnFolder,
  newRow,
  type Statements,
  type Writer,
} from "./statement-store.ts";
import { timesProblem } from "./times.ts";

/** A new document's row and statements, after those in `ahead`. Throws 413 if it is too large, 422 for invalid times. */
export async function creationOfDocument(
  ctx: Ctx,
  input: DocumentCreateRequest,
  writer: Writer,
  ahead: Statements = [],
) {
  const row = newRow(ctx, input, writer.source_type);
  const problem = timesProblem(row, ctx.now.toISOString());
  if (problem) throw invalid(problem);
  const indexing = newIndexing(ctx);
  const statements = [
    ...ahead,
    ...mustHaveRoom(ctx, { documents: 1, bytes: bytesOfNew(row) }),
    ...mustOwnFolder(ctx, row.folder_id),
    ...recorded(ctx, creationOf(row), writer),
    insertStatement(ctx, row, writer),
    ...(await detailStatements(ctx, row, indexing)),
  ];
  return { row, statements, indexing };
}

/** Creates a document. With `once`, a repeated request gets the first response. Throws 404 for an unknown folder, 413, 422. */
export async function createDocument(
  ctx: Ctx,
  input: DocumentCreateRequest,
  writer: Writer,
): Promise<Document> {
  const { row, statements, indexing } = await creationOfDocument(ctx, input, writer);
  const created = await writeOnce(ctx, writer.once, repeatable(row), statements);
  await indexing.finish();
  return created;
}

/** One of the caller's documents; with `anywhere`, also from the trash. Throws 404. */
export async function getDocument(ctx: Ctx, id: string, anywhere = false): Promise<ReadDocument> {
  const [row] = await ctx.db
    .select({ ...columns, trashed_at: documents.trashed_at })
    .from(documents)
    .where(anywhere ? ownedByIdAnywhere(ctx, id) : ownedById(ctx, id));
  if (!row) throw notFound();
  const { trashed_at, ...document } = row;
  return { ...present(document), ...(trashed_at !== null && { trashed_at }) };
}
