import type { Document } from "../../../../src/contract/document.ts";
import { divided, type Fields, isObject, type Writing } from "../../../../src/contract/files/content.ts";

export {
  divided,
  type Kind,
  otherFields,
  propertiesOf,
  type Writing,
  writingOf,
} from "../../../../src/contract/files/content.ts";

// Converts an edited text to a document's content.

type Content = Document["content"];

function parseObject(json: string): Fields {
  const value: unknown = JSON.parse(json);
  if (isObject(value)) return value;
  throw new SyntaxError("it must be an object in braces");
}

/** The content with this text. Throws SyntaxError for JSON that is not an object. */
export function contentWith(content: Content, { kind, text }: Writing): Fields {
  if (kind === "json") return { ...divided(content).mark, ...parseObject(text) };
  return { ...(content ?? { format: "markdown" }), text };
}

/** Whether two versions of a document have the same title and content. */
export const sameWriting = (one: Document, other: Document): boolean =>
  one.title === other.title && JSON.stringify(one.content) === JSON.stringify(other.content);
