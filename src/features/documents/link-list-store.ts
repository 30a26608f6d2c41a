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
  folder_path: string | null;
  trashed_at: string | null;
};

const toLink = ({ target, id, title, folder_path, trashed_at }: LinkRow): DocumentLink => ({
  target,
  document: id === null ? null : { id, title, folder_path, ...(trashed_at !== null && { trashed_at }) },
});

/** The targets of a document, in order. */
const linksStatement = (ctx: Ctx, id: string) =>
  ctx.db.all<LinkRow>(sql`
    SELECT l.target, d.id, d.title, d.trashed_at, ${sql.raw(folderPathSql("d"))} AS folder_path
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
    SELECT d.id, d.title, d.changed_at, ${sql.raw(folderPathSql("d"))} AS folder_path,
      (SELECT first.context FROM document_links AS first
        WHERE first.owner = l.owner AND first.from_id = l.from_id AND first.to_id = l.to_id ORDER BY first.place LIMIT 1) AS context
    FROM (SELECT DISTINCT l.owner, l.from_id, l.to_id, d.changed_at FROM ${backlinks(ctx, id)} AND ${after ?? sql`TRUE`}
        ORDER BY d.changed_at DESC, l.from_id DESC LIMIT ${limit + 1}) AS l
      CROSS JOIN documents AS d ON d.id = l.from_id
    ORDER BY d.changed_at DESC, d.id DESC`);
};

/** The links of a document, on the first page, and a page of those that link to it. Throws 404, or 422 for the cursor. */
export async function listLinks(ctx: Ctx, id: string, query: DocumentLinksQuery): Promise<DocumentLinks> {
  const [found, [count], links] = await ctx.db.batch([
    backlinksStatement(ctx, id, query),
    ctx.db.all<{ total: number }>(sql`SELECT count(DISTINCT l.from_id) AS total FROM ${backlinks(ctx, id)}`),
    ...(query.cursor === undefined
      ? [linksStatement(ctx, id)]
      : [ctx.db.all<LinkRow>(sql`SELECT NULL WHERE FALSE`)]),
    assertInBatch(ctx, sql`EXISTS (SELECT 1 FROM documents WHERE ${ownedDocument(ctx, id)})`, "not-found"),
  ] as const);
  const { rows, ...next } = cutPage(KEYSET, query, { rows: found, keyOf: ({ changed_at }) => changed_at });
  return {
    links: (links as LinkRow[]).map(toLink),
    backlinks: rows,
    backlink_count: count?.total ?? 0,
    ...next,
  };
}
