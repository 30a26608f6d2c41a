import type { DocumentRow } from "../../contract/document.ts";
import { nameKey, normalizeName } from "../../contract/name-key.ts";
import { aliasesIn } from "../../shared/files/aliases.ts";
import { extraFields, frontMatterProperties, isObject, splitImportMark } from "../../shared/files/content.ts";
import { nameDigest } from "../../shared/import/imported.ts";

/** Further aliases of a document are not followed. */
const MAX_ALIASES = 100;
/** The key of the file name that a link to a note has. */
export const fileKey = (name: string): number => nameDigest(`${name}.md`);

/** The file from which a document was imported, if it is not called like the document. */
export function ownFileKey({ title, content }: Pick<DocumentRow, "title" | "content">): number | undefined {
  const { imported } = splitImportMark(content ?? undefined).mark;
  const name = isObject(imported) ? imported.name : undefined;
  return typeof name === "number" && name !== fileKey(title) ? name : undefined;
}

/** The keys of a document's other names, in `aliases` of its front matter or content. */
export function aliasKeys(content: DocumentRow["content"]): string[] {
  if (content === null) return [];
  const names = aliasesIn({ ...extraFields(content), ...frontMatterProperties(content) });
  const keys = names.map((name) => nameKey(normalizeName(name))).filter(Boolean);
  return [...new Set(keys)].slice(0, MAX_ALIASES);
}

/** What the table of aliases has of a document: its other names, and the file from which it was imported. */
export function aliasRows(document: Pick<DocumentRow, "title" | "content">): string[] {
  const file = ownFileKey(document);
  return [...aliasKeys(document.content), ...(file === undefined ? [] : [`file:${file}`])];
}
