import { type SQL, sql } from "drizzle-orm";
import type { DocumentRow } from "../../contract/document.ts";
import type { OwnerCtx } from "../../platform/core/ctx.ts";
import { type FieldValues, frontMatterProperties } from "../../shared/files/content.ts";
import { isMarkdown, markdownBody } from "../../shared/markdown/content-text.ts";
import { type LinkTarget, linkTargetsIn } from "../../shared/markdown/note-links.ts";
import { aliasRows } from "./aliases.ts";

type Named = { title: string; content?: DocumentRow["content"] | undefined };

/** What a link or an alias counts towards an account's bytes. Must match the triggers of migration 0081. */
const LINK_BYTES = 200;

const known = new WeakMap<object, LinkTarget[]>();

/** The properties of a content in which links count. */
export const linkingProperties = (content: DocumentRow["content"]): FieldValues =>
  content !== null && isMarkdown(content) ? frontMatterProperties(content) : {};

/**
 * The targets of a content. Found once for each object, because several statements of a write need them; so what they are read
 * from is frozen.
 */
export function targetsOf(content: DocumentRow["content"]): LinkTarget[] {
  if (content === null) return [];
  const found = known.get(content);
  if (found) return found;
  const properties = linkingProperties(content);
  for (const part of [content, properties, ...Object.values(properties)]) Object.freeze(part);
  const targets = linkTargetsIn(markdownBody(content), properties);
  known.set(content, targets);
  return targets;
}

/** The bytes that the links and aliases of a document count. */
export const linkBytes = ({ title, content = null }: Named): number =>
  LINK_BYTES * (targetsOf(content).length + aliasRows({ title, content }).length);

/** SQL: the bytes that the links and aliases of a document (`documents.id`) count now. One in the trash may have none yet. */
export const storedLinkBytes = ({
  owner,
}: Pick<OwnerCtx, "owner">): SQL<number> => sql<number>`${LINK_BYTES} * (
  (SELECT count(*) FROM document_links WHERE owner = ${owner} AND from_id = documents.id)
  + (SELECT count(*) FROM document_aliases WHERE owner = ${owner} AND document_id = documents.id))`;

/** The bytes that a change adds with its links and aliases. */
export function addedLinkBytes(before: Named, after: Named): number {
  if (before.content === after.content && before.title === after.title) return 0;
  const bytes = linkBytes(after);
  return bytes === 0 ? 0 : Math.max(0, bytes - linkBytes(before));
}
