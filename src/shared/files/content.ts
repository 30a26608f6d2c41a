import type { Document } from "../../contract/document.ts";
import { omit } from "../../contract/omit.ts";
import { isMarkdown } from "../markdown/content-text.ts";

// A document's content in the form in which people read and edit it: text, or the JSON of its fields.

type Content = Document["content"];

/** `markdown` and `text` are the `text` of the content; `json` is the whole content. */
export type ContentKind = "markdown" | "text" | "json";

export type EditableContent = { kind: ContentKind; text: string };

export type FieldValues = Record<string, unknown>;

export const isObject = (value: unknown): value is FieldValues =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value is the mark by which an import recognizes its documents: digests as numbers. */
const isImportMark = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.origin === "number" &&
  Object.values(value).every((digest) => typeof digest === "number");

/** Splits a content into the mark of an import and the person's own fields. */
export function splitImportMark(content: Content): { mark: FieldValues; own: FieldValues } {
  const { imported, ...own } = content ?? {};
  return isImportMark(imported) ? { mark: { imported }, own } : { mark: {}, own: content ?? {} };
}

/** The part of a content to show and edit. An empty content is an empty Markdown text. */
export function editableContent(content: Content): EditableContent {
  if (content === undefined) return { kind: "markdown", text: "" };
  const { text } = content;
  if (typeof text !== "string")
    return { kind: "json", text: JSON.stringify(splitImportMark(content).own, null, 2) };
  return { kind: isMarkdown(content) ? "markdown" : "text", text };
}

export function frontMatterProperties(content: Content): FieldValues {
  const { front_matter } = content ?? {};
  return isObject(front_matter) && typeof content?.text === "string" ? front_matter : {};
}

/** The other fields of a content, without text, front matter and the mark of an import. */
export function extraFields(content: Content): FieldValues {
  const { own } = splitImportMark(content);
  const { text, front_matter, ...others } = omit(own, "format", "front_matter_source");
  if (typeof text !== "string") return own;
  return front_matter === undefined || isObject(front_matter) ? others : { front_matter, ...others };
}
