/**
 * The searchable text: every string leaf in order, one per line; of prose (`format`, `text`) without the format, and without
 * the front matter as it was written, of which the values are there.
 */
export function contentText(content: Record<string, unknown> | null): string {
  const lines: string[] = [];
  const collect = (value: unknown) => {
    if (typeof value === "string") lines.push(value);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
  };
  const { format: _, front_matter_source: _source, ...rest } = content ?? {};
  collect(typeof rest.text === "string" ? rest : content);
  return lines.join("\n");
}

/** A document's content as readable text: prose as it is, any other object as JSON. */
export function documentProse(content: Record<string, unknown> | null): string {
  if (content === null) return "";
  return typeof content.text === "string" ? content.text : JSON.stringify(content, null, 2);
}

export const textOf = (content: Record<string, unknown> | null | undefined): string =>
  typeof content?.text === "string" ? content.text : "";

/** Whether a content's text is Markdown: unless it says that it is something else. */
export const isMarkdown = ({ format }: Record<string, unknown>): boolean =>
  format === undefined || format === "markdown";

/** The Markdown of a content, which is empty if that has none. */
export const markdownOf = (content: Record<string, unknown> | null | undefined): string =>
  content && isMarkdown(content) ? textOf(content) : "";
