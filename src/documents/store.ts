import { and, asc, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { Ctx } from "../core/ctx.ts";
import { notFound, preconditionFailed, unavailable } from "../core/errors.ts";
import { allowsChange } from "../core/etag.ts";
import { type Idempotency, onceStatements, storedAnswer } from "../core/idempotency.ts";
import { documents } from "../db/tables.ts";
import { countEntries, indexStatements, unindexStatement } from "../search/store.ts";
import { contentText } from "./content-text.ts";
import type {
  Document,
  DocumentCreateRequest,
  DocumentList,
  DocumentListQuery,
  DocumentUpdateRequest,
  SourceType,
} from "./schema.ts";

/** How often an update without If-Match starts again because another one came first. */
const MAX_ATTEMPTS = 100;

const listed = {
  id: documents.id,
  title: documents.title,
  tags: documents.tags,
  source_type: documents.source_type,
  folder_id: documents.folder_id,
  version: documents.version,
  created_at: documents.created_at,
  updated_at: documents.updated_at,
};
const visible = { ...listed, content: documents.content };

type Row = Omit<Document, "content"> & { content: Record<string, unknown> | null };

const present = ({ content, ...row }: Row): Document => (content ? { ...row, content } : row);

const own = (ctx: Ctx, id: string) => and(eq(documents.id, id), eq(documents.owner, ctx.user.number));

/** True in SQL when the folder is the caller's, or when there is none. */
const folderIsMine = (ctx: Ctx, folderId: string | null | undefined) =>
  folderId
    ? sql`EXISTS (SELECT 1 FROM folders WHERE id = ${folderId} AND owner = ${ctx.user.number})`
    : sql`true`;

/** The statements that write a document's tags and search entry, where `when` holds. */
async function detailStatements(ctx: Ctx, document: Row, when: SQL) {
  const { id, title, tags, content } = document;
  const text = contentText(content);
  return [
    ctx.db.run(sql`DELETE FROM document_tags WHERE document_id = ${id} AND ${when}`),
    ctx.db.run(sql`INSERT INTO document_tags (owner, tag, document_id)
      SELECT ${ctx.user.number}, value, ${id} FROM json_each(${JSON.stringify(tags)}) WHERE ${when}`),
    ...indexStatements(ctx, { kind: "document", record: id, title, tags, text }, when),
  ] as const;
}

/**
 * Creates a document. With `once`, a repetition of the same request answers what the first one did.
 * Throws 404 for a folder that is not the caller's, 422 for a key that was used for another body.
 */
export async function createDocument(
  ctx: Ctx,
  input: DocumentCreateRequest,
  source: { source_type: SourceType; once?: Idempotency | undefined },
): Promise<Document> {
  const now = ctx.now.toISOString();
  const row: Row = {
    id: uuid(),
    title: input.title,
    tags: input.tags ?? [],
    source_type: source.source_type,
    folder_id: input.folder_id ?? null,
    version: 1,
    created_at: now,
    updated_at: now,
    content: input.content ?? null,
  };
  const allowed = folderIsMine(ctx, row.folder_id);
  const once = source.once && onceStatements(ctx, source.once, JSON.stringify(present(row)), allowed);
  const insert = ctx.db.all(sql`
    INSERT INTO documents (id, owner, title, content, tags, folder_id, source_type, version, created_at, updated_at)
    SELECT ${row.id}, ${ctx.user.number}, ${row.title}, ${row.content && JSON.stringify(row.content)},
      ${JSON.stringify(row.tags)}, ${row.folder_id}, ${row.source_type}, 1, ${now}, ${now}
    WHERE ${allowed} AND ${once?.mine ?? sql`true`} RETURNING id`);
  const exists = sql`EXISTS (SELECT 1 FROM documents WHERE id = ${row.id})`;
  const write = [insert, ...(await detailStatements(ctx, row, exists))] as const;
  if (!source.once || !once) {
    const [inserted] = await ctx.db.batch(write);
    if (inserted.length === 0) throw notFound();
    return present(row);
  }
  const [, [stored]] = await ctx.db.batch([once.claim, once.stored, ...write]);
  const answer = storedAnswer(source.once, stored);
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

/** Reads a document and whether the folder that it shall move to exists. Throws 404, or 412 where If-Match says so. */
async function readForUpdate(
  ctx: Ctx,
  id: string,
  change: DocumentUpdateRequest,
  ifMatch?: string,
): Promise<Row> {
  const [[row], [folder]] = await ctx.db.batch([
    ctx.db.select(visible).from(documents).where(own(ctx, id)),
    ctx.db.all<{ mine: number }>(sql`SELECT ${folderIsMine(ctx, change.folder_id)} AS mine`),
  ]);
  if (!row) throw notFound();
  if (!allowsChange(ifMatch, row.version)) throw preconditionFailed();
  if (!folder?.mine) throw notFound();
  return row;
}

/** Writes the next state if the document still has the version that it was made from; says whether it had. */
async function replaceVersion(ctx: Ctx, next: Row, version: number): Promise<boolean> {
  const when = sql`EXISTS (SELECT 1 FROM documents
    WHERE id = ${next.id} AND owner = ${ctx.user.number} AND version = ${version})
    AND ${folderIsMine(ctx, next.folder_id)}`;
  const update = ctx.db.all(sql`
    UPDATE documents SET title = ${next.title}, content = ${next.content && JSON.stringify(next.content)},
      tags = ${JSON.stringify(next.tags)}, folder_id = ${next.folder_id},
      version = ${next.version}, updated_at = ${next.updated_at}
    WHERE id = ${next.id} AND ${when} RETURNING id`);
  // The version moves last: until then every statement of the transaction sees the old one.
  const [, , , , updated] = await ctx.db.batch([...(await detailStatements(ctx, next, when)), update]);
  return updated.length === 1;
}

/**
 * Changes the given fields of a document; omitted ones stay. A change of nothing keeps the version.
 * Throws 404 for a document or folder that is not the caller's, 412 when `ifMatch` names another version.
 */
export async function updateDocument(
  ctx: Ctx,
  id: string,
  change: DocumentUpdateRequest,
  ifMatch?: string,
): Promise<Document> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const row = await readForUpdate(ctx, id, change, ifMatch);
    const next = { ...row, ...change };
    if (changesNothing(row, next)) return present(row);
    Object.assign(next, { version: row.version + 1, updated_at: ctx.now.toISOString() });
    if (await replaceVersion(ctx, next, row.version)) return present(next);
  }
  throw unavailable("Too many changes of this document at once: try again");
}

