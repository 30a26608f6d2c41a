import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { v7 as uuid } from "uuid";
import { mustHaveRoom } from "../features/billing/quota-store.ts";
import { changeBytes, documentBytes } from "../features/billing/sizes.ts";
import type { Ctx } from "../platform/core/ctx.ts";
import { badRequest, invalid, notFound, preconditionFailed } from "../platform/core/errors.ts";
import { allowsChange } from "../platform/http/etag.ts";
import { given } from "../contract/given.ts";
import { untilWritten } from "../platform/core/retry.ts";
import { must, unless } from "../platform/db/call.ts";
import { columnsBut, insertSelect } from "../platform/db/columns.ts";
import { document_versions, documents } from "../db/tables.ts";
import { type Idempotency, type Kept, keptAnswer, keptStatement, writeOnce } from "../idempotency/store.ts";
import { type Entry, lastNumber, mustChange, recorded } from "../platform/ledger/store.ts";
import { changedFields, isUnchanged } from "../features/documents/changed-fields.ts";
import { editText, type TextEdit } from "../features/documents/edit-text.ts";
import { type Indexing, newIndexing } from "./index-store.ts";
import {
  type Document,
  type DocumentCreateRequest,
  type DocumentRow,
  type DocumentUpdateRequest,
  type ReadDocument,
  type SourceType,
  unsaid,
} from "../contract/document.ts";
import { timesOfNew, timesProblem } from "../features/documents/times.ts";

type Statements = readonly BatchItem<"sqlite">[];

/** Who is writing, which version they read, and the idempotency of the request. */
export type Writer = {
  source_type: SourceType;
  client_name?: string | undefined;
  ifMatch?: string | undefined;
  once?: Idempotency | undefined;
  /** The number of the change in the ledger that is being undone. */
  undoing?: number | undefined;
  /** The version that is being restored. */
  restoring?: number | undefined;
};

const HIDDEN = ["owner", "writer_source_type", "writer_client_name", "trashed_at", "activity"] as const;

/** The columns of a document that its owner sees, and those that lists show. */
export const shown = columnsBut(documents, ...HIDDEN);
export const shownInLists = columnsBut(documents, ...HIDDEN, "content");

export const present = ({ content, ...row }: DocumentRow): Document => (content ? { ...row, content } : row);

/** The caller's documents that are not in the trash. */
export const living = (ctx: Ctx) => and(eq(documents.owner, ctx.owner), isNull(documents.trashed_at));

export const own = (ctx: Ctx, id: string) => and(eq(documents.id, id), living(ctx));

/** True in SQL when the folder is the caller's. */
export const folderIsMine = (ctx: Ctx, folderId: string) =>
  sql`EXISTS (SELECT 1 FROM folders WHERE id = ${folderId} AND owner = ${ctx.owner})`;

/** Refuses the batch unless the folder is the caller's, or null for the top level. */
export const mustOwnFolder = (ctx: Ctx, folderId: string | null | undefined) =>
  folderId ? [must(ctx, folderIsMine(ctx, folderId), "folder-not-found")] : [];

/**
 * The statements that write a document's tags, as far as they change, and its search entry, or what of it belongs to the
 * transaction: `indexing.finish()` is for after it.
 */
export async function detailStatements(ctx: Ctx, row: DocumentRow, indexing: Indexing) {
  const { id, tags } = row;
  const named = sql`SELECT value FROM json_each(${JSON.stringify(tags)})`;
  return [
    ctx.db.run(sql`DELETE FROM document_tags WHERE document_id = ${id} AND tag NOT IN (${named})`),
    ctx.db.run(sql`INSERT INTO document_tags (owner, tag, document_id) SELECT ${ctx.owner}, value, ${id} FROM (${named})
      WHERE value NOT IN (SELECT tag FROM document_tags WHERE document_id = ${id})`),
    ...(await indexing.statements(row)),
  ] as const;
}

/** Whether a change leaves the document as it is but for its folder. */
export const isMove = (row: DocumentRow, { folder_id, version, updated_at, ...next }: DocumentRow) =>
  isUnchanged(row, { ...row, ...next });

/** The statements for the tags and the search entry of a changed document, which a move leaves alone. */
export const changedDetails = async (
  ctx: Ctx,
  { row, next }: { row: DocumentRow; next: DocumentRow },
  indexing: Indexing,
) => (isMove(row, next) ? [] : detailStatements(ctx, next, indexing));

/** A new document's row. */
export const newRow = (ctx: Ctx, input: DocumentCreateRequest, source_type: SourceType): DocumentRow => ({
  id: uuid(),
  ...unsaid,
  ...given(input),
  source_type,
  version: 1,
  ...timesOfNew(input, ctx.now.toISOString()),
});

