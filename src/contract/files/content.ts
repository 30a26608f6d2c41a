import type { Document } from "../document.ts";
import { isMarkdown } from "../markdown/content-text.ts";

// A document's content as something that is read and written: text, or the JSON of its fields.

type Content = Document["content"];

/** `markdown` and `text` are the content's own text, `json` is all of the content. */
export type Kind = "markdown" | "text" | "json";

export type Writing = { kind: Kind; text: string };

export type Fields = Record<string, unknown>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether this is the mark by which an import recognizes its documents: digests, as numbers. */
const isMark = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.origin === "number" &&
  Object.values(value).every((digest) => typeof digest === "number");

/** The mark of an import in a content, and the rest of it, which is the person's own. */
export function divided(content: Content): { mark: Fields; own: Fields } {
  const { imported, ...own } = content ?? {};
  return isMark(imported) ? { mark: { imported }, own } : { mark: {}, own: content ?? {} };
}

/** What to show and edit of a content. One that is empty is the beginning of a text. */
export function writingOf(content: Content): Writing {
  if (content === undefined) return { kind: "markdown", text: "" };
  const { text } = content;
  if (typeof text !== "string") return { kind: "json", text: JSON.stringify(divided(content).own, null, 2) };
  return { kind: isMarkdown(content) ? "markdown" : "text", text };
}

/** What a person wrote about a text in front of it: the front matter of an imported note. */
export function propertiesOf(content: Content): Fields {
  const { front_matter } = content ?? {};
  return isObject(front_matter) && typeof content?.text === "string" ? front_matter : {};
}

/** The fields of a content beside its text and its properties. What an import notes for itself is none of them. */
export function otherFields(content: Content): Fields {
  const { own } = divided(content);
  const { format: _, text, front_matter, front_matter_source: _source, ...others } = own;
  if (typeof text !== "string") return own;
  return front_matter === undefined || isObject(front_matter) ? others : { front_matter, ...others };
}
