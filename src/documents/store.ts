import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { Ctx } from "../core/ctx.ts";
import { badRequest, invalid, notFound, preconditionFailed } from "../core/errors.ts";
import { allowsChange } from "../core/etag.ts";
import { untilWritten } from "../core/retry.ts";
import { must, unless } from "../db/call.ts";
import { documents } from "../db/tables.ts";
import { type Idempotency, keptAnswer, keptStatement, writeOnce } from "../idempotency/store.ts";
import { indexStatements } from "../text-index/store.ts";
import { contentText } from "./content-text.ts";
import { editText, type TextEdit } from "./edit-text.ts";
import type { Document, DocumentCreateRequest, DocumentUpdateRequest, SourceType } from "./schema.ts";
import { timesOfNew, timesProblem } from "./times.ts";

/** How many previous versions are kept. */
export const KEPT_VERSIONS = 50;

/** Who is writing, which version they read, and the idempotency of the request. */
export type Origin = {
  source_type: SourceType;
  client_name?: string | undefined;
  ifMatch?: string | undefined;
  once?: Idempotency | undefined;
};

export const listed = {
  id: documents.id,
  title: documents.title,
  tags: documents.tags,
  source_type: documents.source_type,
  folder_id: documents.folder_id,
  version: documents.version,
  created_at: documents.created_at,
  updated_at: documents.updated_at,
};
export const visible = { ...listed, content: documents.content };

/** A document as a row of the table. */
export type Row = Omit<Document, "content"> & { content: Record<string, unknown> | null };

export const present = ({ content, ...row }: Row): Document => (content ? { ...row, content } : row);

/** The caller's documents that are not in the trash. */
export const living = (ctx: Ctx) => and(eq(documents.owner, ctx.owner), isNull(documents.trashed_at));

export const own = (ctx: Ctx, id: string) => and(eq(documents.id, id), living(ctx));

/** True in SQL when the folder is the caller's. */
export const folderIsMine = (ctx: Ctx, folderId: string) =>
  sql`EXISTS (SELECT 1 FROM folders WHERE id = ${folderId} AND owner = ${ctx.owner})`;

/** Refuses the batch unless the folder is the caller's, or null for the top level. */
export const mustOwnFolder = (ctx: Ctx, folderId: string | null | undefined) =>
  folderId ? [must(ctx, folderIsMine(ctx, folderId), "folder-not-found")] : [];

/** The statements that write a document's tags and search entry. */
export async function detailStatements(ctx: Ctx, { id, title, tags, content }: Row) {
  return [
    ctx.db.run(sql`DELETE FROM document_tags WHERE document_id = ${id}`),
    ctx.db.run(sql`INSERT INTO document_tags (owner, tag, document_id)
      SELECT ${ctx.owner}, value, ${id} FROM json_each(${JSON.stringify(tags)})`),
    ...indexStatements(ctx, { kind: "document", record: id, title, tags, text: contentText(content) }),
  ] as const;
}

/** A new document's row. */
export const newRow = (ctx: Ctx, input: DocumentCreateRequest, source_type: SourceType): Row => ({
  id: uuid(),
  title: input.title,
  tags: input.tags ?? [],
  source_type,
  folder_id: input.folder_id ?? null,
  version: 1,
  ...timesOfNew(input, ctx.now.toISOString()),
  content: input.content ?? null,
});

/** The statement that writes a new document's row. */
export const insertStatement = (ctx: Ctx, row: Row, { source_type, client_name }: Origin) =>
  ctx.db.run(sql`
    INSERT INTO documents (id, owner, title, content, tags, folder_id, source_type, version, created_at, updated_at,
      writer_source_type, writer_client_name)
    VALUES (${row.id}, ${ctx.owner}, ${row.title}, ${row.content && JSON.stringify(row.content)},
      ${JSON.stringify(row.tags)}, ${row.folder_id}, ${row.source_type}, ${row.version}, ${row.created_at},
      ${row.updated_at}, ${source_type}, ${client_name ?? null})`);

/**
 * Creates a document. With `once`, a repetition of the same request returns the first one's answer.
 * Throws 404 for a folder that is not the caller's, 422 for a key that was used for a different body or for impossible
 * times.
 */
export async function createDocument(
  ctx: Ctx,
  input: DocumentCreateRequest,
  origin: Origin,
): Promise<Document> {
  const row = newRow(ctx, input, origin.source_type);
  const problem = timesProblem(row, ctx.now.toISOString());
  if (problem) throw invalid(problem);
  return writeOnce(ctx, origin.once, present(row), [
    ...mustOwnFolder(ctx, row.folder_id),
    insertStatement(ctx, row, origin),
    ...(await detailStatements(ctx, row)),
  ]);
}

