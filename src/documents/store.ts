import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { Ctx } from "../core/ctx.ts";
import { badRequest, notFound, preconditionFailed, unavailable } from "../core/errors.ts";
import { allowsChange } from "../core/etag.ts";
import { type Idempotency, onceStatements, storedAnswer, storedStatement } from "../core/idempotency.ts";
import { documents } from "../db/tables.ts";
import { indexStatements } from "../text-index/store.ts";
import { contentText } from "./content-text.ts";
import { editText, type TextEdit } from "./edit-text.ts";
import type { Document, DocumentCreateRequest, DocumentUpdateRequest, SourceType } from "./schema.ts";

/** How many states before the current one are kept. */
export const KEPT_VERSIONS = 50;

/** Who writes, what they have read, and whether they may repeat themselves. */
export type Origin = {
  source_type: SourceType;
  client_name?: string | undefined;
  ifMatch?: string | undefined;
  once?: Idempotency | undefined;
};

/** How often an update without If-Match starts again because another one came first. */
const MAX_ATTEMPTS = 100;

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

/** A document as the table has it. */
export type Row = Omit<Document, "content"> & { content: Record<string, unknown> | null };

export const present = ({ content, ...row }: Row): Document => (content ? { ...row, content } : row);

/** The caller's documents that are not in the trash. */
export const living = (ctx: Ctx) => and(eq(documents.owner, ctx.user.number), isNull(documents.trashed_at));

const own = (ctx: Ctx, id: string) => and(eq(documents.id, id), living(ctx));

/** True in SQL when the folder is the caller's, or when there is none. */
export const folderIsMine = (ctx: Ctx, folderId: string | null | undefined) =>
  folderId
    ? sql`EXISTS (SELECT 1 FROM folders WHERE id = ${folderId} AND owner = ${ctx.user.number})`
    : sql`true`;

/** The statements that write a document's tags and search entry, where `when` holds. */
export async function detailStatements(ctx: Ctx, document: Row, when: SQL) {
  const { id, title, tags, content } = document;
  const text = contentText(content);
  return [
    ctx.db.run(sql`DELETE FROM document_tags WHERE document_id = ${id} AND ${when}`),
    ctx.db.run(sql`INSERT INTO document_tags (owner, tag, document_id)
      SELECT ${ctx.user.number}, value, ${id} FROM json_each(${JSON.stringify(tags)}) WHERE ${when}`),
    ...indexStatements(ctx, { kind: "document", record: id, title, tags, text }, when),
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
  created_at: ctx.now.toISOString(),
  updated_at: ctx.now.toISOString(),
  content: input.content ?? null,
});

/** The statement that writes a new document's row, where `when` holds. */
export const insertStatement = (ctx: Ctx, row: Row, { source_type, client_name }: Origin, when: SQL) =>
  ctx.db.all(sql`
    INSERT INTO documents (id, owner, title, content, tags, folder_id, source_type, version, created_at, updated_at,
      writer_source_type, writer_client_name)
    SELECT ${row.id}, ${ctx.user.number}, ${row.title}, ${row.content && JSON.stringify(row.content)},
      ${JSON.stringify(row.tags)}, ${row.folder_id}, ${row.source_type}, ${row.version}, ${row.created_at},
      ${row.updated_at}, ${source_type}, ${client_name ?? null}
    WHERE ${when} RETURNING id`);

/**
 * Creates a document. With `once`, a repetition of the same request answers what the first one did.
 * Throws 404 for a folder that is not the caller's, 422 for a key that was used for another body.
 */
export async function createDocument(
  ctx: Ctx,
  input: DocumentCreateRequest,
  origin: Origin,
): Promise<Document> {
  const row = newRow(ctx, input, origin.source_type);
  const allowed = folderIsMine(ctx, row.folder_id);
  const once = origin.once && onceStatements(ctx, origin.once, JSON.stringify(present(row)), allowed);
  const insert = insertStatement(ctx, row, origin, sql`${allowed} AND ${once?.mine ?? sql`true`}`);
  const exists = sql`EXISTS (SELECT 1 FROM documents WHERE id = ${row.id})`;
  const write = [insert, ...(await detailStatements(ctx, row, exists))] as const;
  if (!origin.once || !once) {
    const [inserted] = await ctx.db.batch(write);
    if (inserted.length === 0) throw notFound();
    return present(row);
  }
  const [, [stored]] = await ctx.db.batch([once.claim, once.stored, ...write]);
  const answer = storedAnswer(origin.once, stored);
  if (answer === undefined) throw notFound();
  return JSON.parse(answer) as Document;
}

/** One of the caller's documents. Throws 404. */
export async function getDocument(ctx: Ctx, id: string): Promise<Document> {
  const [row] = await ctx.db.select(visible).from(documents).where(own(ctx, id));
  if (!row) throw notFound();
  return present(row);
}

/** Whether every given field already is what the row says. */
const changesNothing = (row: Row, next: Row) => JSON.stringify(row) === JSON.stringify(next);

type Read = { row: Row; answer: string | undefined };

/**
 * Reads a document, whether the folder that it shall move to exists, and the answer to an earlier request of the
 * same key. Throws 404, or 412 where If-Match says so, unless there is such an answer.
 */
