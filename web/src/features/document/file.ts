import { safeName } from "../../../../src/contract/files/names.ts";
import type { Document } from "../../api/documents.ts";
import { propertiesOf, writingOf } from "./writing.ts";

/** A note with its front matter as the import reads it, or as it came; a text without any is only that. */
async function withFrontMatter(document: Document, text: string): Promise<string> {
  const { title, tags, content } = document;
  const properties = propertiesOf(content);
  if (Object.keys(properties).length === 0 && content?.front_matter_source === undefined) return text;
  const { asItCame } = await import("../../../../src/contract/files/as-it-came.ts");
  const came = asItCame(document);
  if (came) return came.head + came.text;
  const { stringify } = await import("yaml");
  const yaml = stringify({ title, ...(tags.length > 0 && { tags }), ...properties });
  return `---\n${yaml}---\n${text}`;
}

/** Downloads a document: its text as Markdown with its front matter, any other content as JSON. */
export async function download(document: Document): Promise<void> {
  const { title, content } = document;
  const { kind, text } = writingOf(content);
  const ending = kind === "json" ? "json" : "md";
  const file = kind === "markdown" ? await withFrontMatter(document, text) : text;
  const type = kind === "json" ? "application/json" : "text/markdown";
  const url = URL.createObjectURL(new Blob([file], { type }));
  const link = Object.assign(window.document.createElement("a"), {
    href: url,
    download: `${safeName(title)}.${ending}`,
  });
  link.click();
  URL.revokeObjectURL(url);
}
