import type { Document } from "../../../../src/contract/document.ts";
import {
  type EditableContent,
  editableContent,
  type FieldValues,
  isObject,
  splitImportMark,
} from "../../../../src/shared/files/content.ts";

export {
  type ContentKind as Kind,
  type EditableContent as Writing,
  extraFields as otherFields,
  frontMatterProperties as propertiesOf,
  splitImportMark as divided,
} from "../../../../src/shared/files/content.ts";

export const hasAny = (fields: FieldValues) => Object.keys(fields).length > 0;

/** The text of a content, with the line ends of the editor, whose offsets would differ otherwise. */
export function writingOf(content: Document["content"]): EditableContent {
  const { kind, text } = editableContent(content);
  return { kind, text: text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text };
}

// Converts an edited text to a document's content.

type Content = Document["content"];

function parseObject(json: string): FieldValues {
  const value: unknown = JSON.parse(json);
  if (isObject(value)) return value;
  throw new SyntaxError("it must be an object in braces");
}

/** The content with this text. Throws SyntaxError for JSON that is not an object. */
export function withSourceText(content: Content, { kind, text }: EditableContent): FieldValues {
  if (kind === "json") return { ...splitImportMark(content).mark, ...parseObject(text) };
  return { ...(content ?? { format: "markdown" }), text };
}

/** Whether two versions of a document have the same title and content. */
export const isSameWriting = (one: Document, other: Document): boolean =>
  one.title === other.title && JSON.stringify(one.content) === JSON.stringify(other.content);