const writtenBy = ({ source_type, client_name }: Writer) => ({
  writer_source_type: source_type,
  writer_client_name: client_name ?? null,
});

/** The ledger's entry of a new document. */
export const creationOf = ({ id, title, version }: DocumentRow): Entry => ({
  ...{ verb: "created", kind: "document", record: id, title, version_after: version },
});

/** The ledger's entry of a change. */
export function changeOf(row: DocumentRow, next: DocumentRow): Entry {
  const versions = { version_before: row.version, version_after: next.version };
  return {
    ...{ verb: isMove(row, next) ? "moved" : "changed", kind: "document", record: row.id, title: next.title },
    ...versions,
  };
}

/** The statement that writes a new document's row, after its entry in the ledger. */
export const insertStatement = (ctx: Ctx, row: DocumentRow, writer: Writer) =>
  ctx.db
    .insert(documents)
    .values({ ...row, owner: ctx.owner, ...writtenBy(writer), activity: lastNumber(ctx) });

/**
 * Creates a document. With `once`, a repetition of the same request returns the first one's answer.
 * Throws 404 for a folder that is not the caller's, 422 for a key that was used for a different body or for impossible
 * times.
 *
 * @param ahead statements that come first in the transaction
 */
export async function createDocument(
  ctx: Ctx,
  input: DocumentCreateRequest,
  writer: Writer,
  ahead: Statements = [],
): Promise<Document> {
  const row = newRow(ctx, input, writer.source_type);
  const problem = timesProblem(row, ctx.now.toISOString());
  if (problem) throw invalid(problem);
  const indexing = newIndexing(ctx);
  const created = await writeOnce(ctx, writer.once, present(row), [
    ...ahead,
    ...mustHaveRoom(ctx, { documents: 1, bytes: documentBytes(row) }),
    ...mustOwnFolder(ctx, row.folder_id),
    ...recorded(ctx, creationOf(row), writer),
    insertStatement(ctx, row, writer),
    ...(await detailStatements(ctx, row, indexing)),
  ]);
  await indexing.finish();
  return created;
}

export const ownAnywhere = (ctx: Ctx, id: string) =>
  and(eq(documents.id, id), eq(documents.owner, ctx.owner));

/** One of the caller's documents, with `anywhere` also from the trash. Throws 404. */
export async function getDocument(ctx: Ctx, id: string, anywhere = false): Promise<ReadDocument> {
  const [row] = await ctx.db
    .select({ ...shown, trashed_at: documents.trashed_at })
    .from(documents)
    .where(anywhere ? ownAnywhere(ctx, id) : own(ctx, id));
  if (!row) throw notFound();
  const { trashed_at, ...document } = row;
  return { ...present(document), ...(trashed_at !== null && { trashed_at }) };
}

/**
 * A change to a document.
 *
 * @param make returns the fields to change, given the row and the rows of `read`. Throws to refuse the change
 * @param read a statement that is sent in the call that reads the row
 * @param ahead statements that come first in the transaction of the change
 */
export type Change<Found = never> = {
  make: (row: DocumentRow, found: Found[]) => DocumentUpdateRequest;
  read?: BatchItem<"sqlite">;
  ahead?: Statements;
};

/**
 * Reads a document, the rows of the change's `read`, and the answer to an earlier request with the same key. Unless there
 * is such an answer, throws 404, or 412 when If-Match names another version.
 */
async function readForUpdate<Found>(
  ctx: Ctx,
  id: string,
  { read }: Change<Found>,
  { ifMatch, once }: Writer,
) {
  const [[row], ...others] = (await ctx.db.batch([
    ctx.db.select(shown).from(documents).where(own(ctx, id)),
    ...(once ? [keptStatement(ctx, once)] : []),
    ...(read ? [read] : []),
  ])) as [DocumentRow[], ...unknown[][]];
  const answer = once && keptAnswer(once, others.shift() as Kept[]);
  if (!row) throw notFound();
  if (answer === undefined && !allowsChange(ifMatch, row.version)) throw preconditionFailed();
  return { row, answer, found: (others[0] ?? []) as Found[] };
}

/**
 * The statement that writes what is new in a document's row, after its entry in the ledger. A column that is written is
 * written to each of its indexes, too, even if it stays the same.
 */
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
      ...writtenBy(writer),
      activity: lastNumber(ctx),
    })
    .where(and(eq(documents.id, next.id), eq(documents.owner, ctx.owner)));
}