async function readForUpdate(
  ctx: Ctx,
  id: string,
  { ifMatch, once }: Origin,
  folderId: string | null | undefined,
): Promise<Read> {
  const [[row], [folder], stored] = await ctx.db.batch([
    ctx.db.select(visible).from(documents).where(own(ctx, id)),
    ctx.db.all<{ mine: number }>(sql`SELECT ${folderIsMine(ctx, folderId)} AS mine`),
    ...(once ? [storedStatement(ctx, once)] : []),
  ]);
  const answer = once && storedAnswer(once, stored?.[0]);
  if (!row || (!folder?.mine && answer === undefined)) throw notFound();
  if (answer === undefined && !allowsChange(ifMatch, row.version)) throw preconditionFailed();
  return { row, answer };
}

/**
 * The statements that take a document from one version to the next, where `when` holds: the state before is kept,
 * and what is older than the last 50 goes. The version moves last: until then every statement of the transaction
 * sees the old one.
 */
export async function changeStatements(ctx: Ctx, next: Row, origin: Origin, when: SQL) {
  return [
    ...keepStatements(ctx, sql`documents.id = ${next.id} AND ${when}`),
    ...(await detailStatements(ctx, next, when)),
    rowStatement(ctx, next, origin, when),
  ] as const;
}

/**
 * The statement that writes a document's next row, where `when` holds, and answers whether it did. (The number of
 * changes that D1 reports after a write to the full-text index is not that of the statement.)
 */
export const rowStatement = (ctx: Ctx, next: Row, { source_type, client_name }: Origin, when: SQL) =>
  ctx.db.all<{ id: string }>(sql`
    UPDATE documents SET title = ${next.title}, content = ${next.content && JSON.stringify(next.content)},
      tags = ${JSON.stringify(next.tags)}, folder_id = ${next.folder_id},
      version = ${next.version}, updated_at = ${next.updated_at},
      writer_source_type = ${source_type}, writer_client_name = ${client_name ?? null}
    WHERE id = ${next.id} AND owner = ${ctx.user.number} AND ${when} RETURNING id`);

/**
 * The condition under which a document still has the version that its next one was made from. The table itself
 * carries the name `current` in it.
 */
export const isAtVersion = (ctx: Ctx, id: string, version: number) =>
  sql`EXISTS (SELECT 1 FROM documents AS current WHERE current.id = ${id} AND current.owner = ${ctx.user.number}
    AND current.version = ${version} AND current.trashed_at IS NULL)`;

/** Writes the next state if the document still has the version that it was made from; answers it, or undefined. */
export async function replaceVersion(
  ctx: Ctx,
  next: Row,
  version: number,
  origin: Origin,
): Promise<Document | undefined> {
  const when = sql`${isAtVersion(ctx, next.id, version)} AND ${folderIsMine(ctx, next.folder_id)}`;
  if (!origin.once) {
    const results = await ctx.db.batch(await changeStatements(ctx, next, origin, when));
    return (results.at(-1) as { id: string }[]).length === 1 ? present(next) : undefined;
  }
  const once = onceStatements(ctx, origin.once, JSON.stringify(present(next)), when);
  const write = await changeStatements(ctx, next, origin, sql`${when} AND ${once.mine}`);
  const [, [stored]] = await ctx.db.batch([once.claim, once.stored, ...write]);
  const answer = storedAnswer(origin.once, stored);
  return answer === undefined ? undefined : (JSON.parse(answer) as Document);
}

/**
 * Changes a document to what `change` makes of it; a change of nothing keeps the version. Another change that
 * comes first makes it start again from there.
 * Throws 404 for a document or folder that is not the caller's, 412 when If-Match names another version.
 */
export async function changeDocument(
  ctx: Ctx,
  id: string,
  change: (row: Row) => DocumentUpdateRequest | Promise<DocumentUpdateRequest>,
  origin: Origin & { folder_id?: string | null | undefined },
): Promise<Document> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { row, answer } = await readForUpdate(ctx, id, origin, origin.folder_id);
    if (answer !== undefined) return JSON.parse(answer) as Document;
    const next = { ...row, ...(await change(row)) };
    if (changesNothing(row, next)) return present(row);
    Object.assign(next, { version: row.version + 1, updated_at: ctx.now.toISOString() });
    const written = await replaceVersion(ctx, next, row.version, origin);
    if (written) return written;
  }
  throw unavailable("Too many changes of this document at once: try again");
}

/**
 * Changes the given fields of a document; omitted ones stay. A change of nothing keeps the version.
 * Throws 404 for a document or folder that is not the caller's, 412 when `ifMatch` names another version.
 */
export const updateDocument = (ctx: Ctx, id: string, change: DocumentUpdateRequest, origin: Origin) =>
  changeDocument(ctx, id, () => change, { ...origin, folder_id: change.folder_id });

/** The content after an edit of its text. Throws 400 where there is no text to edit. */
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
 * Edits `content.text` of a document. Throws 404, 400 for an edit that does not fit or changes nothing, 412 when
 * If-Match names another version.
 */
export const editDocument = (ctx: Ctx, id: string, edit: TextEdit, origin: Origin): Promise<Document> =>
  changeDocument(ctx, id, (row) => ({ content: editContent(row, edit) }), origin);

/**
 * The statements that keep the current states of documents as versions, and let go of those before the last 50.
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
      FROM documents WHERE owner = ${ctx.user.number} AND ${which}`),
    ctx.db.run(sql`
      DELETE FROM document_versions WHERE (document_id, version) IN (
        SELECT old.document_id, old.version
        FROM (SELECT id, version FROM documents WHERE owner = ${ctx.user.number} AND ${which}) AS changed
        CROSS JOIN document_versions AS old ON old.document_id = changed.id
        WHERE old.version <= changed.version - ${KEPT_VERSIONS})`),
  ] as const;
