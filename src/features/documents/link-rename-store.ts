import { type SQL, sql } from "drizzle-orm";
import type { DocumentRow } from "../../contract/document.ts";
import { editSessionNumber } from "../../platform/activity/edit-session-store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { markdownBody } from "../../shared/markdown/content-text.ts";
import { linkKey, propertyTexts } from "../../shared/markdown/note-links.ts";
import { withRenamedLinks } from "../../shared/markdown/rename-links.ts";
import { nextDocumentState } from "./document-state.ts";
import { linkingProperties } from "./link-bytes.ts";
import { documentColumns } from "./row-store.ts";
import type { DocumentWriter, VersionChange } from "./statement-store.ts";

// A document that gets another title also gets it in the texts that link to it, in the same transaction.

/** With more documents in one request, more of their links, or more text, only the rows lead there. */
const MAX_DOCUMENTS = 50;
const MAX_LINKS = 1000;
const MAX_BYTES = 1024 * 1024;

type LinkingDocument = DocumentRow & { to_id: string; link_keys: string; begun: number | null };

/**
 * The documents whose texts link to one that gets another title; none if they are too many or too long. `titles`: ids and next
 * titles, in SQL.
 */
export function linkingDocumentsStatement(ctx: Ctx, titles: SQL, writer: DocumentWriter) {
  const columns = sql.raw(
    Object.keys(documentColumns)
      .map((name) => `d.${name}`)
      .join(", "),
  );
  return ctx.db.all<Record<keyof LinkingDocument, string>>(sql`
    WITH titles(id, title) AS (${titles}),
      links AS MATERIALIZED (
        SELECT DISTINCT l.from_id, l.to_id, l.target_key FROM titles
          CROSS JOIN documents AS t ON t.id = titles.id AND t.owner = ${ctx.owner} AND t.title <> titles.title
          CROSS JOIN document_links AS l INDEXED BY document_links_to_idx
            ON l.owner = t.owner AND l.to_id = t.id AND l.from_id <> t.id
        LIMIT ${MAX_LINKS + 1}),
      linking AS MATERIALIZED (
        SELECT from_id AS id, to_id, json_group_array(target_key) AS link_keys FROM links GROUP BY to_id, from_id)
    SELECT ${columns}, linking.to_id, linking.link_keys, ${editSessionNumber(ctx, writer)} AS begun
    FROM linking CROSS JOIN documents AS d ON d.id = linking.id AND d.owner = ${ctx.owner} AND d.trashed_at IS NULL
    WHERE (SELECT count(*) FROM links) <= ${MAX_LINKS} AND (SELECT count(*) FROM linking) <= ${MAX_DOCUMENTS}
      AND (SELECT total(octet_length(s.content)) FROM linking AS l CROSS JOIN documents AS s ON s.id = l.id) <= ${MAX_BYTES}`);
}

export type LinkingRow = Awaited<ReturnType<typeof linkingDocumentsStatement>>[number];

const parsed = (row: LinkingRow): LinkingDocument => ({
  ...(row as unknown as LinkingDocument),
  content: JSON.parse(row.content ?? "null"),
  tags: JSON.parse(row.tags),
});

type Titled = Pick<DocumentRow, "id" | "title">;
export type Renaming = { row: Titled; next: Titled };
type LinkingChange = VersionChange & { begun?: number | undefined };

/** A content with a new title in the links of its text and properties; undefined if nothing changes. */
function renamedContent(content: DocumentRow["content"], renaming: Parameters<typeof withRenamedLinks>[1]) {
  const properties = linkingProperties(content);
  const [body, values] = [markdownBody(content), [...propertyTexts(properties)].map(([, text]) => text)];
  const [text, ...renamed] = withRenamedLinks([body, ...values], renaming) ?? [];
  if (text === undefined) return undefined;
  const byValue = new Map(values.map((value, place) => [value, renamed[place]]));
  const rename = (value: unknown) => byValue.get(value as string) ?? value;
  const front_matter = Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(rename) : rename(value),
    ]),
  );
  return { ...content, text, ...(values.length > 0 && { front_matter }) };
}

/** The changes of the texts that link to a document by its earlier title. `latest`: their states, where they change as well. */
export function renamedLinkChanges(
  { row, next }: Renaming,
  linking: readonly LinkingRow[],
  now: string,
  latest: (row: DocumentRow) => DocumentRow | undefined = (one) => one,
): LinkingChange[] {
  if (row.title === next.title || linkKey(row.title) === linkKey(next.title)) return [];
  const ofIt = linking.filter(({ to_id }) => to_id === next.id);
  return ofIt.map(parsed).flatMap(({ to_id: _, link_keys, begun, ...before }) => {
    const from = latest(before);
    if (!from) return [];
    const renaming = { from: row.title, to: next.title, keys: new Set<string>(JSON.parse(link_keys)) };
    const content = renamedContent(from.content, renaming);
    const after = content && nextDocumentState(from, { content }, now);
    return after ? [{ row: before, next: after, ...(begun !== null && { begun }) }] : [];
  });
}

/** Leads the links with the new title to the document, though there may be others of that title. */
export const leadRenamedStatement = (ctx: Ctx, from: string, { id, title }: Titled) =>
  ctx.db.run(sql`UPDATE document_links SET to_id = ${id}
    WHERE owner = ${ctx.owner} AND from_id = ${from} AND name_key = ${linkKey(title)} AND to_id IS NOT ${id}`);
