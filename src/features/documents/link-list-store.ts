import { sql } from "drizzle-orm";
import { z } from "zod";
import type {
  Backlink,
  DocumentLink,
  DocumentLinks,
  DocumentLinksQuery,
} from "../../contract/document-links.ts";
import { Timestamp } from "../../contract/fields.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { assertInBatch } from "../../platform/db/call.ts";
import { cutPage, isAfterCursor, type Keyset } from "../../platform/db/keyset.ts";
import { folderPathSql } from "./folder-path.ts";
import { ownedDocument } from "./row-store.ts";

const KEYSET: Keyset = { name: "backlinks", direction: "desc", key: Timestamp, id: z.uuid() };

type LinkRow = {
  target: string;
  id: string | null;
  title: string;
  folder_id: string | null;
  folder_path: string | null;
  trashed_at: string | null;
};

const toLink = ({ target, id, trashed_at, ...place }: LinkRow): DocumentLink => ({
  target,
  document: id === null ? null : { id, ...place, ...(trashed_at !== null && { trashed_at }) },
});

/** The targets of a document, in order. */
const linksStatement = (ctx: Ctx, id: string) =>
  ctx.db.all<LinkRow>(sql`
    SELECT l.target, d.id, d.title, d.folder_id, d.trashed_at, ${sql.raw(folderPathSql("d"))} AS folder_path
    FROM document_links AS l LEFT JOIN documents AS d ON d.id = l.to_id AND d.owner = l.owner
    WHERE l.owner = ${ctx.owner} AND l.from_id = ${id} ORDER BY l.place`);

/** The documents outside the trash that link to one, besides itself, in SQL. */
const backlinks = (ctx: Ctx, id: string) => sql`document_links AS l INDEXED BY document_links_to_idx
  CROSS JOIN documents AS d ON d.id = l.from_id AND d.owner = l.owner
  WHERE l.owner = ${ctx.owner} AND l.to_id = ${id} AND l.from_id <> ${id} AND d.trashed_at IS NULL`;

/** A document may link to another one by several names. */
const backlinksStatement = (ctx: Ctx, id: string, { limit, cursor }: DocumentLinksQuery) => {
  const after = isAfterCursor(KEYSET, { cursor, offset: 0 }, { key: sql`d.changed_at`, id: sql`d.id` });
  return ctx.db.all<Backlink>(sql`
    SELECT d.id, d.title, d.folder_id, d.changed_at, ${sql.raw(folderPathSql("d"))} AS folder_path,
      (SELECT first.context FROM document_links AS first
        WHERE first.owner = l.owner AND first.from_id = l.from_id AND first.to_id = l.to_id ORDER BY first.place LIMIT 1) AS context
    FROM (SELECT DISTINCT l.owner, l.from_id, l.to_id, d.changed_at FROM ${backlinks(ctx, id)} AND ${after ?? sql`TRUE`}
        ORDER BY d.changed_at DESC, l.from_id DESC LIMIT ${limit + 1}) AS l
      CROSS JOIN documents AS d ON d.id = l.from_id
    ORDER BY d.changed_at DESC, d.id DESC`);
};

/** Reads the links of a document, on the first page, and a page of its backlinks. Throws 422 for the cursor. */
export const linkListStatements = (ctx: Ctx, id: string, query: DocumentLinksQuery) =>
  [
    backlinksStatement(ctx, id, query),
    ctx.db.all<{ total: number }>(sql`SELECT count(DISTINCT l.from_id) AS total FROM ${backlinks(ctx, id)}`),
    query.cursor === undefined ? linksStatement(ctx, id) : ctx.db.all<LinkRow>(sql`SELECT NULL WHERE FALSE`),
  ] as const;

export type LinkListRows = readonly [found: Backlink[], counts: { total: number }[], links: LinkRow[]];

export function toLinkList([found, [count], links]: LinkListRows, query: DocumentLinksQuery): DocumentLinks {
  const { rows, ...next } = cutPage(KEYSET, query, { rows: found, keyOf: ({ changed_at }) => changed_at });
  return { links: links.map(toLink), backlinks: rows, backlink_count: count?.total ?? 0, ...next };
}

/** The links of a document, on the first page, and a page of those that link to it. Throws 404, or 422 for the cursor. */
export async function listLinks(ctx: Ctx, id: string, query: DocumentLinksQuery): Promise<DocumentLinks> {
  const isThere = sql`EXISTS (SELECT 1 FROM documents WHERE ${ownedDocument(ctx, id)})`;
  const [found, counts, links] = await ctx.db.batch([
    ...linkListStatements(ctx, id, query),
    assertInBatch(ctx, isThere, "not-found"),
  ] as const);
  return toLinkList([found, counts, links], query);
}

/** How many links and backlinks tools list. */
export const MAX_NEIGHBOURS = 10;

type Neighbour = { id: string; title: string };
export type Neighbours = {
  links: Neighbour[];
  missing: string[];
  link_count: number;
  backlinks: Neighbour[];
  backlink_count: number;
};

/** Counts stop here: a document has at most 1,000 links. */
const MAX_COUNTED = 1000;

const listed = (rows: string) =>
  `(SELECT json_group_array(json_object('id', id, 'title', title)) FROM (${rows} LIMIT ${MAX_NEIGHBOURS}))`;

const FORWARD = `FROM document_links AS l CROSS JOIN documents AS d ON d.id = l.to_id AND d.owner = l.owner
  WHERE l.owner = documents.owner AND l.from_id = documents.id`;
const BACKWARD = `FROM document_links AS l INDEXED BY document_links_to_idx
  CROSS JOIN documents AS d ON d.id = l.from_id AND d.owner = l.owner
  WHERE l.owner = documents.owner AND l.to_id = documents.id AND l.from_id <> documents.id AND d.trashed_at IS NULL`;

/** A document's links and backlinks for tools, in SQL, as JSON. */
export const NEIGHBOURS_OF_DOCUMENT = sql<string>`${sql.raw(`json_object(
  'links', ${listed(`SELECT d.id, d.title ${FORWARD} GROUP BY d.id ORDER BY min(l.place)`)},
  'link_count', (SELECT count(DISTINCT d.id) ${FORWARD}),
  'missing', (SELECT json_group_array(target) FROM (SELECT l.target FROM document_links AS l
    WHERE l.owner = documents.owner AND l.from_id = documents.id
      AND NOT EXISTS (SELECT 1 FROM documents AS d WHERE d.id = l.to_id AND d.owner = l.owner)
    ORDER BY l.place LIMIT ${MAX_NEIGHBOURS})),
  'backlinks', ${listed(`SELECT DISTINCT d.id, d.title ${BACKWARD}`)},
  'backlink_count', (SELECT count(*) FROM (SELECT DISTINCT l.from_id ${BACKWARD} LIMIT ${MAX_COUNTED})))`)}`;

export function parseNeighbours(json: string): Neighbours {
  const { links, missing, backlinks, ...counts } = JSON.parse(json);
  const parsed = (list: unknown) => (typeof list === "string" ? JSON.parse(list) : list);
  return { ...counts, links: parsed(links), missing: parsed(missing), backlinks: parsed(backlinks) };
}
