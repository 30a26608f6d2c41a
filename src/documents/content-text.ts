/**
 * The searchable text of a document's content: every string leaf in the order in which it was written, a line
 * each. Of prose (`{"format": "markdown", "text": "…"}`) the name of its format is not text.
 */
export function contentText(content: Record<string, unknown> | null): string {
  const lines: string[] = [];
  const collect = (value: unknown) => {
    if (typeof value === "string") lines.push(value);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
  };
  const { format, ...rest } = content ?? {};
  collect(typeof rest.text === "string" ? rest : content);
  return lines.join("\n");
}

/** A document's content as text to read: prose as it was written, any other object as JSON. */
export function documentProse(content: Record<string, unknown> | null): string {
  if (content === null) return "";
  return typeof content.text === "string" ? content.text : JSON.stringify(content, null, 2);
}
