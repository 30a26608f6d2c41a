import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { memories } from "../../platform/db/tables.ts";
import { isDailyNote } from "../../shared/import/obsidian.ts";
import { searchableText } from "../../shared/markdown/content-text.ts";
import type { TidySubject } from "../../shared/tidy/fingerprint.ts";
import { folderPathSql } from "../documents/folder-path.ts";

// Reads the records and documents of an account in pieces, newest first. Closed and trashed ones and earlier versions are only
// searched for secrets.

/** Maximum number of open records, of documents, and of versions of either, to limit the cost of a look. */
export const MAX_OPEN_ITEMS = 20_000;
/** Maximum number including closed and trashed ones. */
export const MAX_READ_ITEMS = 5 * MAX_OPEN_ITEMS;

/** Limits of a piece, except that a single text may be larger. */
const PIECE_ROWS = 1000;
const PIECE_BYTES = 1_000_000;

/** Sizes of the texts in bytes, which show whether an item changed since the look. */
export const RECORD_SIZE = sql.raw("octet_length(topic) + octet_length(content)");
export const DOCUMENT_SIZE = sql.raw("octet_length(title) + coalesce(octet_length(content), 0)");

export type ItemPlace = "open" | "closed" | "trash";
export const RECORD_PLACE = sql.raw(
  `iif(trashed_at IS NOT NULL, 'trash', iif(status IN ('active', 'deferred'), 'open', 'closed'))`,
);
export const DOCUMENT_PLACE = sql.raw("iif(trashed_at IS NULL, 'open', 'trash')");

/** An item with its size as computed by the database. */
export type ReadItem = { thing: TidySubject; size: number; place: ItemPlace };

/** An earlier version of an item. */
export type ReadVersion = Pick<TidySubject, "type" | "id" | "title" | "text"> & { version: number };

/** LIMIT clause for the ordered rows that fit into a piece, at least one. Callers must filter rows afterwards. */
const limitToPiece = (sizes: SQL, most: number) => sql`LIMIT max(1, (SELECT count(*) FROM (
  SELECT sum(size) OVER (ROWS UNBOUNDED PRECEDING) AS sum FROM (${sizes} LIMIT ${Math.min(PIECE_ROWS, most)}))
  WHERE sum <= ${PIECE_BYTES}))`;

type MemoryColumns = Pick<
  typeof memories.$inferSelect,
  "id" | "topic" | "content" | "supersedes_id" | "series_id" | "created_at" | "updated_at"
>;
type RecordRow = MemoryColumns &
  Pick<TidySubject, "memory_type" | "project" | "due_date" | "document_id"> &
  Pick<ReadItem, "size" | "place">;

const optionalId = (number: number | null) => (number === null ? null : String(number));

/** Statement for the records before a number, newest first: one piece, at most `most`. */
export function recordsStatement(ctx: Ctx, before: number, most: number) {
  const from = sql`FROM memories WHERE owner = ${ctx.owner} AND id < ${before} ORDER BY id DESC`;
  return ctx.db.all<RecordRow>(sql`
    SELECT id, memory_type, topic, content, project, due_date, document_id, supersedes_id, series_id, created_at, updated_at,
      ${RECORD_SIZE} AS size, ${RECORD_PLACE} AS place ${from} ${limitToPiece(sql`SELECT ${RECORD_SIZE} AS size ${from}`, most)}`);
}

export const readRecordRows = (rows: readonly RecordRow[]): ReadItem[] =>
  rows.map(
    ({ id, topic, content, supersedes_id, series_id, created_at, updated_at, size, place, ...kept }) => ({
      thing: {
        type: "memory",
        id: String(id),
        title: topic,
        text: content,
        at: created_at,
        changed: updated_at,
        supersedes: optionalId(supersedes_id),
        series: optionalId(series_id),
        is_linked: null,
        ...kept,
      },
      size,
      place,
    }),
  );

type DocumentRow = Pick<ReadItem, "size" | "place"> & {
  id: string;
  title: string;
  content: string | null;
  created_at: string;
  changed_at: string;
  is_pinned: number;
  has_links: number | null;
  path: string;
};

const textOfContent = (content: string | null): string =>
  searchableText(content === null ? null : (JSON.parse(content) as Record<string, unknown>));

/** A pinned document counts as used, however old it is. */
const IS_PINNED = sql.raw("EXISTS (SELECT 1 FROM json_each(tags) WHERE lower(value) = 'pinned')");

/**
 * Whether a document has links to or from another document outside the trash, in SQL; null while links are missing in the
 * account. A link to a document that does not exist yet counts.
 */
export const hasLinks = (documents: string) =>
  sql.raw(`CASE WHEN EXISTS (SELECT 1 FROM users WHERE number = ${documents}.owner
      AND (links_after IS NOT NULL OR has_unread_properties IS NOT NULL)) THEN NULL
    ELSE EXISTS (SELECT 1 FROM document_links AS l WHERE l.owner = ${documents}.owner AND l.from_id = ${documents}.id
        AND l.to_id IS NOT ${documents}.id)
      OR EXISTS (SELECT 1 FROM document_links AS l INDEXED BY document_links_to_idx
        CROSS JOIN documents AS linking ON linking.id = l.from_id AND linking.owner = l.owner AND linking.trashed_at IS NULL
        WHERE l.owner = ${documents}.owner AND l.to_id = ${documents}.id AND l.from_id <> ${documents}.id) END`);

