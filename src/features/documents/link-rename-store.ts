import { sql } from "drizzle-orm";
import type { DocumentRow } from "../../contract/document.ts";
import { editSessionNumber } from "../../platform/activity/edit-session-store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { markdownBody } from "../../shared/markdown/content-text.ts";
import { linkKey } from "../../shared/markdown/note-links.ts";
import { withRenamedLinks } from "../../shared/markdown/rename-links.ts";
import { nextDocumentState } from "./document-state.ts";
import { documentColumns } from "./row-store.ts";
import type { DocumentWriter, VersionChange } from "./statement-store.ts";

// A document that gets another title also gets it in the texts that link to it, in the same transaction.

/** With more documents, or more text, only the rows lead there. */
const MAX_DOCUMENTS = 50;
const MAX_BYTES = 1024 * 1024;

export type LinkingDocument = DocumentRow & { link_keys: string; begun: number | null };

/** The documents whose texts link to one that gets a title; none if they are too many or too long, or it has the title. */
export function linkingDocumentsStatement(
  ctx: Ctx,
  { id, title }: { id: string; title: string },
  writer: DocumentWriter,
) {
  const columns = sql.raw(
    Object.keys(documentColumns)
      .map((name) => `d.${name}`)
      .join(", "),
  );
  return ctx.db.all<Record<keyof LinkingDocument, string>>(sql`
    WITH linking(id, link_keys) AS MATERIALIZED (
      SELECT from_id, json_group_array(target_key) FROM document_links INDEXED BY document_links_to_idx
      WHERE owner = ${ctx.owner} AND to_id = ${id} AND from_id <> ${id}
        AND EXISTS (SELECT 1 FROM documents WHERE id = ${id} AND owner = ${ctx.owner} AND title <> ${title})
      GROUP BY from_id LIMIT ${MAX_DOCUMENTS + 1})
    SELECT ${columns}, linking.link_keys, ${editSessionNumber(ctx, writer)} AS begun
    FROM linking CROSS JOIN documents AS d ON d.id = linking.id AND d.owner = ${ctx.owner} AND d.trashed_at IS NULL
    WHERE (SELECT count(*) FROM linking) <= ${MAX_DOCUMENTS}
      AND (SELECT total(octet_length(s.content)) FROM linking AS l CROSS JOIN documents AS s ON s.id = l.id) <= ${MAX_BYTES}`);
}

export type LinkingRow = Awaited<ReturnType<typeof linkingDocumentsStatement>>[number];

const parsed = (row: LinkingRow): LinkingDocument => ({
  ...(row as unknown as LinkingDocument),
  content: JSON.parse(row.content ?? "null"),
  tags: JSON.parse(row.tags),
});

type LinkingChange = VersionChange & { begun?: number | undefined; keys: string[] };

/** The changes of the texts that link to a document by its earlier title. */
export function renamedLinkChanges(
  { row, next }: VersionChange,
  linking: readonly LinkingRow[],
  now: string,
): LinkingChange[] {
  if (row.title === next.title || linkKey(row.title) === linkKey(next.title)) return [];
  return linking.map(parsed).flatMap(({ link_keys, begun, ...before }) => {
    const keys: string[] = JSON.parse(link_keys);
    const renaming = { from: row.title, to: next.title, keys: new Set(keys) };
    const text = withRenamedLinks(markdownBody(before.content), renaming);
    const after =
      text === undefined
        ? undefined
        : nextDocumentState(before, { content: { ...before.content, text } }, now);
    return after ? [{ row: before, next: after, keys, ...(begun !== null && { begun }) }] : [];
  });
}

/** Leads the links with the new title to the document, though there may be others of that title. */
export const leadRenamedStatement = (
  ctx: Ctx,
  { from, to, title }: { from: string; to: string; title: string },
) =>
  ctx.db.run(sql`UPDATE document_links SET to_id = ${to}
    WHERE owner = ${ctx.owner} AND from_id = ${from} AND name_key = ${linkKey(title)} AND to_id IS NOT ${to}`);