/** One of the caller's documents. Throws 404. */
export async function getDocument(ctx: Ctx, id: string): Promise<Document> {
  const [row] = await ctx.db.select(visible).from(documents).where(own(ctx, id));
  if (!row) throw notFound();
  return present(row);
}

/** Whether the row already has the value of every given field. */
const changesNothing = (row: Row, next: Row) => JSON.stringify(row) === JSON.stringify(next);

type Read = { row: Row; answer: string | undefined };

/**
 * Reads a document and the answer to an earlier request with the same key. Unless there is such an answer, throws 404, or
 * 412 when If-Match names another version.
 */
async function readForUpdate(ctx: Ctx, id: string, { ifMatch, once }: Origin): Promise<Read> {
  const [[row], kept = []] = await ctx.db.batch([
    ctx.db.select(visible).from(documents).where(own(ctx, id)),
    ...(once ? [keptStatement(ctx, once)] : []),
  ]);
  const answer = once && keptAnswer(once, kept);
  if (!row) throw notFound();
  if (answer === undefined && !allowsChange(ifMatch, row.version)) throw preconditionFailed();
  return { row, answer };
}

/** The statement that writes a document's new row. */
export const rowStatement = (ctx: Ctx, next: Row, { source_type, client_name }: Origin) =>
  ctx.db.run(sql`
    UPDATE documents SET title = ${next.title}, content = ${next.content && JSON.stringify(next.content)},
      tags = ${JSON.stringify(next.tags)}, folder_id = ${next.folder_id},
      version = ${next.version}, created_at = ${next.created_at}, updated_at = ${next.updated_at},
      writer_source_type = ${source_type}, writer_client_name = ${client_name ?? null}
    WHERE id = ${next.id} AND owner = ${ctx.owner}`);

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
  next: Row,
  version: number,
  origin: Origin,
): Promise<Document | undefined> {
  const write = writeOnce(ctx, origin.once, present(next), [
    mustBeAtVersion(ctx, next.id, version),
    ...mustOwnFolder(ctx, next.folder_id),
    ...keepStatements(ctx, sql`documents.id = ${next.id}`),
    rowStatement(ctx, next, origin),
    ...(await detailStatements(ctx, next)),
  ]);
  return (await unless(write, "stale")).answer;
}

/**
 * Applies `change` to a document; a change of nothing keeps the version. If another writer comes first, it is applied
 * again to their result.
 * Throws 404 for a document or folder that is not the caller's, 412 when If-Match names another version.
 */
export const changeDocument = (
  ctx: Ctx,
  id: string,
  change: (row: Row) => DocumentUpdateRequest | Promise<DocumentUpdateRequest>,
  origin: Origin,
): Promise<Document> =>
  untilWritten("document", async () => {
    const { row, answer } = await readForUpdate(ctx, id, origin);
    if (answer !== undefined) return JSON.parse(answer) as Document;
    const next = { ...row, ...(await change(row)) };
    if (changesNothing(row, next)) return present(row);
    Object.assign(next, { version: row.version + 1, updated_at: ctx.now.toISOString() });
    return replaceVersion(ctx, next, row.version, origin);
  });

/**
 * Changes the given fields of a document. A change of nothing keeps the version.
 * Throws 404 for a document or folder that is not the caller's, 412 when `ifMatch` names another version.
 */
export const updateDocument = (ctx: Ctx, id: string, change: DocumentUpdateRequest, origin: Origin) =>
  changeDocument(ctx, id, () => change, origin);

/** The content after an edit of its text. Throws 400 when there is no text to edit. */
function editContent({ content }: Row, edit: TextEdit): Record<string, unknown> {
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
export const editDocument = (ctx: Ctx, id: string, edit: TextEdit, origin: Origin): Promise<Document> =>
  changeDocument(ctx, id, (row) => ({ content: editContent(row, edit) }), origin);

/**
 * The statements that store the current states of documents as versions, and delete those older than the last 50.
 *
 * @param which a condition on `documents`
 */
export const keepStatements = (ctx: Ctx, which: SQL) =>
  [
    ctx.db.run(sql`
      INSERT INTO document_versions (document_id, version, owner, title, content, tags, folder_id, source_type,
        client_name, created_at)
      SELECT id, version, owner, title, content, tags, folder_id, coalesce(writer_source_type, source_type),
        writer_client_name, updated_at
      FROM documents WHERE owner = ${ctx.owner} AND ${which}`),
    ctx.db.run(sql`
      DELETE FROM document_versions WHERE (document_id, version) IN (
        SELECT old.document_id, old.version
        FROM (SELECT id, version FROM documents WHERE owner = ${ctx.owner} AND ${which}) AS changed
        CROSS JOIN document_versions AS old ON old.document_id = changed.id
        WHERE old.version <= changed.version - ${KEPT_VERSIONS})`),
  ] as const;
