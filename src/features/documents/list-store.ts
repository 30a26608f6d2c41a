import { and, asc, desc, eq, gte, isNull, lt, sql } from "drizzle-orm";
import {
  type DocumentList,
  type DocumentListItem,
  type DocumentListQuery,
  type DocumentWithPath,
  MAX_LISTED_VALUE,
  Title,
} from "../../contract/document.ts";
import { Timestamp, Uuid } from "../../contract/fields.ts";
import { countEntries } from "../../engine/index.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { readWithDaysAsInstants } from "../../platform/core/days-as-instants.ts";
import { notFound } from "../../platform/core/errors.ts";
import { cutPage, isAfterCursor, type Keyset } from "../../platform/db/keyset.ts";
import { documents } from "../../platform/db/tables.ts";
import { FILES_OF_DOCUMENT, parseAttachedFiles } from "../files/attached.ts";
import { folderPathSql } from "./folder-path.ts";
import { NEIGHBOURS_OF_DOCUMENT, parseNeighbours } from "./link-list-store.ts";
import {
  documentColumns,
  documentListColumns,
  notTrashed,
  ownedDocumentOrTrashed,
  presentDocument,
} from "./row-store.ts";
import { assertOwnFolder } from "./statement-store.ts";
import { countTaggedStatement, hasTags } from "./tag-store.ts";
import { noteOnUncounted, taskListConditions, uncountedStatement } from "./task-count-store.ts";

const isInFolder = (id: string | "none") =>
  id === "none" ? isNull(documents.folder_id) : eq(documents.folder_id, id);

const listFilters = (ctx: Ctx, query: DocumentListQuery) =>
  [
    query.folder_id && isInFolder(query.folder_id),
    query.source_type && eq(documents.source_type, query.source_type),
    query.tasks && sql.raw(taskListConditions[query.tasks]),
    query.created_after && gte(documents.created_at, query.created_after),
    query.created_before && lt(documents.created_at, query.created_before),
    query.updated_after && gte(documents.updated_at, query.updated_after),
    query.updated_before && lt(documents.updated_at, query.updated_before),
    query.changed_after && gte(documents.changed_at, query.changed_after),
    query.changed_before && lt(documents.changed_at, query.changed_before),
    query.tag?.length && hasTags(ctx, query.tag),
  ].filter((filter) => filter !== undefined && filter !== "" && filter !== 0);

const listKeyset = ({ sort, order }: DocumentListQuery): Keyset => ({
  name: `documents ${sort}`,
  direction: order ?? (sort === "title" ? "asc" : "desc"),
  key: sort === "title" ? Title : Timestamp,
  id: Uuid,
});

/** `+` in the order: the indexes of folders and tasks lack other orders, and SQLite would read all documents in that order. */
const needsSort = ({ tasks, folder_id, sort }: DocumentListQuery) =>
  tasks === "any" || ((tasks !== undefined || folder_id !== undefined) && sort !== "changed_at");

function sortKey(query: DocumentListQuery) {
  const column = sql`${sql.raw(needsSort(query) ? "+" : "")}${documents[query.sort]}`;
  return query.sort === "title" ? sql`${column} COLLATE NOCASE` : column;
}

function orderByClauses(query: DocumentListQuery) {
  const direction = listKeyset(query).direction === "asc" ? asc : desc;
  return [direction(sortKey(query)), direction(documents.id)];
}

function contentKeyColumn(key: string) {
  const value = sql`${documents.content} -> ${`$.${key}`}`;
  return sql<string | null>`CASE WHEN length(${value}) <= ${MAX_LISTED_VALUE}
    THEN json_object(${key}, json(${value})) END`;
}

type DerivedColumns = Pick<typeof documents.$inferSelect, "open_tasks" | "done_tasks" | "excerpt">;
type ListRow = Omit<DocumentListItem, "content" | "tasks" | "excerpt"> &
  DerivedColumns & { part?: string | null };

function toListItem({ part, open_tasks, done_tasks, excerpt, ...row }: ListRow): DocumentListItem {
  const tasks = { open: open_tasks ?? 0, done: done_tasks ?? 0 };
  return {
    ...row,
    ...(tasks.open + tasks.done > 0 && { tasks }),
    ...(excerpt !== null && { excerpt }),
    ...(part && { content: JSON.parse(part) }),
  };
}

