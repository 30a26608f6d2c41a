import type { Document } from "../api.ts";

// A document's content as something that is read and written: text, or the JSON of its fields.

type Content = Document["content"];

/** `markdown` and `text` are the content's own text, `json` is all of the content. */
export type Kind = "markdown" | "text" | "json";

export type Writing = { kind: Kind; text: string };

const isMarkdown = (format: unknown) => format === undefined || format === "markdown";

/** What to show and edit of a content. One that is empty is the beginning of a text. */
export function writingOf(content: Content): Writing {
  if (content === undefined) return { kind: "markdown", text: "" };
  const { format, text } = content;
  if (typeof text !== "string") return { kind: "json", text: JSON.stringify(content, null, 2) };
  return { kind: isMarkdown(format) ? "markdown" : "text", text };
}

/** The fields of a content beside its text. */
export function otherFields(content: Content): Record<string, unknown> {
  const { format: _, text, ...others } = content ?? {};
  return typeof text === "string" ? others : (content ?? {});
}

function objectOf(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new SyntaxError("it must be an object in braces");
}

/** The content with this writing in it. Throws SyntaxError for JSON that is not an object. */
export function contentWith(content: Content, { kind, text }: Writing): Record<string, unknown> {
  if (kind === "json") return objectOf(text);
  return { ...(content ?? { format: "markdown" }), text };
}

/** Whether two states of a document have the same title and content; tags and folder do not matter. */
export const sameWriting = (one: Document, other: Document): boolean =>
  one.title === other.title && JSON.stringify(one.content) === JSON.stringify(other.content);
