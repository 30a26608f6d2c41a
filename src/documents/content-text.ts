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