const { open_tasks, done_tasks, excerpt } = documents;
const columnsForList = ({ content_key }: DocumentListQuery) => ({
  ...documentListColumns,
  open_tasks,
  done_tasks,
  excerpt,
  ...(content_key && { part: contentKeyColumn(content_key) }),
});

function countStatement(ctx: Ctx, query: DocumentListQuery) {
  const filters = listFilters(ctx, query);
  const [tag, ...others] = query.tag ?? [];
  if (filters.length === 0) return countEntries(ctx, "document");
  if (filters.length === 1 && tag !== undefined && others.length === 0) return countTaggedStatement(ctx, tag);
  return ctx.db.all<{ total: number }>(
    sql`SELECT count(*) AS total FROM documents WHERE ${and(notTrashed(ctx), ...filters)}`,
  );
}

type SortableRow = { id: string; title: string; created_at: string; updated_at: string; changed_at: string };

async function readPage<Row extends SortableRow>(
  ctx: Ctx,
  query: DocumentListQuery,
  columns: Record<string, unknown>,
): Promise<{ rows: Row[]; total: number; next_cursor?: string; notes?: string[] }> {
  const where = and(notTrashed(ctx), ...listFilters(ctx, query));
  const keyset = listKeyset(query);
  const after = isAfterCursor(keyset, query, { key: sortKey(query), id: sql`${documents.id}` });
  const [rows, [count], ...others] = await ctx.db.batch([
    ctx.db
      .select(columns as typeof documentListColumns)
      .from(documents)
      .where(and(where, after))
      .orderBy(...orderByClauses(query))
      .limit(query.limit + 1)
      .offset(query.offset),
    countStatement(ctx, query),
    ...(query.tasks ? [uncountedStatement(ctx)] : []),
    ...assertOwnFolder(ctx, query.folder_id === "none" ? null : query.folder_id),
  ]);
  const page = cutPage(keyset, query, { rows: rows as Row[], keyOf: (row) => row[query.sort] });
  const notes = query.tasks ? noteOnUncounted(others[0] as { uncounted: number }[]) : [];
  return { ...page, total: count?.total ?? 0, ...(notes.length > 0 && { notes }) };
}

const SINCE_FIELDS = [
  "created_after",
  "created_before",
  "updated_after",
  "updated_before",
  "changed_after",
  "changed_before",
] as const;

/** The caller's documents without content, or with one key of it. Throws 404 for a folder that is not the caller's. */
export async function listDocuments(ctx: Ctx, query: DocumentListQuery): Promise<DocumentList> {
  const { rows, ...rest } = await readWithDaysAsInstants(ctx, query, SINCE_FIELDS, (requested) =>
    readPage<ListRow>(ctx, requested, columnsForList(requested)),
  );
  return { items: rows.map(toListItem), ...rest };
}

const FOLDER_PATH = sql<string | null>`${sql.raw(folderPathSql())}`;

export const placedDocumentColumns = { ...documentListColumns, folder_path: FOLDER_PATH };

export async function listPlacedDocuments(ctx: Ctx, query: DocumentListQuery) {
  const { rows, total } = await readPage<DocumentWithPath>(ctx, query, placedDocumentColumns);
  return { items: rows, total };
}

/** A document, even from the trash, with its folder's path, its files and links. Throws 404. */
export async function getPlacedDocument(ctx: Ctx, id: string) {
  const [found] = await ctx.db
    .select({
      ...documentColumns,
      folder_path: FOLDER_PATH,
      trashed_at: documents.trashed_at,
      files: FILES_OF_DOCUMENT,
      neighbours: NEIGHBOURS_OF_DOCUMENT,
    })
    .from(documents)
    .where(ownedDocumentOrTrashed(ctx, id));
  if (!found) throw notFound();
  const { folder_path, trashed_at, files, neighbours, ...row } = found;
  return {
    document: presentDocument(row),
    ...{ folder_path, trashed_at },
    files: parseAttachedFiles(files),
    neighbours: parseNeighbours(neighbours),
  };
}
