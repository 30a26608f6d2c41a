import type { Document } from "../../api/documents.ts";
import { untilAnswered } from "../../api/persist.ts";
import { Conflict, writeOver } from "./data.ts";
import { mergeWith } from "./merging.ts";
import { contentWith, writingOf } from "./writing.ts";

/**
 * Writes a text over a document, merged with what somebody else has written meanwhile. Throws ApiError, or Conflict where
 * both have changed the same passage.
 */
export async function writeText(
  document: Document,
  text: string,
  by: { sitting?: string; changes: string[] },
): Promise<Document> {
  const { kind } = writingOf(document.content);
  const contentOf = (base: Document, next: string) => contentWith(base.content, { kind, text: next });
  try {
    return await untilAnswered(() => writeOver(document, { content: contentOf(document, text) }, by));
  } catch (problem) {
    if (!(problem instanceof Conflict)) throw problem;
    const { theirs } = problem;
    const merged = mergeWith(theirs, document, { mine: { title: document.title, text }, sent: [] });
    if (!merged.text) throw problem;
    const content = contentOf(theirs, merged.text.text);
    return untilAnswered(() => writeOver(theirs, { content }, by));
  }
}
