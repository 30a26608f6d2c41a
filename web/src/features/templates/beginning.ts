import type { Document } from "../../../../src/contract/document.ts";
import { type ContentKind, editableContent, splitImportMark } from "../../../../src/shared/files/content.ts";
import { dayInZone } from "../../kit/dates.ts";

/** The time in a time zone, such as 09:05. */
const timeIn = (timezone: string, now: Date) =>
  new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).format(now);

/** Replaces `{date}` and `{time}` in a template's text or title. Other braces are kept. */
export function fillPlaceholders(text: string, timezone: string, now = new Date()): string {
  const values = { "{date}": () => dayInZone(timezone, now), "{time}": () => timeIn(timezone, now) };
  return text.replace(/\{(?:date|time)\}/g, (name) => values[name as keyof typeof values]());
}

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
