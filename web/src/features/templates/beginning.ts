import type { Document } from "../../../../src/contract/document.ts";
import { divided, type Kind, writingOf } from "../../../../src/contract/files/content.ts";
import { filled } from "./fill.ts";

/** What a document begins with that is made from another one. */
export type Beginning = {
  title: string;
  text: string;
  kind: Kind;
  tags: string[];
  /** With the text, its format and its properties, without what an import notes for itself. */
  content: Record<string, unknown>;
};

/** The beginning that a template gives now. */
export function beginningOf({ title, tags, content }: Document, timezone: string): Beginning {
  const { kind, text: written } = writingOf(content);
  const text = filled(written, timezone);
  const own = content ? divided(content).own : { format: "markdown" };
  return {
    title: filled(title, timezone),
    text,
    kind,
    tags,
    content: kind === "json" ? own : { ...own, text },
  };
}
