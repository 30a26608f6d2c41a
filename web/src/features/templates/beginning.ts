import type { Document } from "../../../../src/contract/document.ts";
import { divided, type Kind, writingOf } from "../../../../src/contract/files/content.ts";
import { filled } from "./fill.ts";

/** The initial state of a document that is created from a template. */
export type Beginning = {
  title: string;
  text: string;
  kind: Kind;
  tags: string[];
  /** With text, format and properties, without import notes. */
  content: Record<string, unknown>;
};

/** Fills in the placeholders of a template. */
export function beginningOf({ title, tags, content }: Document, timezone: string): Beginning {
  const { kind, text: source } = writingOf(content);
  const text = filled(source, timezone);
  const own = content ? divided(content).own : { format: "markdown" };
  return {
    title: filled(title, timezone),
    text,
    kind,
    tags,
    content: kind === "json" ? own : { ...own, text },
  };
}
