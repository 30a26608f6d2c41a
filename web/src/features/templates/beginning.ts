import type { Document } from "../../../../src/contract/document.ts";
import {
  type ContentKind,
  editableContent,
  splitImportMark,
} from "../../../../src/contract/files/content.ts";
import { fillPlaceholders } from "./fill.ts";

/** The initial state of a document that is created from a template. */
export type DocumentFromTemplate = {
  title: string;
  text: string;
  kind: ContentKind;
  tags: string[];
  /** With text, format and properties, without import notes. */
  content: Record<string, unknown>;
};

/** Fills in the placeholders of a template. */
export function fillTemplate({ title, tags, content }: Document, timezone: string): DocumentFromTemplate {
  const { kind, text: source } = editableContent(content);
  const text = fillPlaceholders(source, timezone);
  const own = content ? splitImportMark(content).own : { format: "markdown" };
  return {
    title: fillPlaceholders(title, timezone),
    text,
    kind,
    tags,
    content: kind === "json" ? own : { ...own, text },
  };
}
