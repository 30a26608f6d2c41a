import type { Document } from "../api.ts";
import { writingOf } from "./writing.ts";

/** A title as the name of a file, on every system. */
export const fileName = (title: string, ending: string) =>
  `${
    title
      .replace(/[\p{Cc}\\/:*?"<>|]/gu, " ")
      .replace(/\s+/g, " ")
      .trim()
      .replace(/^\.+/, "")
      .slice(0, 100) || "document"
  }.${ending}`;

/** Downloads a document: its text as Markdown, any other content as JSON. */
export function download({ title, content }: Document): void {
  const { kind, text } = writingOf(content);
  const ending = kind === "json" ? "json" : "md";
  const url = URL.createObjectURL(
    new Blob([text], { type: kind === "json" ? "application/json" : "text/markdown" }),
  );
  const link = Object.assign(document.createElement("a"), { href: url, download: fileName(title, ending) });
  link.click();
  URL.revokeObjectURL(url);
}