/** Deletes a document with its search entry. Throws 404, or 412 when `ifMatch` names another version. */
export async function deleteDocument(ctx: Ctx, id: string, ifMatch?: string): Promise<void> {
  const read = ifMatch === undefined ? undefined : await readForUpdate(ctx, id, {}, ifMatch);
  const current = read ? sql`version = ${read.version}` : sql`true`;
  const when = sql`EXISTS (SELECT 1 FROM documents
    WHERE id = ${id} AND owner = ${ctx.user.number} AND ${current})`;
  const [, , deleted] = await ctx.db.batch([
    unindexStatement(ctx, { kind: "document", record: id }, when),
    ctx.db.run(sql`DELETE FROM document_tags WHERE document_id = ${id} AND ${when}`),
    ctx.db.all(
      sql`DELETE FROM documents WHERE id = ${id} AND owner = ${ctx.user.number} AND ${current} RETURNING id`,
    ),
  ]);
  if (deleted.length === 0) throw read ? preconditionFailed() : notFound();
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
  const where = and(eq(documents.owner, ctx.user.number), ...filters);
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
      .where(and(eq(documents.owner, ctx.user.number), hasTag(ctx, tag)))
      .limit(RETAGGED_AT_ONCE);
    if (rows.length === 0) return;
    await Promise.all(rows.map((row) => retag(ctx, row, tag, next)));
  }
}

async function retag(ctx: Ctx, row: Row, tag: string, next: string | null): Promise<void> {
  const replaced = row.tags.map((name) => (name === tag ? next : name)).filter((name) => name !== null);
  const tags = [...new Set(replaced)];
  const changed = { ...row, tags, version: row.version + 1, updated_at: ctx.now.toISOString() };
  await replaceVersion(ctx, changed, row.version);
}
