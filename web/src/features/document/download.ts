import { editableContent } from "../../../../src/shared/files/content.ts";
import { safeFileName } from "../../../../src/shared/files/names.ts";
import type { Document } from "../../api/documents.ts";
import { hasAny, propertiesOf } from "./writing.ts";

/** The text with its front matter: as it was imported, or else as an import reads it. */
async function withFrontMatter(document: Document, text: string): Promise<string> {
  const { title, tags, content } = document;
  const properties = propertiesOf(content);
  if (!hasAny(properties) && content?.front_matter_source === undefined) return text;
  const { withOriginalFrontMatter } = await import("../../../../src/shared/files/original-front-matter.ts");
  const imported = withOriginalFrontMatter(document);
  if (imported) return imported.frontMatter + imported.text;
  const { stringify } = await import("yaml");
  const yaml = stringify({ title, ...(tags.length > 0 && { tags }), ...properties });
  return `---\n${yaml}---\n${text}`;
}

/** Downloads a document: text as Markdown with front matter, other content as JSON. */
export async function downloadDocument(document: Document): Promise<void> {
  const { title, content } = document;
  const { kind, text } = editableContent(content);
  const extension = kind === "json" ? "json" : "md";
  const body = kind === "markdown" ? await withFrontMatter(document, text) : text;
  const type = kind === "json" ? "application/json" : "text/markdown";
  const url = URL.createObjectURL(new Blob([body], { type }));
  const link = Object.assign(window.document.createElement("a"), {
    href: url,
    download: `${safeFileName(title)}.${extension}`,
  });
  link.click();
  URL.revokeObjectURL(url);
}
