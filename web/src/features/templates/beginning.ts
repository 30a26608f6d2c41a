import type { Document } from "../../../../src/contract/document.ts";
import { type ContentKind, editableContent, splitImportMark } from "../../../../src/shared/files/content.ts";
import { minuteInZone } from "../../kit/dates.ts";

/** Replaces `{date}` and `{time}` in a template's text or title. Other braces are kept. */
export function fillPlaceholders(text: string, timezone: string, now = new Date()): string {
  const [date = "", time = ""] = minuteInZone(timezone, now).split("T");
  return text.replace(/\{(?:date|time)\}/g, (name) => (name === "{date}" ? date : time));
}

export type DocumentFromTemplate = {
  title: string;
  text: string;
  kind: ContentKind;
  tags: string[];
  /** With text, format and properties, without import notes. */
  content: Record<string, unknown>;
};

export function fillTemplate({ title, tags, content }: Document, timezone: string): DocumentFromTemplate {
  const { kind, text: source } = editableContent(content);
  const text = fillPlaceholders(source, timezone);
  const own = content ? splitImportMark(content).own : { format: "markdown" };
  const filled = kind === "json" ? own : { ...own, text };
  return { title: fillPlaceholders(title, timezone), text, kind, tags, content: filled };
}