/** Top-level folders, in any case, whose documents need no links: the app's, and what is not filed yet. */
const APART = /^(?:daily|inbox|templates)(?:\/|$)/i;

const isLinked = ({ title, has_links, path }: Pick<DocumentRow, "title" | "has_links" | "path">) =>
  has_links === null || APART.test(path) || isDailyNote(title) ? null : has_links === 1;

/** Statement for the documents before an id, newest first: one piece, at most `most`. */
export function documentsStatement(ctx: Ctx, before: string, most: number) {
  const from = sql`FROM documents INDEXED BY documents_owner_id_idx
    WHERE owner = ${ctx.owner} AND id < ${before} ORDER BY id DESC`;
  return ctx.db.all<DocumentRow>(sql`
    SELECT id, title, content, created_at, changed_at, ${IS_PINNED} AS is_pinned, ${hasLinks("documents")} AS has_links,
      coalesce(${sql.raw(folderPathSql("documents"))}, '') AS path,
      ${DOCUMENT_SIZE} AS size, ${DOCUMENT_PLACE} AS place
    ${from} ${limitToPiece(sql`SELECT ${DOCUMENT_SIZE} AS size ${from}`, most)}`);
}

export const readDocumentRows = (rows: readonly DocumentRow[]): ReadItem[] =>
  rows.map(({ id, title, content, created_at, changed_at, is_pinned, has_links, path, size, place }) => ({
    thing: {
      type: "document",
      id,
      title,
      text: textOfContent(content),
      at: created_at,
      changed: is_pinned ? null : changed_at,
      memory_type: null,
      project: null,
      due_date: null,
      supersedes: null,
      series: null,
      document_id: null,
      is_linked: isLinked({ title, has_links, path }),
    },
    size,
    place,
  }));

type StateRow = { memory_id: number; event: number; version: number | null; topic: string; content: string };

/** Statement for the events of records before an event. Only some contain a state, but no index covers only those. */
export function statesStatement(ctx: Ctx, [memory, event]: readonly [number, number], most: number) {
  const from = sql`FROM memory_events WHERE owner = ${ctx.owner} AND (memory_id, id) < (${memory}, ${event})
    ORDER BY memory_id DESC, id DESC`;
  return ctx.db.all<StateRow>(sql`
    SELECT memory_id, id AS event, state ->> '$.version' AS version, state ->> '$.topic' AS topic, state ->> '$.content' AS content
    ${from} ${limitToPiece(sql`SELECT coalesce(octet_length(state), 0) AS size ${from}`, most)}`);
}

export const readStateRows = (rows: readonly StateRow[]): ReadVersion[] =>
  rows.flatMap(({ memory_id, version, topic, content }) =>
    version === null ? [] : [{ type: "memory", id: String(memory_id), title: topic, text: content, version }],
  );

type VersionRow = { document_id: string; version: number; title: string; content: string | null };

/** Statement for the versions of documents before a version, newest first. */
export function versionsStatement(ctx: Ctx, [document, version]: readonly [string, number], most: number) {
  const from = sql`FROM documents AS d INDEXED BY documents_owner_id_idx CROSS JOIN document_versions AS v
      ON v.document_id = d.id AND (d.id < ${document} OR v.version < ${version})
    WHERE d.owner = ${ctx.owner} AND d.id <= ${document} ORDER BY d.id DESC, v.version DESC`;
  const size = sql.raw("octet_length(v.title) + coalesce(octet_length(v.content), 0)");
  return ctx.db.all<VersionRow>(sql`SELECT v.document_id, v.version, v.title, v.content
    ${from} ${limitToPiece(sql`SELECT ${size} AS size ${from}`, most)}`);
}

export const readVersionRows = (rows: readonly VersionRow[]): ReadVersion[] =>
  rows.map(({ document_id, version, title, content }) => ({
    type: "document",
    id: document_id,
    title,
    text: textOfContent(content),
    version,
  }));

/** Statement for the numbers of open records and documents, taken from counters. */
export const countStatement = (ctx: Ctx) =>
  ctx.db.all<{ records: number; documents: number }>(sql`
    SELECT coalesce((SELECT sum(active + deferred) FROM memory_totals WHERE owner = ${ctx.owner} AND project = ''), 0) AS records,
      coalesce((SELECT documents FROM usage WHERE owner = ${ctx.owner}), 0) AS documents`);

/** The number of open records and documents that a look reads. */
export async function countOpen(ctx: Ctx): Promise<number> {
  const [{ records, documents } = { records: 0, documents: 0 }] = await countStatement(ctx);
  return Math.min(records, MAX_OPEN_ITEMS) + Math.min(documents, MAX_OPEN_ITEMS);
}