/** Refuses the batch as stale unless the document still has the version that the new one is based on. */
const mustBeAtVersion = (ctx: Ctx, id: string, version: number) =>
  must(
    ctx,
    sql`EXISTS (SELECT 1 FROM documents
      WHERE id = ${id} AND owner = ${ctx.owner} AND version = ${version} AND trashed_at IS NULL)`,
    "stale",
  );

/**
 * Writes the new state of a document, and keeps the previous one as a version, if the document still has the version that
 * the new state is based on. Returns the document, or undefined when another writer came first. Throws 404 for a folder
 * that is not the caller's.
 */
export async function replaceVersion(
  ctx: Ctx,
  { row, next, ahead = [] }: { row: DocumentRow; next: DocumentRow; ahead?: Statements | undefined },
  writer: Writer,
): Promise<Document | undefined> {
  const indexing = newIndexing(ctx);
  const write = writeOnce(ctx, writer.once, present(next), [
    ...ahead,
    mustBeAtVersion(ctx, row.id, row.version),
    ...mustHaveRoom(ctx, { bytes: changeBytes(row, next) }),
    ...mustOwnFolder(ctx, next.folder_id),
    ...recorded(ctx, changeOf(row, next), writer),
    keepStatement(ctx, sql`documents.id = ${next.id}`),
    rowStatement(ctx, { row, next }, writer),
    ...(await changedDetails(ctx, { row, next }, indexing)),
  ]);
  const { answer } = await unless(write, "stale");
  if (answer) await indexing.finish();
  return answer;
}

/**
 * Changes a document; a change of nothing keeps the version. If another writer comes first, the change is applied again
 * to their result. Throws 404 for a document or folder that is not the caller's, 412 when If-Match names another version,
 * and what `change.make` throws.
 */
export const changeDocument = <Found>(
  ctx: Ctx,
  id: string,
  change: Change<Found>,
  writer: Writer,
): Promise<Document> =>
  untilWritten("document", async () => {
    const { row, answer, found } = await readForUpdate(ctx, id, change, writer);
    if (answer !== undefined) return JSON.parse(answer) as Document;
    const next = { ...row, ...change.make(row, found) };
    if (isUnchanged(row, next)) {
      await mustChange(ctx, writer);
      return present(row);
    }
    Object.assign(next, { version: row.version + 1, updated_at: ctx.now.toISOString() });
    return replaceVersion(ctx, { row, next, ahead: change.ahead }, writer);
  });

/**
 * Changes the given fields of a document. A change of nothing keeps the version.
 * Throws 404 for a document or folder that is not the caller's, 412 when `ifMatch` names another version.
 */
export const updateDocument = (ctx: Ctx, id: string, fields: DocumentUpdateRequest, writer: Writer) =>
  changeDocument(ctx, id, { make: () => fields }, writer);

/** The content after an edit of its text. Throws 400 when there is no text to edit. */
export function editContent({ content }: DocumentRow, edit: TextEdit): Record<string, unknown> {
  const { text } = content ?? {};
  if (typeof text === "string") return { ...content, text: editText(text, edit) };
  if (text !== undefined) throw badRequest("content.text is not text: change it with PUT");
  if (edit.operation === "find_replace" || edit.operation === "replace_section") {
    throw badRequest("The document has no text: use append or replace_all");
  }
  return { ...(content ?? { format: "markdown" }), text: editText("", edit) };
}

/**
 * Edits `content.text` of a document. Throws 404, 400 for an edit that cannot be applied or changes nothing, 412 when
 * If-Match names another version.
 */
export const editDocument = (ctx: Ctx, id: string, edit: TextEdit, writer: Writer): Promise<Document> =>
  changeDocument(ctx, id, { make: (row) => ({ content: editContent(row, edit) }) }, writer);

/** A document's current state, with the column names of versions. */
export const currentVersion = {
  ...columnsBut(
    documents,
    "id",
    "updated_at",
    "writer_source_type",
    "writer_client_name",
    "trashed_at",
    "activity",
  ),
  document_id: documents.id,
  source_type: sql<SourceType>`coalesce(${documents.writer_source_type}, ${documents.source_type})`,
  client_name: documents.writer_client_name,
  created_at: documents.updated_at,
};

/**
 * The statement that stores the current states of documents as versions. The triggers of 0027 delete those older than the
 * last 50 when the new state is written.
 *
 * @param which a condition on `documents`
 */
export const keepStatement = (ctx: Ctx, which: SQL) =>
  ctx.db.run(
    insertSelect(
      document_versions,
      currentVersion,
      sql`FROM documents WHERE owner = ${ctx.owner} AND ${which}`,
    ),
  );
