import { omit } from "../../contract/omit.ts";

/**
 * The searchable text of a content: all its strings in order, one per line. For prose (`format`, `text`), without the format
 * and the source of the front matter, whose values are included.
 */
export function searchableText(content: Record<string, unknown> | null): string {
  const lines: string[] = [];
  const collect = (value: unknown) => {
    if (typeof value === "string") lines.push(value);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
  };
  const rest = omit(content ?? {}, "format", "front_matter_source");
  collect(typeof rest.text === "string" ? rest : content);
  return lines.join("\n");
}

/** A document's content as readable text: prose unchanged, any other object as JSON. */
export function readableContent(content: Record<string, unknown> | null): string {
  if (content === null) return "";
  return typeof content.text === "string" ? content.text : JSON.stringify(content, null, 2);
}

/** The `text` of a content; empty if there is none. */
export const contentBody = (content: Record<string, unknown> | null | undefined): string =>
  typeof content?.text === "string" ? content.text : "";

/** Whether the text of a content is Markdown, which is the default format. */
export const isMarkdown = ({ format }: Record<string, unknown>): boolean =>
  format === undefined || format === "markdown";

/** The Markdown of a content; empty if there is none. */
export const markdownBody = (content: Record<string, unknown> | null | undefined): string =>
  content && isMarkdown(content) ? contentBody(content) : "";
