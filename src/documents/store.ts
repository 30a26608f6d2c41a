import { and, asc, desc, eq, gte, isNull, lt, type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { Ctx } from "../core/ctx.ts";
import { badRequest, notFound, preconditionFailed, unavailable } from "../core/errors.ts";
import { allowsChange } from "../core/etag.ts";
import { type Idempotency, onceStatements, storedAnswer, storedStatement } from "../core/idempotency.ts";
import { documents } from "../db/tables.ts";
import { countEntries, indexStatements, unindexStatement } from "../search/store.ts";
import { contentText } from "./content-text.ts";
import { editText, type TextEdit } from "./edit-text.ts";
import type {
  Document,
  DocumentCreateRequest,
  DocumentList,
  DocumentListQuery,
  DocumentUpdateRequest,
  SourceType,
} from "./schema.ts";

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
async function replaceVersion(
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

/** The statements that move a document into the trash: out of lists, search, tags and counts. Its state stays. */
export const trashStatements = (ctx: Ctx, id: string, when: SQL) =>
  [
    unindexStatement(ctx, { kind: "document", record: id }, when),
    ctx.db.run(sql`DELETE FROM document_tags WHERE document_id = ${id} AND ${when}`),
    ctx.db.all<{ id: string }>(sql`UPDATE documents SET trashed_at = ${ctx.now.toISOString()}
      WHERE id = ${id} AND owner = ${ctx.user.number} AND ${when} RETURNING id`),
  ] as const;

/** What becomes of a folder's documents when it goes. */
export type OnContent = "move_up" | "trash";

/** How many documents one step of a folder's deletion moves. */
const MOVED_AT_ONCE = 50;

/**
 * Takes the documents out of folders that are about to go, in bounded steps: the living to the parent or into the
 * trash, or not at all; those in the trash to the top. Each keeps its state before as a version.
 *
 * @param taken a list of folder ids, in SQL
 */
export async function leaveFolders(
  ctx: Ctx,
  taken: SQL,
  { onContent, parent_id }: { onContent: OnContent | undefined; parent_id: string | null },
): Promise<void> {
  const moving = sql`owner = ${ctx.user.number} AND folder_id IN ${taken}
    AND (trashed_at IS NOT NULL OR ${onContent ? 1 : 0})`;
  const now = ctx.now.toISOString();
  const trashing = onContent === "trash" ? 1 : 0;
  for (;;) {
    const rows = await ctx.db.all<{ id: string }>(
      sql`SELECT id FROM documents WHERE ${moving} ORDER BY id LIMIT ${MOVED_AT_ONCE}`,
    );
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    const which = sql`documents.id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND ${moving}`;
    const isTaken = (id: string) =>
      sql`${trashing} AND EXISTS (SELECT 1 FROM documents WHERE id = ${id} AND ${moving})`;
    await ctx.db.batch([
      ...keepStatements(ctx, which),
      ctx.db.run(sql`DELETE FROM document_tags
        WHERE ${trashing} AND document_id IN (SELECT id FROM documents WHERE ${which})`),
      ...ids.map((id) => unindexStatement(ctx, { kind: "document", record: id }, isTaken(id))),
      ctx.db.run(sql`UPDATE documents SET
        folder_id = CASE WHEN trashed_at IS NULL AND NOT ${trashing}
          THEN (SELECT id FROM folders WHERE id = ${parent_id} AND owner = ${ctx.user.number}) END,
        trashed_at = CASE WHEN ${trashing} THEN coalesce(trashed_at, ${now}) ELSE trashed_at END,
        version = version + 1, updated_at = ${now}, writer_source_type = 'api', writer_client_name = NULL
        WHERE ${which}`),
    ]);
  }
}

/** The statements that erase a document with everything that hangs on it. */
const eraseStatements = (ctx: Ctx, id: string, when: SQL) =>
  [
    unindexStatement(ctx, { kind: "document", record: id }, when),
    ctx.db.run(sql`DELETE FROM document_tags WHERE document_id = ${id} AND ${when}`),
    ctx.db.run(sql`DELETE FROM document_versions WHERE document_id = ${id} AND ${when}`),
    ctx.db.all<{ id: string }>(
      sql`DELETE FROM documents WHERE id = ${id} AND owner = ${ctx.user.number} AND ${when} RETURNING id`,
    ),
  ] as const;

/** How many documents one step of an account's erasure takes. */
const ERASED_AT_ONCE = 50;

/** Erases some of the caller's documents, living and trashed, with all that hangs on them; says whether there were any. */
export async function eraseSomeDocuments(ctx: Ctx): Promise<boolean> {
  const rows = await ctx.db
    .select({ id: documents.id })
    .from(documents)
    .where(eq(documents.owner, ctx.user.number))
    .orderBy(documents.id)
    .limit(ERASED_AT_ONCE);
  const [first, ...others] = rows.map(({ id }) => eraseStatements(ctx, id, sql`true`));
  if (!first) return false;
  await ctx.db.batch([...first, ...others.flat()]);
  return true;
}

/** The version of a document that If-Match allows to delete. Throws 404 or 412. */
async function versionOf(
  ctx: Ctx,
  id: string,
  { permanent, ifMatch }: { permanent: boolean; ifMatch: string },
) {
  const mine = permanent ? eq(documents.owner, ctx.user.number) : living(ctx);
  const [row] = await ctx.db
    .select({ version: documents.version })
    .from(documents)
    .where(and(eq(documents.id, id), mine));
  if (!row) throw notFound();
  if (!allowsChange(ifMatch, row.version)) throw preconditionFailed();
  return row.version;
}

/**
 * Moves a document into the trash, or erases it at once with `permanent`, from the trash too.
 * Throws 404, or 412 when `ifMatch` names another version.
 */
export async function deleteDocument(
  ctx: Ctx,
  id: string,
  { permanent = false, ifMatch }: { permanent?: boolean; ifMatch?: string | undefined } = {},
): Promise<void> {
  const version = ifMatch === undefined ? null : await versionOf(ctx, id, { permanent, ifMatch });
  const when = sql`EXISTS (SELECT 1 FROM documents AS current
    WHERE current.id = ${id} AND current.owner = ${ctx.user.number}
      AND current.version = coalesce(${version}, current.version)
      AND (${permanent ? 1 : 0} OR current.trashed_at IS NULL))`;
  const results = permanent
    ? await ctx.db.batch(eraseStatements(ctx, id, when))
    : await ctx.db.batch(trashStatements(ctx, id, when));
  if ((results.at(-1) as { id: string }[]).length === 0) {
    throw ifMatch === undefined ? notFound() : preconditionFailed();
  }
}

/** The statements that take a document out of the trash, with its tags and its search entry, where `when` holds. */
const restoreStatements = async (ctx: Ctx, row: Row, when: SQL) =>
  [
    ...(await detailStatements(ctx, row, when)),
    ctx.db.run(sql`UPDATE documents SET trashed_at = NULL WHERE id = ${row.id} AND ${when}`),
  ] as const;

/**
 * Takes a document out of the trash; one that is not in it stays as it is. Its folder, where that was deleted in
 * the meantime, is the top since then. Throws 404, or 412 when If-Match names another version.
 */
export async function restoreDocument(ctx: Ctx, id: string, origin: Origin): Promise<Document> {
  const { once } = origin;
  const [[found], stored] = await ctx.db.batch([
    ctx.db
      .select({ ...visible, trashed_at: documents.trashed_at })
      .from(documents)
      .where(and(eq(documents.id, id), eq(documents.owner, ctx.user.number))),
    ...(once ? [storedStatement(ctx, once)] : []),
  ]);
  const answer = once && storedAnswer(once, stored?.[0]);
  if (answer !== undefined) return JSON.parse(answer) as Document;
  if (!found) throw notFound();
  const { trashed_at, ...row } = found;
  if (!allowsChange(origin.ifMatch, row.version)) throw preconditionFailed();
  if (!trashed_at) return present(row);
  const when = sql`EXISTS (SELECT 1 FROM documents AS current
    WHERE current.id = ${id} AND current.owner = ${ctx.user.number}
      AND current.version = ${row.version} AND current.trashed_at IS NOT NULL)`;
  if (!once) {
    await ctx.db.batch(await restoreStatements(ctx, row, when));
    return getDocument(ctx, id);
  }
  const { claim, mine } = onceStatements(ctx, once, JSON.stringify(present(row)), when);
  await ctx.db.batch([claim, ...(await restoreStatements(ctx, row, sql`${when} AND ${mine}`))]);
  return getDocument(ctx, id);
}

const hasTag = (ctx: Ctx, tag: string) =>
  sql`EXISTS (SELECT 1 FROM document_tags
    WHERE owner = ${ctx.user.number} AND tag = ${tag} AND document_id = ${documents.id})`;

const filtersOf = (ctx: Ctx, query: DocumentListQuery) =>
  [
    query.folder_id && eq(documents.folder_id, query.folder_id),
    query.source_type && eq(documents.source_type, query.source_type),
    query.updated_after && gte(documents.updated_at, query.updated_after),
    query.updated_before && lt(documents.updated_at, query.updated_before),
    ...(query.tag ?? []).map((tag) => hasTag(ctx, tag)),
  ].filter((filter) => filter !== undefined && filter !== "");

function orderOf({ sort, order }: DocumentListQuery) {
  const direction = (order ?? (sort === "title" ? "asc" : "desc")) === "asc" ? asc : desc;
  const key = sort === "title" ? sql`${documents.title} COLLATE NOCASE` : documents[sort];
  return [direction(key), direction(documents.id)];
}

/** The caller's documents without their content. Throws 404 for a folder that is not the caller's. */
export async function listDocuments(ctx: Ctx, query: DocumentListQuery): Promise<DocumentList> {
  const filters = filtersOf(ctx, query);
  const where = and(living(ctx), ...filters);
  const [items, [count], [folder]] = await ctx.db.batch([
    ctx.db
      .select(listed)
      .from(documents)
      .where(where)
      .orderBy(...orderOf(query))
      .limit(query.limit)
      .offset(query.offset),
    filters.length === 0
      ? countEntries(ctx, "document")
      : ctx.db.all<{ total: number }>(sql`SELECT count(*) AS total FROM documents WHERE ${where}`),
    ctx.db.all<{ mine: number }>(sql`SELECT ${folderIsMine(ctx, query.folder_id)} AS mine`),
  ]);
  if (!folder?.mine) throw notFound();
  return { items, total: count?.total ?? 0 };
}

/** How many documents the caller has, at the cost of one row. */
export async function countDocuments(ctx: Ctx): Promise<number> {
  const [count] = await countEntries(ctx, "document");
  return count?.total ?? 0;
}

/** How many documents one step of a renaming rewrites: each step is one transaction, and all of it fits in memory. */
const RETAGGED_AT_ONCE = 20;

/**
 * Replaces a tag on every document of the caller that carries it (`next` null: takes it off), in bounded
 * steps. A broken run leaves each document with either the old tag or the new one; another run goes on.
 */
export async function retagDocuments(ctx: Ctx, tag: string, next: string | null): Promise<void> {
  for (;;) {
    const rows = await ctx.db
      .select(visible)
      .from(documents)
      .where(and(living(ctx), hasTag(ctx, tag)))
      .limit(RETAGGED_AT_ONCE);
    if (rows.length === 0) return;
    await Promise.all(rows.map((row) => retag(ctx, row, tag, next)));
  }
}

async function retag(ctx: Ctx, row: Row, tag: string, next: string | null): Promise<void> {
  const replaced = row.tags.map((name) => (name === tag ? next : name)).filter((name) => name !== null);
  const tags = [...new Set(replaced)];
  const changed = { ...row, tags, version: row.version + 1, updated_at: ctx.now.toISOString() };
  await replaceVersion(ctx, changed, row.version, { source_type: "api" });
}
